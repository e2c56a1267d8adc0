import shutil
import tomllib

import pytest
from planner import run
from samples import CONFIGS, FRONTIER, costed, planned, write_config, write_portfolio

import flopsheet
from flopsheet.export.toml import report_document, storable

EVERYTHING = """
name = "All that a portfolio can say"
scenario = "high"
[workload]
batch = 2
mask = "causal"
kv_dtype_bytes = 0.5
[cluster]
accelerator = "h200-sxm"
accelerators = 512
days = 30.5
[drivers]
tokens = { low = 1e12, base = 2e12, high = 3e15, source = "ours", date = "2026-01-02" }
goodput = 0.9
price_per_hour = { low = 2, base = 3, high = 4 }
[[models]]
config = "ok/config.json"
tokens = 5e12
published = { parameters = 8_030_261_248, source = "a card", date = "2024-07-23" }
[[models]]
name = "approximate"
config = "unread/config.json"
seq_len = 300_000
[[models]]
name = "in error"
config = "broken/config.json"
[[models]]
name = "of no known type"
config = "untyped/config.json"
[[models]]
name = "not there"
config = "nowhere/config.json"
[[models]]
name = "by hand"
architecture = "moe"
n_layers = 2
d_model = 64
dimensions = { n_heads = 4, d_head = 16, d_ff = 128, vocab_size = 999, n_experts = 4, top_k = 2, d_expert = 32 }
[[models]]
name = "borrowed"
config = "borrowed/config.json"
read_as = "llama"
[[models]]
name = "indexed"
config = "indexed/config.json"
"""


@pytest.fixture
def portfolio(tmp_path):
    """Write a portfolio with every kind of model and every kind of override."""
    write_config(tmp_path / "ok")
    write_config(tmp_path / "unread", residual_gate_rank=3)
    write_config(tmp_path / "broken", hidden_size="four thousand")
    write_config(tmp_path / "untyped", model_type="no-such-type")
    write_config(tmp_path / "borrowed", model_type="somebody_elses")
    write_config(tmp_path / "indexed")
    index = '{"metadata": {"total_parameters": 8030261249}}'
    (tmp_path / "indexed" / "model.safetensors.index.json").write_text(index)
    return write_portfolio(tmp_path, EVERYTHING)


def _report(*inputs, **settings):
    return "".join(report_document(planned(*inputs, **settings)))


def _again(text, folder):
    """Return the report of a report, from a folder in which no config stands."""
    folder.mkdir(exist_ok=True)
    return _report(write_portfolio(folder, text, "report.toml"))


def _but_inputs(text):
    """Return a report without its list of input files, in which alone the report of a report differs."""
    return {key: value for key, value in tomllib.loads(text).items() if key != "files"}


def test_a_report_is_a_portfolio_that_gives_the_same_report(portfolio, tmp_path):
    """Fed back, numbers, names, statuses, problems, notes, drivers and scenario are the same; no config is opened."""
    first = _report(portfolio)
    statuses = [model["status"] for model in tomllib.loads(first)["models"]]
    assert statuses == ["ok", "approximate", "error", "error", "error", "ok", "approximate", "approximate"]
    assert _but_inputs(_again(first, tmp_path / "elsewhere")) == _but_inputs(first)


def test_the_example_portfolio_comes_back(tmp_path):
    """The report of the frontier portfolio, with settings, gives itself again."""
    first = _report(FRONTIER, batch=3, context=8192, mask="window", d_ff=20_000)
    assert _but_inputs(_again(first, tmp_path)) == _but_inputs(first)


def test_the_third_generation_has_the_numbers_of_the_first(portfolio, tmp_path):
    """Notes and problems do not pile up when a report of a report is reported."""
    first = _report(portfolio)
    third = _again(_again(first, tmp_path / "second"), tmp_path / "third")
    assert _but_inputs(third) == _but_inputs(first)


def test_a_report_is_given_model_by_model():
    """A large batch never stands as one text: what comes first says all but the models, then each comes alone."""
    plan = planned(CONFIGS / "gpt2-xl", CONFIGS / "mamba-2.8b")
    first, *models = report_document(plan)
    assert "models" not in tomllib.loads(first)
    assert [tomllib.loads(text)["models"][0]["name"] for text in models] == ["gpt2-xl", "mamba-2.8b"]


def test_settings_apply_to_a_report(tmp_path):
    """A report that is read again can be asked for another batch."""
    first = _report(CONFIGS / "gpt2-xl")
    again = planned(write_portfolio(tmp_path, first), batch=2)
    doubled = 2 * tomllib.loads(first)["models"][0]["totals"]["flops_forward"]
    assert again.models[0].totals["flops_forward"] == doubled


def test_a_model_can_be_added_to_a_report(tmp_path):
    """An entry without a status is a portfolio's: it is read from its config."""
    write_config(tmp_path / "added")
    text = _report(CONFIGS / "gpt2-xl") + '\n[[models]]\nname = "added"\nconfig = "added/config.json"\n'
    again = planned(write_portfolio(tmp_path, text))
    assert [model.totals["parameters"] for model in again.models] == [1_557_611_200, 8_030_261_248]


def test_a_report_that_says_error_without_a_reason_stays_in_error(tmp_path):
    """Nothing turns ok because somebody deleted the problems of a model in error."""
    text = 'schema = 1\n[[models]]\nname = "a"\nstatus = "error"\narchitecture = "dense"\n'
    (model,) = costed(write_portfolio(tmp_path, text))
    assert (model.status, model.problems) == ("error", ["the report that this model comes from could not cost it"])


def test_contract_keys_are_always_there(portfolio):
    """Tools find the contract's keys in every model, whatever its status."""
    keys = {"name", "status", "problems", "notes", "architecture", "plugin", "dimensions", "totals", "groups"}
    assert [keys - model.keys() for model in tomllib.loads(_report(portfolio))["models"]] == [set()] * 8


def test_it_says_what_made_it(portfolio):
    """Versions of flopsheet and of every plugin stand in the report."""
    report = tomllib.loads(_report(portfolio))
    assert report["schema"] == 1
    assert report["flopsheet"] == {"version": flopsheet.__version__}
    assert {"name": "moe", "package": "flopsheet", "version": flopsheet.__version__} in report["plugins"]


def test_it_restates_every_input(portfolio, monkeypatch):
    """Portfolio and configs stand there once each, with their hashes where there was a file to hash."""
    monkeypatch.chdir(portfolio.parent)
    inputs = {entry["path"]: entry.get("sha256", "") for entry in tomllib.loads(_report(portfolio))["files"]}
    names = ["ok", "unread", "broken", "untyped", "nowhere", "borrowed", "indexed"]
    assert list(inputs) == ["portfolio.toml", *(f"{name}/config.json" for name in names)]
    assert [path for path, sha256 in inputs.items() if len(sha256) != 64] == ["nowhere/config.json"]


def test_it_restates_every_driver(portfolio):
    """Overrides and catalog figures stand there with their three cases, source and date."""
    drivers = tomllib.loads(_report(portfolio))["inputs"]
    assert drivers["tokens"] == {
        "low": 10**12,
        "base": 2 * 10**12,
        "high": 3 * 10**15,
        "source": "ours",
        "date": "2026-01-02",
    }
    assert drivers["days"]["base"] == 30.5
    assert drivers["tdp_w"]["source"].startswith("H200 SXM")


def test_the_workload_is_what_all_models_share(portfolio):
    """What some model takes for itself is left to the dimensions of each."""
    report = tomllib.loads(_report(portfolio, batch=7))
    assert report["workload"]["batch"] == 7
    assert report["workload"]["mask"] == "causal"
    assert "seq_len" not in report["workload"]
    assert report["models"][1]["dimensions"]["seq_len"] == 300_000


def test_three_scenarios_stand_in_it():
    """Cluster and models have their planning lines under low, base and high; more days buy more."""
    report = tomllib.loads(_report(FRONTIER))
    costs = [report["models"][1]["scenarios"][case]["training_cost"] for case in ("low", "base", "high")]
    assert costs == sorted(costs)
    assert costs[0] < costs[2]
    assert report["scenarios"]["low"]["budget_flop"] > report["scenarios"]["high"]["budget_flop"]


def test_large_whole_numbers_are_floats():
    """TOML promises 64 bits: what needs more is written as a float, what fits as an integer."""
    model = tomllib.loads(_report(FRONTIER))["models"][1]
    assert isinstance(model["scenarios"]["base"]["training_flops"], float)
    assert isinstance(model["totals"]["flops_forward"], int)
    assert storable([2**63 - 1, 2**63]) == [2**63 - 1, float(2**63)]


def test_a_lone_surrogate_is_replaced():
    """JSON can spell half a character; a file in UTF-8 cannot hold it."""
    assert storable({"a": "x\ud800y"}) == {"a": "x�y"}


@pytest.mark.parametrize("name", ["=1+1", "模型 🎉", 'a "quoted" \\ name', "line\nbreak", "n" * 40_000])
def test_any_name_comes_back(tmp_path, name):
    """Names of any script and length survive a report of a report."""
    write_config(tmp_path)
    shutil.move(tmp_path / "config.json", tmp_path / "x.json")
    (tmp_path / "first").mkdir()
    entry = f"schema = 1\n[[models]]\nconfig = '../x.json'\nname = {_quoted(name)}\n"
    first = _report(write_portfolio(tmp_path / "first", entry))
    assert tomllib.loads(_again(first, tmp_path / "second"))["models"][0]["name"] == name


def _quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def test_paths_are_stated_from_the_working_folder(tmp_path, monkeypatch):
    """An absolute path below the working folder and a relative one give the same bytes."""
    path = write_config(tmp_path / "model")
    monkeypatch.chdir(tmp_path)
    assert _report(path) == _report("model/config.json") == _report("model/../model/config.json")


def test_show_has_models_with_lines_and_no_plan():
    """`show --format toml` says what JSON says: totals, groups and every line with its formula."""
    document = tomllib.loads(run("show", CONFIGS / "gpt2-xl", "--format", "toml")[1])
    assert "inputs" not in document
    lines = {line["name"]: line for line in document["models"][0]["lines"]}
    assert lines["token_embedding"]["formula"] == "vocab_size * d_embedding"
    assert lines["token_embedding"]["value"] == 50_257 * 1600


def test_what_show_prints_can_be_reported(tmp_path):
    """The TOML of `show` is a portfolio too."""
    text = run("show", CONFIGS / "gpt2-xl", "--format", "toml", "--set", "batch=4")[1]
    (model,) = costed(write_portfolio(tmp_path, text))
    assert (model.name, model.dimensions["batch"], model.totals["parameters"]) == ("gpt2-xl", 4, 1_557_611_200)


@pytest.mark.parametrize("suffix", ["toml", "json", "csv", "md"])
def test_no_name_turns_the_text_around_it(tmp_path, suffix):
    """A sign that reverses what follows is replaced in every format, as it is on the terminal."""
    path = write_portfolio(tmp_path, '[[models]]\nname = "a\\u202eb"\nsize = "7B"\n')
    assert run("report", path, "-o", tmp_path / f"plan.{suffix}")[0] == 0
    text = (tmp_path / f"plan.{suffix}").read_text("utf-8")
    assert ("a\ufffdb" in text, "\u202e" in text, "u202e" in text) == (True, False, False)

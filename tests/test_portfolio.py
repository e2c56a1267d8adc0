"""TOML portfolios: what they say, and all that can be wrong with them at once."""

import json

import pytest

from flopsheet.configs.inputs import read_inputs
from flopsheet.configs.portfolio_reading import read_portfolio
from flopsheet.errors import ConfigError, PortfolioError
from flopsheet.host.loading import load
from flopsheet.planning.costing import cost
from flopsheet.planning.registry import input_checker

GPT2 = {"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_layer": 2, "n_embd": 8, "n_head": 2}
TINY = "n_layers = 2, d_model = 8, n_heads = 2, vocab_size = 11"


@pytest.fixture
def read(tmp_path):
    """Return a function that reads a portfolio's text beside a tiny GPT-2's config."""
    tmp_path.joinpath("gpt2.json").write_text(json.dumps(GPT2), "utf-8")

    def reader(text):
        path = tmp_path / "plan.toml"
        path.write_text(text, "utf-8")
        return read_portfolio(load(), path)

    return reader


def costed(portfolio):
    """Return the first model with its numbers."""
    return cost(load(), portfolio.models[0])


def test_a_model_from_a_config(read):
    """The path is relative to the portfolio, the name is the portfolio's."""
    portfolio = read('name = "Plan"\n[[models]]\nname = "Tiny"\nconfig = "gpt2.json"\n')
    model = costed(portfolio)
    assert (portfolio.name, model.name, model.status) == ("Plan", "Tiny", "ok")
    assert model.totals["parameters"] == 12 * 2 * 64 + 13 * 2 * 8 + 2 * 8 + (50257 + 1024) * 8


def test_a_portfolio_takes_the_files_name(read):
    """A name of its own is not required."""
    assert read("").name == "plan"


def test_a_model_by_hand(read):
    """A planner's model is its architecture and dimensions."""
    model = costed(read(f'[[models]]\nname = "Plan B"\narchitecture = "dense"\ndimensions = {{ {TINY} }}\n'))
    assert (model.name, model.status) == ("Plan B", "ok")
    assert model.totals["parameters"] == (4 + 3 * 4) * 2 * 64 + 2 * 11 * 8 + 5 * 8


def test_a_forgotten_fact_of_a_model_on_paper_shows(read):
    """Such a model has the gated MLP of today's decoders, and every default taken is listed."""
    model = costed(read(f'[[models]]\nname = "Plan B"\narchitecture = "dense"\ndimensions = {{ {TINY} }}\n'))
    assert any("defaults taken:" in note and "mlp_matrices = 3" in note for note in model.notes)
    plain = costed(read(f'[[models]]\narchitecture = "dense"\ndimensions = {{ {TINY}, mlp_matrices = 2 }}\n'))
    assert model.totals["parameters"] > plain.totals["parameters"]
    assert not any("mlp_matrices" in note for note in plain.notes)


def test_a_model_without_a_name_has_its_place(read):
    """Something must stand in the report."""
    assert costed(read(f'[[models]]\narchitecture = "dense"\ndimensions = {{ {TINY} }}\n')).name == "models[0]"


def test_the_workload_counts_for_all_models(read):
    """An entry of its own wins."""
    text = '[workload]\nbatch = 4\nseq_len = 16\n[[models]]\nconfig = "gpt2.json"\n'
    assert costed(read(text)).dimensions["batch"] == 4
    assert costed(read(text + "batch = 2\n")).dimensions["batch"] == 2
    assert costed(read(text + "batch = 2\n")).dimensions["seq_len"] == 16


@pytest.mark.parametrize("form", ["n_layers = 3", "dimensions = { n_layers = 3 }"])
def test_an_entry_may_override_dimensions(read, form):
    """What the config says is replaced, beside or inside `dimensions`."""
    model = costed(read(f'[[models]]\nconfig = "gpt2.json"\n{form}\n'))
    assert model.dimensions["n_layers"] == 3


def test_cluster_drivers_and_scenario_are_kept(read):
    """Planning reads them."""
    portfolio = read('scenario = "low"\n[cluster]\naccelerators = 8\n[drivers]\ngoodput = 0.9\n')
    assert (portfolio.inputs, portfolio.scenario) == ({"accelerators": 8, "goodput": 0.9}, "low")
    assert portfolio.sections == {"accelerators": "cluster", "goodput": "drivers"}


def test_tokens_are_a_models_own(read):
    """A whole number, however it is written."""
    assert read('[[models]]\nconfig = "gpt2.json"\ntokens = 15e12\n').models[0].drivers == {"tokens": 15 * 10**12}


def test_a_published_count_is_kept(read):
    """With its source and date."""
    entry = '[[models]]\nconfig = "gpt2.json"\npublished = { parameters = 7, source = "a card", date = "2026" }\n'
    published = read(entry).models[0].published
    assert (published.parameters, published.source, published.date) == (7, "a card", "2026")


def test_read_as_and_rename(read, tmp_path):
    """A type that nobody claims is read as another, and says so."""
    stranger = {("width" if key == "n_embd" else key): value for key, value in GPT2.items()}
    tmp_path.joinpath("s.json").write_text(json.dumps(stranger | {"model_type": "stranger"}), "utf-8")
    model = costed(read('[[models]]\nconfig = "s.json"\nread_as = "gpt2"\nrename = { width = "n_embd" }\n'))
    assert model.status == "approximate"
    assert model.problems[0].startswith("model_type 'stranger' is read as 'gpt2'")
    assert model.dimensions["d_model"] == 8


@pytest.mark.parametrize(("off", "status"), [(0, "ok"), (1, "approximate")])
def test_a_published_count_ties_a_borrowed_reading_out(read, tmp_path, off, status):
    """Only the same number confirms."""
    tmp_path.joinpath("s.json").write_text(json.dumps(GPT2 | {"model_type": "stranger"}), "utf-8")
    parameters = 12 * 2 * 64 + 13 * 2 * 8 + 2 * 8 + (50257 + 1024) * 8 + off
    entry = f'[[models]]\nconfig = "s.json"\nread_as = "gpt2"\npublished = {{ parameters = {parameters} }}\n'
    assert costed(read(entry)).status == status


@pytest.mark.parametrize(("off", "status"), [(0, "ok"), (64, "approximate")])
def test_a_weights_index_is_tied_out_unasked(read, tmp_path, off, status):
    """A checkpoint that stores another number makes the count approximate, with the difference."""
    parameters = 12 * 2 * 64 + 13 * 2 * 8 + 2 * 8 + (50257 + 1024) * 8
    index = {"metadata": {"total_parameters": parameters + off}}
    tmp_path.joinpath("model.safetensors.index.json").write_text(json.dumps(index), "utf-8")
    model = costed(read('[[models]]\nconfig = "gpt2.json"\n'))
    assert model.status == status
    expected = f"model.safetensors.index.json stores {parameters + off:,} parameters; counted -64 against it"
    assert model.problems == ([expected] if off else [])


def test_a_bad_config_is_one_model_in_error(read):
    """The others are counted; a portfolio is not refused for it."""
    portfolio = read('[[models]]\nconfig = "none.json"\n[[models]]\nconfig = "gpt2.json"\n')
    assert [model.status for model in portfolio.models] == ["error", "ok"]
    assert "cannot be read" in portfolio.models[0].errors[0]


def test_the_hash_is_that_of_the_config(read, tmp_path):
    """An input can be checked."""
    portfolio = read('[[models]]\nconfig = "gpt2.json"\n')
    assert portfolio.models[0].sha256 != portfolio.sha256
    tmp_path.joinpath("gpt2.json").write_text(json.dumps(GPT2 | {"n_layer": 3}), "utf-8")
    assert read('[[models]]\nconfig = "gpt2.json"\n').models[0].sha256 != portfolio.models[0].sha256


PROBLEMS = {
    "unknown table": ("[workloads]\n", "workloads: unknown; did you mean 'workload'?"),
    "table that is a number": ("workload = 3\n", "workload: a table is expected"),
    "models that are no list": ('[models]\nconfig = "x"\n', "models: a list is expected"),
    "name that is no text": ("name = 3\n", "name: a text is expected"),
    "unknown scenario": ('scenario = "best"\n', "scenario: 'best'; one of low, base, high is expected"),
    "unknown workload": ("[workload]\nbach = 2\n", "workload.bach: unknown; did you mean 'batch'?"),
    "workload of no kind": ("[workload]\nbatch = 0\n", "workload.batch: 0 is out of range"),
    "workload of text": ('[workload]\nseq_len = "long"\n', "workload.seq_len: 'long' is not a number"),
    "mask": ('[workload]\nmask = "half"\n', "workload.mask: 'half' is not one of full, causal, window"),
    "entry of nothing": (
        "[[models]]\nname = 'x'\n",
        'models[0]: needs config = "path", size = "70B", or architecture and dimensions',
    ),
    "entry that is no table": ("models = [3]\n", "models[0]: a table is expected"),
    "unknown key": (
        '[[models]]\nconfig = "gpt2.json"\nn_layer = 3\n',
        "models[0].n_layer: unknown; did you mean 'n_la",
    ),
    "unknown dimension": (
        '[[models]]\nconfig = "gpt2.json"\ndimensions = { d_modle = 3 }\n',
        "models[0].dimensions.d_modle: unknown; did you mean 'd_model'?",
    ),
    "dimension of text": (
        '[[models]]\nconfig = "gpt2.json"\ndimensions = { d_model = "3" }\n',
        "models[0].dimensions.d_model: '3' is not a number",
    ),
    "negative dimension": ('[[models]]\nconfig = "gpt2.json"\nd_model = -8\n', "models[0].d_model: -8 is out of range"),
    "not a number": ('[[models]]\nconfig = "gpt2.json"\nd_model = nan\n', "models[0].d_model: nan is out of range"),
    "config that is no text": ('[[models]]\nconfig = 3\narchitecture = "dense"\n', "models[0].config: 3 is not a text"),
    "dimensions that are no table": (
        '[[models]]\nconfig = "gpt2.json"\ndimensions = 3\n',
        "models[0].dimensions: a ta",
    ),
    "renames that are no text": (
        '[[models]]\nconfig = "gpt2.json"\nrename = { a = 3 }\n',
        "models[0].rename.a: 3 is not the name of a field",
    ),
    "published without number": (
        '[[models]]\nconfig = "gpt2.json"\npublished = { source = "a card" }\n',
        "models[0].published: { parameters = ",
    ),
    "tokens below one": ('[[models]]\nconfig = "gpt2.json"\ntokens = 0\n', "models[0].tokens: 0; a whole number from"),
    "required package": ('require = ["no-such-package"]\n', "require: no-such-package is not installed"),
    "required version": ('require = ["flopsheet>=99"]\n', "require: flopsheet>=99 is required"),
    "another schema": ("schema = 2\n", "schema: 2 is newer than this flopsheet reads; 1 is expected"),
}


@pytest.mark.parametrize(("text", "problem"), PROBLEMS.values(), ids=PROBLEMS)
def test_a_problem_is_told_with_its_place(read, text, problem):
    """The file, how many problems there are, and each with its path and a suggestion."""
    with pytest.raises(PortfolioError) as caught:
        read(text)
    head, *lines = str(caught.value).splitlines()
    assert head.endswith("plan.toml: 1 problem")
    assert lines[0].strip().startswith(problem)


def test_all_problems_are_told_at_once(read):
    """A planner repairs a file in one go."""
    text = """
    [workload]
    bach = 2
    [[models]]
    config = "gpt2.json"
    d_modle = 3
    tokens = -1
    [[models]]
    name = "Nothing"
    [[models]]
    architecture = "dense"
    dimensions = { n_layers = 0, n_haeds = 2 }
    """
    with pytest.raises(PortfolioError) as caught:
        read(text)
    head, *lines = [line.strip() for line in str(caught.value).splitlines()]
    assert head.endswith("plan.toml: 6 problems")
    assert [line.split(":")[0] for line in lines] == [
        "workload.bach",
        "models[0].d_modle",
        "models[0].tokens",
        "models[1]",
        "models[2].dimensions.n_layers",
        "models[2].dimensions.n_haeds",
    ]


def test_an_unknown_architecture_is_a_model_in_error(read):
    """Another installation may have the plugin."""
    portfolio = read('[[models]]\narchitecture = "dnese"\ndimensions = { n_layers = 3 }\n')
    assert "no plugin has an architecture 'dnese'; did you mean 'dense'?" in portfolio.models[0].errors[0]


def test_toml_that_breaks_is_told_with_its_place(read):
    """As the parser says it."""
    with pytest.raises(ConfigError, match=r"invalid TOML: .*line 1, column"):
        read("name = \n")


def test_the_example_portfolios_are_whole():
    """Those that the project ships have no problem; frontier shows both marks."""
    models, portfolios = read_inputs(
        load(), ["examples/portfolios/frontier.toml", "examples/portfolios/walkthrough.toml"]
    )
    status = [cost(load(), model).status for model in models]
    assert len(portfolios) == 2
    assert len(models) >= 16 + 3
    assert (status.count("approximate"), status.count("error")) == (1, 1)


def test_what_must_be_a_text_or_table_is_told_as_such(read):
    """Each kind of value has its own word."""
    with pytest.raises(PortfolioError, match=r"require: a list is expected"):
        read('require = "flopsheet"\n')


def test_an_unknown_table_does_not_hide_what_is_wrong_with_models(tmp_path):
    """Problems of tables and of models stand in one list."""
    path = tmp_path / "p.toml"
    path.write_text('[clustr]\n[[models]]\narchitecture = "dense"\nd_modle = 5\n[[models]]\nname = 3\n', "utf-8")
    with pytest.raises(PortfolioError) as caught:
        read_portfolio(load(), path)
    for place in ("clustr", "models[0].d_modle", "models[1].name"):
        assert place in str(caught.value)


def test_what_a_plan_would_refuse_is_told_with_the_rest(tmp_path):
    """Unknown questions, accelerators and kinds of prices, bad dates and windows stand in the same list."""
    path = tmp_path / "p.toml"
    path.write_text(
        'questions = ["scalin"]\nscenario = "bse"\n[inputs]\nmfu = 3\naccelerator = "H1000"\nprice_kind = "free"\n'
        'report_date = "soon"\nstart = "2027-01-31"\nend = "2026-01-31"\n[[models]]\nsize = "7Q"\n',
        "utf-8",
    )
    with pytest.raises(PortfolioError, match="8 problems") as caught:
        read_portfolio(load(), path, input_checker(load()))
    for place in (
        "questions: 'scalin' is unknown; did you mean 'scaling'?",
        "scenario: 'bse'",
        "inputs.mfu: 3",
        "inputs.accelerator: no accelerator is named 'H1000'",
        "inputs.price_kind: 'free'",
        "inputs.report_date: 'soon' is not a date",
        "end: 2026-01-31 is not after start",
        "models[0].size: '7Q'",
    ):
        assert f"\n  {place}" in str(caught.value)


def test_of_many_problems_a_thousand_are_listed(tmp_path):
    """The rest is counted, so that no message is longer than anybody reads."""
    keys = "".join(f"unheard_{at} = 1\n" for at in range(1_500))
    (tmp_path / "plan.toml").write_text(f"[inputs]\n{keys}", "utf-8")
    with pytest.raises(PortfolioError) as error:
        read_portfolio(load(), tmp_path / "plan.toml", input_checker(load()))
    lines = str(error.value).splitlines()
    assert lines[0].endswith("plan.toml: 1,500 problems")
    assert (len(lines), lines[-1]) == (1_002, "  and 500 more")

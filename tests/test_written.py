"""Plugins without code: TOML files give what modules give, and are checked against the same types."""

import json
import tomllib
from pathlib import Path

import pytest
from planner import run
from platformdirs import user_config_path

import flopsheet
from flopsheet.configs.plugin_choice import load_for
from flopsheet.configs.reading import read_config
from flopsheet.errors import UsageError
from flopsheet.export.ask_plugins import ask_everything
from flopsheet.host.loading import load, load_from
from flopsheet.host.local import Choice, local_points, user_folder
from flopsheet.host.toml_plugin import LISTS
from flopsheet.planning.costing import cost

PLUGINS = Path(__file__).parent.parent / "examples" / "plugins"
AFT, COMPANY = PLUGINS / "aft" / "aft.toml", PLUGINS / "company" / "company.toml"
SMALL = PLUGINS / "aft" / "aft-small" / "config.json"
PORTFOLIO = f"""
plugins = ["{COMPANY}"]

[inputs]
accelerator = "in-house-asic"
accelerators = 1024
days = 30
shown_rate = 1.2
scaling_law = "our_law"
flop_budget = 1e22

[[models]]
name = "Ours"
architecture = "dense"
optimizer = "our_lion"
dimensions = {{ n_layers = 4, d_model = 64, n_heads = 4, vocab_size = 100, n_prompt_tokens = 20 }}
"""


def test_a_line_without_a_unit_is_told_before_what_follows_from_it(tmp_path):
    """The unit that the list has; that its configs cannot be read is a consequence."""
    (tmp_path / "config.json").write_text(SMALL.read_text("utf-8"), "utf-8")
    text = AFT.read_text("utf-8").replace('unit = "bytes"\n', "additive = false\n", 1)
    (tmp_path / "aft.toml").write_text(text, "utf-8")
    status, out, _ = run("plugins", "check", "--quick", tmp_path / "aft.toml")
    sentence = " ".join(out.split())
    assert status == 1
    assert "memory[0]: unit missing" in sentence
    assert "say unit: parameters, FLOP, bytes or elements" in sentence
    assert "correct what is refused above first" in sentence


def test_all_that_a_file_lacks_is_told_at_once(tmp_path):
    """Each table of several lists with what is missing or wrong, and with its own line."""
    text = """[architectures.x]
title = "X"
[[architectures.x.parameters]]
name = "a"
[[architectures.x.parameters]]
formula = "1"
[[architectures.x.flops]]
name = 5
formula = "1"
"""
    (tmp_path / "x.toml").write_text(text, "utf-8")
    host = load((), (str(tmp_path / "x.toml"),))
    assert host.failures[0].reason.splitlines() == [
        "architectures.x.parameters[0]: formula missing (x.toml, line 3)",
        "architectures.x.parameters[1]: name missing (x.toml, line 5)",
        "architectures.x.flops[0].name: 5; a text is expected (x.toml, line 8)",
    ]


def test_the_list_of_a_line_says_its_unit_and_when_it_is_kept(tmp_path):
    """The same numbers without these words, in plans of training too."""
    kept = 'unit = "elements"\nkept = "always"\n'
    line = f'[[architectures.aft.activations]]\nname = "a"\nformula = "tokens * d_model"\ngroup = "attention"\n{kept}'
    text = AFT.read_text("utf-8").replace("[families", f"{line}[families", 1)
    (tmp_path / "aft.toml").write_text(text, "utf-8")
    for words in (kept, 'unit = "parameters"\n', 'unit = "FLOP"\n', 'unit = "bytes"\n'):
        text = text.replace(words, "")
    (tmp_path / "silent").mkdir()
    (tmp_path / "silent" / "aft.toml").write_text(text, "utf-8")
    results = [load((), (str(file),)) for file in (tmp_path / "aft.toml", tmp_path / "silent" / "aft.toml")]
    said, silent = ([entry.line for entry in host.training_ledger("aft").entries] for host in results)
    assert 'unit = "bytes' not in text
    assert silent == said


def test_a_file_states_the_version_of_the_api(tmp_path):
    """As a module does: a later one is refused."""
    file = tmp_path / "later.toml"
    for version, failures in (("1.0", 0), ("2.0", 1)):
        file.write_text(f'flopsheet_api = "{version}"\nabout = "later"', "utf-8")
        assert len(load((), (str(file),)).failures) == failures


def built(torch, config):
    """Return the paper's model as torch has it, on the meta device."""

    class Layer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            width, wide, length, bias = (config[name] for name in WIDTHS)
            self.norms = torch.nn.ModuleList([torch.nn.LayerNorm(width, bias=True) for _ in range(2)])
            self.mix_in = torch.nn.Linear(width, 3 * width, bias=False)
            self.mix_out = torch.nn.Linear(width, width, bias=False)
            self.left, self.right = (torch.nn.Parameter(torch.empty(length, bias)) for _ in range(2))
            self.up, self.down = torch.nn.Linear(width, wide, bias=False), torch.nn.Linear(wide, width, bias=False)

        def forward(self, x):
            query, key, value = self.mix_in(self.norms[0](x)).chunk(3, -1)
            biases = torch.exp(self.left @ self.right.T)
            weights = torch.exp(key)
            mixed = (biases @ (weights * value)) / (biases @ weights)
            x = x + self.mix_out(torch.sigmoid(query) * mixed)
            return x + self.down(torch.relu(self.up(self.norms[1](x))))

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.table = torch.nn.Embedding(config["vocab_size"], config["hidden_size"])
            self.layers = torch.nn.ModuleList([Layer() for _ in range(config["num_hidden_layers"])])
            self.norm = torch.nn.LayerNorm(config["hidden_size"])

        def forward(self, tokens):
            x = self.table(tokens)
            for layer in self.layers:
                x = layer(x)
            return self.norm(x) @ self.table.weight.T

    with torch.device("meta"):
        return Model()


WIDTHS = ("hidden_size", "intermediate_size", "max_position_embeddings", "bias_dim")


def test_an_architecture_of_a_paper_is_exact():
    """AFT, which no bundled plugin has: parameters and FLOP of the TOML file are those of torch's module."""
    torch = pytest.importorskip("torch")
    from torch.utils.flop_counter import FlopCounterMode  # noqa: PLC0415 - where torch is installed

    config = json.loads(SMALL.read_text("utf-8"))
    module = built(torch, config)
    model = flopsheet.evaluate(SMALL, plugins=[AFT], batch=2)
    assert (model.status, model.problems) == ("ok", [])
    assert model.totals["parameters"] == sum(one.numel() for one in module.parameters())
    with FlopCounterMode(display=False) as counter:
        module(torch.zeros(2, config["max_position_embeddings"], dtype=torch.long, device="meta"))
    assert model.totals["flops_forward"] == counter.get_total_flops()


@pytest.mark.parametrize("file", [AFT, COMPANY], ids=lambda file: file.name)
def test_an_example_passes_plugins_check(file):
    """All that `flopsheet plugins check` looks at."""
    status, out, _ = run("plugins", "check", "--quick", file)
    assert status == 0, out


@pytest.fixture(scope="module")
def planned(tmp_path_factory):
    """Return a folder with a portfolio that names the company's file, and its report."""
    folder = tmp_path_factory.mktemp("written")
    (folder / "portfolio.toml").write_text(PORTFOLIO, "utf-8")
    assert run("report", folder / "portfolio.toml", "-o", folder / "report.toml", "-o", folder / "plan.xlsx")[0] == 0
    return folder


def test_every_kind_of_table_is_used(planned):
    """Accelerator, price, optimizer, law, question and lines of a portfolio's own file."""
    report = tomllib.loads((planned / "report.toml").read_text("utf-8"))
    (model,) = report["models"]
    assert report["inputs"]["peak_tflops"]["base"] == 600
    assert report["inputs"]["price_per_hour"]["source"] == "Internal transfer price 2026"
    frozen, trained = 2 * model["totals"]["parameters"], 8 * 20 * 64  # adapters are trained, the rest is kept
    assert model["totals"]["training_state_bytes"] == frozen + trained
    assert report["inputs"]["scaling_law"]["base"] == "our_law"
    assert report["answers"]["showback"]["bill"]["base"] == pytest.approx(1024 * 30 * 24 * 1.2)
    assert model["groups"]["parameters"]["adapters"] == 20 * 64
    quantized = {"model_type": "llama", "quantization_config": {"quant_method": "our_six_bit"}}
    dimensions = flopsheet.evaluate(quantized, plugins=[COMPANY]).dimensions
    assert dimensions["quantized_bytes"] == (6 + 16 / 64) / 8


def test_a_report_names_the_file_and_reads_it_again(planned):
    """Fed back it gives the same numbers: it loads the file that it was made with."""
    assert run("report", planned / "report.toml", "-o", planned / "again.toml")[0] == 0
    status, out, _ = run("diff", planned / "report.toml", planned / "again.toml")
    assert (status, out.strip().splitlines()[-1]) == (0, "no number moved")


@pytest.mark.parametrize("named", ["evil.py", "gone.toml"])
def test_a_portfolio_runs_no_code(tmp_path, named):
    """It names TOML files that exist, and nothing else."""
    (tmp_path / "evil.py").write_text("raise SystemExit", "utf-8")
    (tmp_path / "portfolio.toml").write_text(f'plugins = ["{named}"]\n', "utf-8")
    status, _, errors = run("plan", tmp_path / "portfolio.toml")
    assert status == 2
    assert f"plugins: '{named}' is not a .toml file" in errors or f"plugins: {named} does not exist" in errors


@pytest.mark.parametrize("home", [None, "", " ", "conf", "/conf", "~/conf"])
def test_the_users_folder_is_where_platformdirs_says(home, monkeypatch):
    """On Linux it is found without that library, which takes long to import."""
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    if home is not None:
        monkeypatch.setenv("XDG_CONFIG_HOME", home)
    assert user_folder() == user_config_path("flopsheet", appauthor=False) / "plugins"


def test_a_users_folder_is_read(tmp_path, monkeypatch):
    """Files there count without another word, can be left out by name, and are barred by the allow-list."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    folder = tmp_path / "flopsheet" / "plugins"
    folder.mkdir(parents=True)
    (folder / "aft.toml").write_bytes(AFT.read_bytes())
    assert flopsheet.evaluate(SMALL).status == "ok"
    assert load_for([], Choice(plugins=(str(folder / "aft.toml"),))).failures == []
    assert flopsheet.evaluate(SMALL, without=["aft"]).status == "error"
    monkeypatch.setenv("FLOPSHEET_PLUGINS", "")
    assert flopsheet.evaluate(SMALL).status == "error"
    assert "aft" in [plugin.name for plugin in load().barred]
    assert load(without=("aft",)).failures == []


WRONG = {
    "no TOML": ("architectures = [", "aft.toml: "),
    "table": ("architecturs = {}", "architecturs: unknown; did you mean 'architectures'?"),
    "key": ('[architectures.x]\ntitel = "X"', "architectures.x.titel: unknown; did you mean 'title'?"),
    "list": (
        "[architectures.x]\ntitle = 'X'\nlinears = []",
        "architectures.x.linears: unknown; did you mean 'linear'?",
    ),
    "missing": ("[architectures.x]", "architectures.x: title missing"),
    "type": ("[architectures.x]\ntitle = 5", "architectures.x.title: 5; a text is expected"),
    "word": (
        '[architectures.x]\ntitle = "X"\nparameters = [{ name = "a", formula = "1", unit = "", shard = "b" }]',
        "architectures.x.parameters[0].shard: 'b'; one of 'tensor', 'expert', 'replicated' is expected",
    ),
    "block": (
        '[architectures.x]\ntitle = "X"\nblocks = ["MPL"]',
        "x.blocks: 'MPL' is not a block; did you mean 'MLP'?",
    ),
    "flag": ("[architectures.x]\ntitle = 'X'\njoins = 1", "architectures.x.joins: 1; true or false is expected"),
    "code": ("[architectures.x]\ntitle = 'X'\nread = 'x'", "architectures.x.read: unknown"),
    "number for a list": ("accelerators = 5", "accelerators: 5; a list is expected"),
    "row": ("prices = [5]", "prices[0]: 5; a table is expected"),
    "number": ("[[optimizers]]\nname = 'x'\noptimizer_bytes = '5'", "optimizers[0]: "),
    "family": ("[families.x]\nclasses = 5", "families.x: architecture missing"),
}


@pytest.mark.parametrize(("text", "said"), WRONG.values(), ids=WRONG)
def test_a_table_that_is_no_record_is_refused(tmp_path, text, said):
    """With its place in the file; other models are counted as ever."""
    (tmp_path / "aft.toml").write_text(text, "utf-8")
    status, out, _ = run("plugins", "check", "--quick", tmp_path / "aft.toml")
    assert status == 1
    assert said in " ".join(out.split())
    sized = {"model_type": "gpt2", "n_layer": 12, "n_embd": 768}
    assert flopsheet.evaluate(sized, plugins=[tmp_path / "aft.toml"]).status == "ok"


def test_a_file_that_is_not_there_is_told():
    """As for modules."""
    with pytest.raises(UsageError, match=r"gone\.toml: not a plugin: a \.toml or \.py file"):
        load((), ("gone.toml",))


def test_every_list_has_a_hook():
    """Each list of a file is a hook of its name."""
    specs = vars(flopsheet.host.hookspecs)
    assert [name for name in LISTS if f"flopsheet_{name}" not in specs] == []


SAID = """\
about = "Broken"

[architectures.toy]
title = "Toy"
dimensions = [
  { name = "width", title = "Width", keys = ["hidden_size"] },
  { name = "depth", title = "Depth", default = 1 },
]
checks = { "1 if depth == 1 else width" = "Nothing" }

[[architectures.toy.linear]]
name = "mix"
weights = "width * width"
copies = "depth"
group = "mlp"

[[architectures.toy.parameters]]
name = "bias"
formula = "width"
unit = "parameters"

[families.toy]
values = { depth = 2 }

[questions.bill]
title = "What is the bill?"
about = "The cluster"

[[questions.bill.tables]]
name = "cases"
title = "Cluster"
lines = [
  { name = "bill", formula = "budget_cost * 2", unit = "USD" },
]

[[prices]]
accelerator = "h100-sxm"
low = 1
base = 2
high = 3
source = "Contract"
date = "2026-01-01"
"""
MISTAKES = {
    "no TOML": ("high = 3", "high = ", "Invalid value (at ", "high = "),
    "an unknown table": ("[[prices]]", "[[price]]", "price: unknown; did you mean 'prices'?", "[[price]]"),
    "an unknown key": ('group = "mlp"', 'gruop = "mlp"', "linear[0].gruop: unknown; did you mean 'group'?", "gruop"),
    "a number for a text": ('copies = "depth"', "copies = 2", "linear[0].copies: 2; a text is expected", "copies"),
    "a missing key": ('formula = "width"\n', "", "parameters[0]: formula missing", "[[architectures.toy.parameters]]"),
    "an unknown name": ('"width"\nunit', '"widht"\nunit', "unknown name 'widht'; did you mean 'width'?", '"bias"'),
    "an unknown name in a layer": ('"width * width"', '"widht"', "unknown name 'widht'; did you mean", '"mix"'),
    "an item of a list": ("default = 1", "default = []", "dimensions[1].default: []; ", "default = []"),
    "a word": ('"mlp"', '"mpl"', "linear[0].group: 'mpl'; did you mean 'mlp'?", '"mpl"'),
    "a kind": ("default = 1", 'kind = "int"', "dimensions[1].kind: 'int'; one of", 'kind = "int"'),
    "a check": ("depth ==", "dpeth ==", "names 'dpeth', which is unknown; did you mean 'depth'?", "checks"),
    "a value of a family": ("{ depth = 2 }", "{ detph = 2 }", "no such dimension; did you mean 'depth'?", "detph"),
    "a weight that cannot be": ('"width"\nunit', '"width / 7"\nunit', "which is impossible", '"bias"'),
    "a weight without a number": ('"width"\nunit', '"1 / (width - width)"\nunit', "divides by zero", '"bias"'),
    "a line of a question": ("budget_cost * 2", "budget_csot", "did you mean 'budget_cost'?", "budget_csot"),
    "a question": ('name = "cases"', "nmae = 3", "questions.bill.tables[0].nmae: unknown; did you mean", "nmae"),
    "a price": ("high = 3", "high = 1", "low, base and high above 0 and in rising order are expected", "accelerator ="),
}


@pytest.mark.parametrize("what", MISTAKES)
def test_a_mistake_is_told_with_file_and_line(what, tmp_path):
    """Whether the file cannot be read, a table is none, or a line is found wrong when a model is counted."""
    right, wrong, said, at = MISTAKES[what]
    file = tmp_path / "broken.toml"
    file.write_text(SAID.replace(right, wrong, 1), "utf-8")
    host = load_from(local_points([str(file)], ()))
    ask_everything(host)
    told = [failure.reason for failure in host.failures]
    told += cost(host, read_config(host, {"model_type": "toy", "hidden_size": 8})).problems
    line = 1 + file.read_text("utf-8").partition(at)[0].count("\n")
    assert any(said in reason and f"line {line}" in reason and "broken.toml" in reason for reason in told), told


def test_a_mistake_in_families_toml_is_told_with_its_line(tmp_path, monkeypatch):
    """Of a package of Python, whose tables are read when a config needs them."""
    (tmp_path / "flopsheet_bird").mkdir()
    (tmp_path / "flopsheet_bird" / "__init__.py").write_text(
        "from flopsheet import families_from, hookimpl\n"
        "flopsheet_families = hookimpl(lambda: families_from(__name__, 'dense'))\n",
        "utf-8",
    )
    table = '# Birds\n[bird]\nsource = "Nobody"\nvalues = { mlp_matrises = 3 }\n'
    (tmp_path / "flopsheet_bird" / "families.toml").write_text(table, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    (problem,) = flopsheet.evaluate({"model_type": "bird"}, plugins=[tmp_path / "flopsheet_bird"]).problems
    assert problem.endswith(
        "values.mlp_matrises: no such dimension; did you mean 'mlp_matrices'? (families.toml, line 4)"
    )

"""`flopsheet.testing.PluginSuite`: what a plugin's test file is, and that its tests can fail."""

import re
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest
from toy_plugins import toy

from flopsheet.errors import UsageError
from flopsheet.kit.checks import CHECKS
from flopsheet.testing import PluginSuite

EXAMPLE = Path(__file__).parent.parent / "examples" / "plugin"
CONFIG = "../examples/plugin/gmlp-small/config.json"


def gmlp(config, *, bias=True):
    """Return gMLP as a module of torch; each layer mixes tokens by a matrix over positions."""
    from torch import empty, nn  # noqa: PLC0415 - absent where torch is not installed

    d, d_ff, length = (config[key] for key in ("hidden_size", "intermediate_size", "max_position_embeddings"))

    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm, self.gate_norm = nn.LayerNorm(d), nn.LayerNorm(d_ff // 2)
            self.up, self.down = nn.Linear(d, d_ff, bias=bias), nn.Linear(d_ff // 2, d)
            self.weight, self.bias = nn.Parameter(empty(length, length)), nn.Parameter(empty(length))

        def forward(self, x):
            n = x.shape[1]
            left, right = self.up(self.norm(x)).chunk(2, -1)
            return x + self.down(left * (self.weight[None, :n, :n] @ self.gate_norm(right) + self.bias[:n, None]))

    class Gmlp(nn.Module):
        def __init__(self):
            super().__init__()
            self.table, self.norm = nn.Embedding(config["vocab_size"], d), nn.LayerNorm(d)
            self.layers = nn.Sequential(*(Layer() for _ in range(config["num_hidden_layers"])))

        def forward(self, ids):
            return self.norm(self.layers(self.table(ids))) @ self.table.weight.T

    return Gmlp()


class TestGmlp(PluginSuite):
    """The example of the docs, from its folder: checks, a published count, and a module of torch."""

    plugin = "../examples/plugin"
    configs = [CONFIG]
    published = {CONFIG: {"parameters": 47_940_608, "flops_forward": 55_431_921_664}}

    def torch_module(self, config):
        """Build it."""
        return gmlp(config)


def cases(suite):
    """Return the cases that pytest makes of a suite."""
    made = []
    metafunc = SimpleNamespace(fixturenames=["case"], parametrize=lambda _, cases, **__: made.extend(cases))
    suite().pytest_generate_tests(metafunc)
    return made


def test_cases_are_checks_counts_and_configs():
    """Slow checks where they are asked for; nothing is made that would be skipped."""
    quick = [("check", check.name) for check in CHECKS if not check.slow]
    assert cases(TestGmlp) == [*quick, ("published", CONFIG), ("torch", CONFIG)]

    class Slow(PluginSuite):
        plugin = "rwkv"
        slow = True

    assert cases(Slow) == [("check", check.name) for check in CHECKS]


def failing(suite, case):
    """Return what the failure of a case says."""
    with pytest.raises(pytest.fail.Exception) as caught:
        suite().test_plugin(case)
    return str(caught.value)


def test_a_published_count_that_differs_fails():
    """With both numbers."""

    class Wrong(TestGmlp):
        published = {CONFIG: {"parameters": 47_940_609}}

    assert failing(Wrong, ("published", CONFIG)) == f"{CONFIG}: parameters: 47,940,608 counted, 47,940,609 published"


def test_a_module_with_other_weights_fails():
    """Without the biases of twelve matrices; a line that is as large is a place to look at."""
    pytest.importorskip("torch")

    class Wrong(TestGmlp):
        def torch_module(self, config):
            return gmlp(config, bias=False)

    text = f"{CONFIG}: parameters: 47,940,608 counted, 47,903,744 torch"
    assert failing(Wrong, ("torch", CONFIG)) == f"{text}; the difference is as large as channels_up_bias or gate_norms"


def test_a_formula_that_forgets_the_batch_is_found(tmp_path):
    """It is right for one sequence, and torch counts twice as much for two."""
    pytest.importorskip("torch")
    text = (EXAMPLE / "flopsheet_gmlp.py").read_text("utf-8")
    file = tmp_path / "single_gmlp.py"
    file.write_text(text.replace('CORE = "2 * batch * pairs', 'CORE = "2 * pairs'), "utf-8")

    class Wrong(TestGmlp):
        plugin = file

    said = failing(Wrong, ("torch", CONFIG))
    assert f"{CONFIG}, batch 2, length 32: flops_forward_matmul: " in said
    assert "the difference is as large as spatial_flops" in said


def test_a_config_in_error_fails_with_its_problem(tmp_path):
    """Before a module is built of it."""
    pytest.importorskip("torch")
    (tmp_path / "config.json").write_text('{"model_type": "gmlp"}', "utf-8")
    said = failing(TestGmlp, ("torch", str(tmp_path / "config.json")))
    assert said.partition(": error: ")[2].startswith("n_layers is missing (in a config: 'num_hidden_layers'); ")


def test_a_finding_fails_its_check(tmp_path):
    """With where, what and what to do."""
    text = (EXAMPLE / "flopsheet_gmlp.py").read_text("utf-8")
    file = tmp_path / "unsourced_gmlp.py"
    file.write_text(re.sub(r'("First projection"), source=PAPER', r"\1", text), "utf-8")

    class Wrong(PluginSuite):
        plugin = file

    assert failing(Wrong, ("check", "told")).startswith("gmlp: line channels_up: it names no source; say source=…")


def test_a_module_in_memory_can_be_tested():
    """One that a test makes itself."""

    class Toys(PluginSuite):
        plugin = toy()

    assert Toys().subject().plugin.package == "module fake"


def test_a_folder_of_several_plugins_is_refused(tmp_path):
    """A suite tests one."""
    shutil.copy(EXAMPLE / "flopsheet_gmlp.py", tmp_path / "first_gmlp.py")
    (tmp_path / "second_gmlp.py").touch()
    points = "entry-points.flopsheet = { first = 'first_gmlp', second = 'second_gmlp' }"
    (tmp_path / "pyproject.toml").write_text(f"[project]\nname = 'two'\nversion = '1'\n{points}\n", "utf-8")

    class Both(PluginSuite):
        plugin = tmp_path

    with pytest.raises(UsageError, match="holds 2 plugins, first, second: give the file of one of them"):
        Both().subject()

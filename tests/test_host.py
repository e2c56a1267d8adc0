"""Plugins are found, asked and told apart."""

import tomllib
from collections import Counter
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import pytest
from toy_plugins import MATRIX, PRODUCT, RULE, TOY, VECTOR, WIDTH, Point, counted, other, plugin, toy

from flopsheet import (
    Architecture,
    Block,
    Dimension,
    Exporter,
    Family,
    Line,
    Optimizer,
    Price,
    Reader,
    WeightFormat,
    accelerators,
    hookimpl,
)
from flopsheet.accounting.blocks import activation_line
from flopsheet.configs.quantization_config import known_formats
from flopsheet.configs.readers import reader_of
from flopsheet.configs.reading import read_config
from flopsheet.errors import PluginError, UsageError
from flopsheet.export.exporters import formats_for
from flopsheet.host import hookspecs
from flopsheet.host.candidate import Plugin
from flopsheet.host.host import Failure
from flopsheet.host.loading import load, load_from
from flopsheet.planning.catalog import catalog
from flopsheet.planning.question import Question
from flopsheet.planning.registry import questions


def test_a_plugin_is_found_with_its_package_and_version():
    """Names come from the entry point, the rest from its package's metadata."""
    host = load_from([Point("toys", toy(), "toy-shop", "2.1")])
    assert host.plugins == [Plugin("toys", "toy-shop", "2.1")]
    assert host.failures == []
    assert str(host.provider("toy")) == "toys (toy-shop 2.1)"


def test_an_entry_point_without_a_package_still_loads():
    """Metadata may be missing altogether."""
    point = Point("toys", toy())
    point.dist = None
    assert load_from([point]).plugins == [Plugin("toys", "unknown package", "unknown version")]


def test_a_package_without_a_version_still_loads():
    """Metadata may be empty."""
    point = Point("toys", toy())
    point.dist.text = ""
    assert load_from([point]).plugins == [Plugin("toys", "unknown package", "unknown version")]


ASKED = Question("toys", "What do toys cost?", "Nothing")
PRICE = Price(accelerator="h100-sxm", low=1, base=2, high=3, source="Mine", date="2026-01-01")
BYTES = {"training_dtype_bytes": 2, "gradient_dtype_bytes": 2, "optimizer_bytes": 5}
OPTIMIZER = Optimizer(name="mine", title="Mine", about="", source="Mine", **BYTES)
READER = Reader(suffix=".mine", title="Mine", read=dict)
HOOKS = {
    "architectures": ([TOY], lambda host: host.architecture("toy").title == TOY.title),
    "families": ([Family("toy_2", "toy")], lambda host: host.family("toy_2").architecture == "toy"),
    "dimensions": (
        [Dimension("depth", "Depth", default=2)],
        lambda host: "depth" in [d.name for d in host.ledger("toy").dimensions],
    ),
    "parameters": ([MATRIX], lambda host: counted(host) == 9),
    "flops": ([PRODUCT], lambda host: "product" in host.ledger("toy").formulas),
    "memory": ([VECTOR], lambda host: "vector" in host.ledger("toy").formulas),
    "activations": (
        [activation_line("vector_kept", "width", "mlp", "Vector")],
        lambda host: "vector_kept" in host.training_ledger("toy").places,
    ),
    "block": (Block(parameters=(MATRIX._replace(name="more"),)), lambda host: counted(host) == 18),
    "rules": ([RULE], lambda host: host.rules("toy") == [RULE]),
    "questions": ([ASKED], lambda host: questions(host)["toys"] == ASKED),
    "accelerators": ([replace(accelerators()["h100-sxm"], name="mine")], lambda host: "mine" in catalog(host)),
    "prices": ([PRICE], lambda host: catalog(host)["h100-sxm"].price_base == 2),
    "optimizers": ([OPTIMIZER], lambda host: host.optimizers()["mine"] == OPTIMIZER),
    "weight_formats": (
        [WeightFormat(method="mine", bits="5", head="always", source="Mine")],
        lambda host: "mine" in {form.method for form in known_formats(host)},
    ),
    "exporters": (
        [Exporter(suffix=".mine", title="Mine", write=print)],
        lambda host: ".mine" in formats_for(host, [Path("plan.mine")]),
    ),
    "readers": ([READER], lambda host: reader_of(host, Path("plan.mine")) == READER),
}
"""Every hook with an answer, and what shows that the answer arrived."""


ELSEWHERE = {"accelerators", "prices", "optimizers", "scaling_laws"}
"""Hooks whose answers tests/test_plugin_hooks.py follows to where they are used."""


def test_every_hook_has_a_test():
    """A hook that is added here has no test until it stands in the table."""
    assert {f"flopsheet_{name}" for name in {*HOOKS, *ELSEWHERE}} == {
        name for name in vars(hookspecs) if name.startswith("flopsheet_")
    }


@pytest.mark.parametrize(("hook", "answer", "arrived"), [(h, *rest) for h, rest in HOOKS.items()], ids=HOOKS)
def test_each_hook_is_asked(hook, answer, arrived):
    """What a plugin returns from a hook reaches the host."""
    assert arrived(load_from([Point("toys", toy(**{hook: answer}))]))


def test_hooks_get_the_architecture():
    """A plugin for two architectures tells them apart by the hook's argument."""
    module = plugin(architectures=[TOY, Architecture("tiny", "Tiny", "Nothing", (WIDTH,))])
    module.flopsheet_parameters = hookimpl(
        lambda architecture: [MATRIX] if architecture.name == "toy" else [MATRIX, Line("more", "1", "parameters")]
    )
    host = load_from([Point("toys", module)])
    assert (counted(host), counted(host, "tiny")) == (9, 10)


def test_lines_are_asked_for_when_an_architecture_is_needed():
    """A start needs one architecture; the others' lines are not made for it."""
    asked = []
    late = other()
    late.flopsheet_parameters = hookimpl(lambda architecture: asked.append(architecture.name) or [MATRIX])
    host = load_from([Point("late", late), Point("toys", toy())])
    assert (counted(host), asked) == (9, [])
    assert [counted(host, "other") for _ in range(2)] == [9, 9]
    assert asked == ["other"]


def test_a_hook_is_asked_once_for_an_architecture():
    """Whatever is asked of it, so that a slow one is waited for once."""
    calls = Counter()

    def counting(hook, answer):
        return hookimpl(lambda: calls.update([hook]) or answer)

    module = toy()
    for hook, answer in {"block": Block(), "dimensions": [], "parameters": [MATRIX], "activations": []}.items():
        setattr(module, f"flopsheet_{hook}", counting(hook, answer))
    host = load_from([Point("toys", module)])
    for ask in (host.architecture, host.ledger, host.rules, host.architecture):
        ask("toy")
    with pytest.raises(PluginError):
        host.training_ledger("toy")
    assert calls == {"block": 1, "dimensions": 1, "parameters": 1, "activations": 1}


def test_an_architecture_may_get_its_dimensions_by_hook():
    """They stand with its own, and configs are read for them."""
    late = other(architectures=[Architecture("other", "Other", "Another matrix")], dimensions=[WIDTH])
    host = load_from([Point("late", late)])
    assert host.architecture("other").dimensions == (WIDTH,)
    assert read_config(host, {"model_type": "other", "hidden_size": 3}).given == {"width": 3}


class Unhashable:
    """A plugin object that cannot stand in a set."""

    __hash__ = None

    @hookimpl
    def flopsheet_architectures(self):
        """Describe nothing."""
        return []


def test_a_plugin_object_of_any_kind_loads_beside_others():
    """An entry point may name an object; one that cannot be hashed is a plugin like others."""
    host = load_from([Point("odd", Unhashable()), Point("toys", toy())])
    assert [plugin.name for plugin in host.plugins] == ["odd", "toys"]
    assert counted(host) == 9


def test_the_second_plugin_of_a_name_is_refused():
    """The first one stays and works; the reason names it."""
    host = load_from([Point("toys", toy(), "first"), Point("toys", other(), "second")])
    assert host.failures == [
        Failure(Plugin("toys", "second", "1.0"), "a plugin with this name is already loaded: toys (first 1.0)")
    ]
    assert host.tell(host.failures[0]).startswith("plugin toys (second 1.0) was refused: a plugin with this name")
    partly = Failure(host.plugins[0], "no\nlines")
    assert host.tell(partly) == "plugin toys (first 1.0) was only partly loaded: no lines"
    assert list(host.architectures) == ["toy"]
    assert counted(host) == 9


@pytest.mark.parametrize("count", [2, 3])
def test_a_model_type_of_several_plugins_is_refused_by_name(count):
    """Every claimant is named with its version, once, and keeps what is its own."""
    family = Family("shared", "other")
    extras = [Point(f"more{n}", plugin(families=[family, Family(f"own_{n}", "other")])) for n in range(1, count)]
    host = load_from([Point("others", other(families=[family])), *extras])
    named = " and ".join(str(plugin) for plugin in host.plugins)
    reason = f"model_type 'shared' is claimed by {named}: leave one out with --without"
    assert host.failures == [Failure(plugin, reason) for plugin in host.plugins]
    with pytest.raises(PluginError, match="leave one out with --without"):
        host.family("shared")
    assert host.family("own_1").architecture == "other"
    assert counted(host, "other") == 9


def test_an_architecture_of_two_plugins_is_refused_by_name():
    """Neither of the two wins, and a third plugin works on."""
    host = load_from([Point("one", toy()), Point("two", toy(families=[])), Point("three", other())])
    with pytest.raises(PluginError, match=r"'toy' is claimed by one \(package-one 1.0\) and two \(package-two 1.0\)"):
        host.architecture("toy")
    assert counted(host, "other") == 9


def test_a_contested_architecture_leaves_the_model_type_of_its_name_alone():
    """Architectures and model_types are names of different things."""
    host = load_from([Point("one", toy()), Point("two", toy(families=[]))])
    assert host.family("toy").architecture == "toy"


def test_a_plugin_that_fails_while_declaring_contests_nothing():
    """A claim counts only if its plugin could say all that it declares."""
    host = load_from([Point("bad", toy(families=RuntimeError("no"))), Point("toys", toy())])
    assert counted(host) == 9


def test_an_architecture_that_uses_itself_twice_stands_once():
    """A plugin that extends its own architecture is asked once for it."""
    host = load_from([Point("toys", toy(extends=("toy",)))])
    assert counted(host) == 9


def test_without_leaves_a_plugin_out():
    """A plugin that is left out is not even imported."""
    host = load_from([Point("bad", RuntimeError("imported")), Point("toys", toy())], without=("bad",))
    assert host.failures == []
    assert list(host.architectures) == ["toy"]


def test_without_a_name_that_nobody_has_is_a_usage_error():
    """A misspelled --without is told, since it would leave nothing out."""
    with pytest.raises(UsageError, match=r"--without dnese: no plugin has this name; did you mean .dense.\?"):
        load(("dnese",))


def test_an_unknown_model_type_is_told_with_a_suggestion():
    """The message names the nearest type and the way out."""
    host = load_from([Point("toys", toy())])
    with pytest.raises(PluginError, match=r"model_type 'toi' is not supported; did you mean 'toy'\? .*read_as"):
        host.family("toi")


def test_an_unknown_architecture_is_told_with_those_there_are():
    """Where nothing is near, the list stands."""
    with pytest.raises(PluginError, match="no plugin has an architecture 'zzz'; expected one of toy"):
        load_from([Point("toys", toy())]).architecture("zzz")
    with pytest.raises(PluginError, match=r"no plugin has an architecture .zzz.; none is loaded"):
        load_from([]).architecture("zzz")


def test_the_bundled_plugins_are_found_as_anybodys_are():
    """The entry points of the project, all loaded from one package, no failures."""
    project = tomllib.loads(Path(__file__).parent.parent.joinpath("pyproject.toml").read_text("utf-8"))["project"]
    host = load()
    bundled = [plugin for plugin in host.plugins if plugin.package == "flopsheet"]
    assert [plugin.name for plugin in bundled] == sorted(project["entry-points"]["flopsheet"])
    assert {plugin.version for plugin in bundled} == {version("flopsheet")}


@pytest.mark.parametrize("architecture", ["dense", "moe", "mamba1", "mamba2", "rwkv", "encdec"])
def test_each_bundled_architecture_has_every_kind_of_line(architecture):
    """Parameters, FLOP and memory all come from blocks, and every formula reads."""
    ledger = load().ledger(architecture)
    lines = [entry.section for entry in ledger.entries if entry.role == "line"]
    assert {"parameters", "flops", "memory"} <= set(lines)


def test_models_joined_to_an_architecture_that_failed_are_told_why():
    """Another plugin's parts can be joined to no lines that are wrong: every model of both says what was wrong."""
    broken = MATRIX._replace(formula="nothing_known")
    towers = Architecture("towers", "Towers", "Parts of others", (WIDTH,), joins=True)
    host = load_from([Point("bad", toy(parameters=[broken])), Point("towers", plugin(architectures=[towers]))])
    joined = host.join("toy", "towers")
    for name in ("toy", joined, joined):
        with pytest.raises(PluginError, match=r"^bad \(package-bad 1.0\): line matrix of toy"):
            host.ledger(name)

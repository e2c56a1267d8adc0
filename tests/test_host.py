"""Loading plugins: whatever one of them does, it is refused with its name, package and version, and the others work."""

import tomllib
from pathlib import Path
from types import ModuleType

import pytest

from flopsheet import Architecture, Dimension, Family, Line, Rule, hookimpl
from flopsheet.configs.reading import read_config
from flopsheet.errors import PluginError, UsageError
from flopsheet.host import hookspecs
from flopsheet.host.asking import Plugin
from flopsheet.host.host import Failure, load, load_from
from flopsheet.planning.costing import cost

WIDTH = Dimension("width", "Width", keys=("hidden_size",))
TOY = Architecture("toy", "Toy", "One matrix", (WIDTH,))
MATRIX = Line("matrix", "width * width", "parameters", "mlp")
PRODUCT = Line("product", "2 * batch * width * width", "FLOP", "mlp", work="linear")
VECTOR = Line("vector", "batch * width", "bytes", "state")
RULE = Rule("squared", "Width squared", "width * width", "parameters", "parameters", "Anybody")


class Distribution:
    """An installed package, as far as plugins need one."""

    def __init__(self, name, version):
        """Keep what the metadata says."""
        self.text = f"Metadata-Version: 2.4\nName: {name}\nVersion: {version}\n\nReadme: no field\n"

    def read_text(self, file):
        """Return the metadata file."""
        return self.text if file == "METADATA" else None


class Point:
    """An entry point that gives what it is told to, or raises it."""

    def __init__(self, name, plugin, package="", version="1.0"):
        """Keep the plugin."""
        self.name, self.plugin = name, plugin
        self.dist = Distribution(package or f"package-{name}", version)

    def load(self):
        """Import the plugin."""
        if isinstance(self.plugin, BaseException):
            raise self.plugin
        return self.plugin


def plugin(extends=(), **answers):
    """Return a plugin module that answers each hook, such as parameters=[…], or raises the answer."""
    module = ModuleType("fake")
    module.extends = extends
    for hook, answer in answers.items():
        setattr(module, f"flopsheet_{hook}", hookimpl(answering(answer)))
    return module


def answering(answer):
    """Return a hook that gives or raises the answer."""

    def hook():
        if isinstance(answer, BaseException):
            raise answer
        return answer

    return hook


def toy(**answers):
    """Return a good plugin, or one with other answers."""
    good = {"architectures": [TOY], "families": [Family("toy", "toy")], "parameters": [MATRIX], "flops": [PRODUCT]}
    return plugin(**good | answers)


def other(**answers):
    """Return a second plugin, with an architecture and a model_type of its own."""
    architecture = Architecture("other", "Other", "Another matrix", (WIDTH,))
    return toy(**{"architectures": [architecture], "families": [Family("other", "other")]} | answers)


def counted(host, architecture="toy"):
    """Return the parameters of an architecture three wide."""
    return host.ledger(architecture).evaluate({"width": 3, "weight_dtype_bytes": 2, **WORKLOAD})["parameters"]


WORKLOAD = {
    "max_positions": 0,
    "batch": 1,
    "recompute": 1,
    "seq_len": 4,
    "frozen_share": 0,
    "training_dtype_bytes": 2,
    "gradient_dtype_bytes": 2,
    "optimizer_bytes": 12,
}


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
    "rules": ([RULE], lambda host: host.rules("toy") == [RULE]),
}
"""Every hook with an answer, and what shows that the answer arrived."""


def test_every_hook_has_a_test():
    """A hook that is added here has no test until it stands in the table."""
    assert {f"flopsheet_{name}" for name in HOOKS} == {
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


class Unhashable:
    """A plugin object that cannot stand in a set."""

    __hash__ = None

    @hookimpl
    def flopsheet_architectures(self):
        """Describe nothing."""
        return []


def misspelt():
    """Return a plugin with a hook that does not exist."""
    return toy(paramters=[MATRIX])


BAD = {
    "import fails": (ImportError("no such module"), "ImportError: no such module"),
    "import exits": (SystemExit("good bye"), "SystemExit: good bye"),
    "unknown hook": (misspelt(), "PluginValidationError: unknown hook 'flopsheet_paramters' in plugin"),
    "unknown argument": (
        plugin(architectures=[TOY]),
        "Argument(s) {'config'} are declared in the hookimpl but can not be found in the hookspec",
    ),
    "hook raises": (other(families=RuntimeError("out of ideas")), "RuntimeError: out of ideas"),
    "wrong type of architecture": (plugin(architectures=["toy"]), "flopsheet_architectures gave 'toy'"),
    "no list": (plugin(architectures=TOY), "TypeError: 'Architecture' object is not iterable"),
    "extends nothing": (plugin(extends=("tyo",)), "no plugin has an architecture 'tyo'; did you mean 'toy'?"),
    "extends a text": (plugin(extends="tyo"), "no plugin has an architecture 'tyo'; did you mean 'toy'?"),
    "extends a number": (plugin(extends=3), "TypeError: 'int' object is not iterable"),
    "declares twice": (other(families=[Family("x", "toy")] * 2), "model_type 'x' is declared 2 times"),
}
BAD["unknown argument"][0].flopsheet_flops = hookimpl(lambda config: [])  # noqa: ARG005 - what pluggy must refuse


@pytest.mark.parametrize("place", ["before", "after"])
@pytest.mark.parametrize(("bad", "reason"), BAD.values(), ids=BAD)
def test_a_bad_plugin_is_refused_and_harms_no_other(bad, reason, place):
    """The reason is kept with plugin, package and version; nothing of the bad one stays; the good one counts."""
    points = [Point("bad", bad, "bad-package", "0.7"), Point("toys", toy())]
    host = load_from(points if place == "before" else reversed(points))
    (failure,) = host.failures
    assert failure.plugin == Plugin("bad", "bad-package", "0.7")
    assert reason in failure.reason
    assert [plugin.name for plugin in host.plugins] == ["toys"]
    assert (list(host.architectures), list(host.families)) == (["toy"], ["toy"])
    assert counted(host) == 9


BAD_LINES = {
    "raises": ({"flops": KeyError("width")}, "KeyError: 'width'"),
    "exits": ({"memory": SystemExit("good bye")}, "SystemExit: good bye"),
    "wrong type": ({"parameters": ["width * width"]}, "flopsheet_parameters gave 'width * width': Line is expected"),
    "no list": ({"parameters": MATRIX}, "flopsheet_parameters gave 'matrix': Line is expected"),
    "wrong unit": ({"flops": [MATRIX]}, "flopsheet_flops: line matrix has unit 'parameters'; 'FLOP' is expected"),
    "wrong dimension": ({"dimensions": ["width"]}, "flopsheet_dimensions gave 'width': Dimension is expected"),
}


@pytest.mark.parametrize(("answer", "reason"), BAD_LINES.values(), ids=BAD_LINES)
def test_a_bad_answer_for_an_architecture_refuses_it_when_it_is_needed(answer, reason):
    """The architecture is refused, each time alike; the failure is kept once; the plugin's others and others' count."""
    architectures = [Architecture("tiny", "Tiny", "Nothing", (WIDTH,)), Architecture("other", "Other", "", (WIDTH,))]
    bad = other(architectures=architectures)
    (hook,) = answer
    setattr(bad, f"flopsheet_{hook}", hookimpl(only_for("tiny", *answer.values())))
    host = load_from([Point("bad", bad, "bad-package", "0.7"), Point("toys", toy())])
    assert host.failures == []
    for ask in (host.ledger, host.architecture, host.provider, host.rules):
        with pytest.raises(PluginError) as caught:
            ask("tiny")
        assert str(caught.value).startswith("bad (bad-package 0.7): ")
        assert reason in str(caught.value)
    (failure,) = host.failures
    assert (failure.plugin.name, reason in failure.reason) == ("bad", True)
    assert list(host.every_ledger()) == ["other", "toy"]


def only_for(name, answer):
    """Return a hook that gives or raises the answer for one architecture, and nothing for others."""
    hook = answering(answer)
    return lambda architecture: hook() if architecture.name == name else []


@pytest.mark.parametrize(("answer", "reason"), BAD_LINES.values(), ids=BAD_LINES)
def test_an_extension_that_answers_badly_is_left_out(answer, reason):
    """The architecture counts without it, and the reason is kept."""
    host = load_from([Point("bad", plugin(extends=("toy",), **answer)), Point("toys", toy())])
    assert counted(host) == 9
    (failure,) = host.failures
    assert (failure.plugin.name, reason in failure.reason) == ("bad", True)


def test_lines_are_asked_for_when_an_architecture_is_needed():
    """A start needs one architecture; the others' lines are not made for it."""
    asked = []
    late = other()
    late.flopsheet_parameters = hookimpl(lambda architecture: asked.append(architecture.name) or [MATRIX])
    host = load_from([Point("late", late), Point("toys", toy())])
    assert (counted(host), asked) == (9, [])
    assert [counted(host, "other") for _ in range(2)] == [9, 9]
    assert asked == ["other"]


def test_an_architecture_may_get_its_dimensions_by_hook():
    """They stand with its own, and configs are read for them."""
    late = other(architectures=[Architecture("other", "Other", "Another matrix")], dimensions=[WIDTH])
    host = load_from([Point("late", late)])
    assert host.architecture("other").dimensions == (WIDTH,)
    assert read_config(host, {"model_type": "other", "hidden_size": 3}).given == {"width": 3}


def test_a_plugin_object_of_any_kind_loads_beside_others():
    """An entry point may name an object; one that cannot be hashed is a plugin like others."""
    host = load_from([Point("odd", Unhashable()), Point("toys", toy())])
    assert [plugin.name for plugin in host.plugins] == ["odd", "toys"]
    assert counted(host) == 9


def test_the_second_plugin_of_a_name_is_refused():
    """The first one stays and works; the reason names it."""
    host = load_from([Point("toys", toy(), "first"), Point("toys", other(), "second")])
    assert host.failures == [
        Failure(Plugin("toys", "second", "1.0"), "a plugin of this name is already there: toys (first 1.0)")
    ]
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


LORA = Line("lora", "2 * rank * width", "parameters", "other", source="Hu et al. 2106.09685")
RANK = Dimension("rank", "Rank", default=4)


@pytest.mark.parametrize("name", ["adapter", "zadapter"])
def test_an_extension_adds_lines_to_another_plugins_architecture(name):
    """It may load before its owner, and its dimensions and lines follow the owner's."""
    extension = plugin(extends=("toy",), dimensions=[RANK], parameters=[LORA])
    host = load_from(sorted([Point(name, extension), Point("toys", toy())], key=lambda point: point.name))
    assert host.failures == []
    ledger = host.ledger("toy")
    assert [dimension.name for dimension in ledger.architecture.dimensions] == ["width", "rank"]
    assert ledger.evaluate({"width": 3, "rank": 4, "weight_dtype_bytes": 2, **WORKLOAD})["parameters"] == 9 + 24


def test_an_extension_may_name_the_owners_lines():
    """Formulas of an extension use lines of the architecture that it extends."""
    extension = plugin(extends=("toy",), parameters=[Line("copy", "matrix * 2", "parameters", "mlp")])
    assert counted(load_from([Point("copies", extension), Point("toys", toy())])) == 27


def test_configs_are_read_for_the_dimensions_of_an_extension():
    """What its keys name is understood like what the owner's name."""
    rank = Dimension("rank", "Rank", keys=("lora_r",), default=4)
    host = load_from([Point("adapter", plugin(extends=("toy",), dimensions=[rank])), Point("toys", toy())])
    model = read_config(host, {"model_type": "toy", "hidden_size": 3, "lora_r": 8})
    assert (model.given, model.problems) == ({"width": 3, "rank": 8}, ())


SPOILING = {
    "name of another line": (LORA, Line("matrix", "1", "parameters"), "the name 'matrix' cannot be used"),
    "name of a total": (LORA, Line("parameters", "1", "parameters"), "the name 'parameters' cannot be used"),
    "name of a cell": (LORA, Line("bf16", "1", "parameters"), "Excel reads 'bf16' as a cell"),
    "bad formula": (LORA, Line("more", "rank ** 2", "parameters"), "rank ** 2\n     ^"),
    "unknown name": (LORA, Line("more", "2 * widht", "parameters"), "did you mean 'width'?"),
}


@pytest.mark.parametrize(("good", "bad", "reason"), SPOILING.values(), ids=SPOILING)
def test_an_extension_that_spoils_a_ledger_is_left_out(good, bad, reason):
    """Found when the ledger is first read: the extension is refused with its name, the architecture counts on."""
    spoiler = plugin(extends=("toy",), dimensions=[RANK], parameters=[good, bad])
    host = load_from([Point("spoiler", spoiler), Point("toys", toy())])
    assert counted(host) == 9
    (failure,) = host.failures
    assert failure.plugin.name == "spoiler"
    assert reason in failure.reason


def test_a_model_counted_without_an_extension_is_approximate():
    """Nobody takes a count for exact that lacks the lines of a plugin that failed."""
    spoiler = plugin(extends=("toy",), parameters=[Line("more", "2 * widht", "parameters")])
    host = load_from([Point("spoiler", spoiler), Point("toys", toy())])
    model = cost(host, read_config(host, {"model_type": "toy", "hidden_size": 3}))
    assert (model.status, model.numbers["parameters"]) == ("approximate", 9)
    (problem,) = model.problems
    assert problem.startswith("counted without the lines of spoiler (package-spoiler 1.0): ")


def test_a_good_extension_survives_a_bad_one():
    """Extensions are tried one at a time."""
    bad = plugin(extends=("toy",), parameters=[Line("matrix", "1", "parameters")], rules=[RULE])
    good = plugin(extends=("toy",), parameters=[Line("bias", "width", "parameters")])
    host = load_from([Point("bad", bad), Point("good", good), Point("toys", toy())])
    assert counted(host) == 12
    assert host.rules("toy") == []


def test_a_bad_line_of_the_owner_is_told_with_the_owner():
    """The architecture is refused, each time alike; the failure is kept once; others count."""
    bad = toy(parameters=[Line("matrix", "width * wdith", "parameters")])
    host = load_from([Point("others", other()), Point("toys", bad, "toy-shop", "2.1")])
    for _ in range(2):
        with pytest.raises(PluginError, match=r"(?s)toys \(toy-shop 2.1\): line matrix of toy:.*did you mean 'width'"):
            host.ledger("toy")
    assert [failure.plugin.name for failure in host.failures] == ["toys"]
    assert counted(host, "other") == 9


def test_a_bad_family_is_refused_alone():
    """Found when it is first asked for; the plugin's other types read, and the failure is kept once."""
    host = load_from(
        [Point("toys", toy(families=[Family("bad", "toy", table="[bad]\nclases = 3\n"), Family("toy", "toy")]))]
    )
    for _ in range(2):
        with pytest.raises(PluginError, match=r"toys \(package-toys 1.0\): families.toml: \[bad\]: .*clases"):
            host.family("bad")
    assert host.family("toy").architecture == "toy"
    assert [failure.plugin.name for failure in host.failures] == ["toys"]


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
    """A misspelt --without is told, since it would leave nothing out."""
    with pytest.raises(UsageError, match=r"--without dnese: no plugin has this name; did you mean .dense.\?"):
        load(("dnese",))


def test_an_unknown_model_type_is_told_with_a_suggestion():
    """The message names the nearest type and the way out."""
    host = load_from([Point("toys", toy())])
    with pytest.raises(
        PluginError, match=r"model_type 'toi' is supported by no plugin; did you mean 'toy'\? .*read_as"
    ):
        host.family("toi")


def test_an_unknown_architecture_is_told_with_those_there_are():
    """Where nothing is near, the list stands."""
    with pytest.raises(PluginError, match="no plugin has an architecture 'zzz'; there are toy"):
        load_from([Point("toys", toy())]).architecture("zzz")
    with pytest.raises(PluginError, match=r"no plugin has an architecture .zzz.; there are none"):
        load_from([]).architecture("zzz")


def test_the_bundled_plugins_are_found_as_anybodys_are():
    """The entry points of the project, all loaded from one package, no failures."""
    project = tomllib.loads(Path(__file__).parent.parent.joinpath("pyproject.toml").read_text("utf-8"))["project"]
    host = load()
    bundled = [plugin for plugin in host.plugins if plugin.package == "flopsheet"]
    assert [plugin.name for plugin in bundled] == sorted(project["entry-points"]["flopsheet"])
    assert {plugin.version for plugin in bundled} == {project["version"]}


@pytest.mark.parametrize("architecture", ["dense", "moe", "mamba1", "mamba2", "rwkv", "encdec"])
def test_each_bundled_architecture_has_every_kind_of_line(architecture):
    """Parameters, FLOP and memory all come from blocks, and every formula reads."""
    ledger = load().ledger(architecture)
    lines = [entry.section for entry in ledger.entries if entry.role == "line"]
    assert {"parameters", "flops", "memory"} <= set(lines)

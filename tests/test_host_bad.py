"""Whatever a plugin does, it is refused with its name, package and version, and the others work."""

import pytest
from faults import AT_IMPORT, DECLARING
from toy_plugins import MATRIX, WIDTH, Point, answering, counted, other, plugin, toy

from flopsheet import Architecture, Family, Line, hookimpl
from flopsheet.errors import PluginError
from flopsheet.host.candidate import Plugin
from flopsheet.host.loading import load_from

BAD = AT_IMPORT | DECLARING


@pytest.mark.parametrize("place", ["before", "after"])
@pytest.mark.parametrize(("bad", "reason"), BAD.values(), ids=BAD)
def test_a_bad_plugin_is_refused_and_harms_no_other(bad, reason, place):
    """The reason is kept with plugin, package and version; nothing of the bad one stays; the good one counts."""
    points = [Point("bad", bad, "bad-package", "0.7"), Point("others", other())]
    host = load_from(points if place == "before" else reversed(points))
    (failure,) = host.failures
    assert failure.plugin == Plugin("bad", "bad-package", "0.7")
    assert reason in failure.reason
    assert [plugin.name for plugin in host.plugins] == ["others"]
    assert (list(host.architectures), list(host.families)) == (["other"], ["other"])
    assert counted(host, "other") == 9


BAD_LINES = {
    "raises": ({"flops": KeyError("width")}, "KeyError: 'width'"),
    "exits": ({"memory": SystemExit("good bye")}, "SystemExit: good bye"),
    "wrong type": ({"parameters": ["width * width"]}, "flopsheet_parameters gave 'width * width': Line is expected"),
    "no list": ({"parameters": MATRIX}, "flopsheet_parameters gave a single Line: a list of Line is"),
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

"""Every kind of broken plugin: what is wrong is told with plugin, package and version, and everything else works."""

import json
import tomllib
from typing import Any, NamedTuple

import pytest
from faults import FAULTS, PACKAGE, RULES, VERSION
from planner import run
from toy_plugins import PRODUCT, WIDTH, Point, other, toy

from flopsheet import Architecture, Family, Reading, hookimpl
from flopsheet.host.shelter import shelter

BAD = f"bad ({PACKAGE} {VERSION})"


class Done(NamedTuple):
    """What commands said: the list of plugins, models by name as show and report have them, and stderr."""

    plugins: dict[str, Any]
    shown: dict[str, Any]
    reported: dict[str, Any]
    errors: str


@pytest.fixture(scope="module")
def configs(tmp_path_factory):
    """Return a folder with a config of the broken plugin's type and one of another's."""
    folder = tmp_path_factory.mktemp("configs")
    for kind in ("toy", "other"):
        (folder / kind).mkdir()
        (folder / kind / "config.json").write_text(json.dumps({"model_type": kind, "hidden_size": 3}), "utf-8")
    return folder


@pytest.fixture(scope="module")
def done(configs, tmp_path_factory):
    """Return what every command says where these plugins are installed: all of them end, and print what they should."""
    file = tmp_path_factory.mktemp("reports") / "report.toml"

    def commands(*points):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("flopsheet.host.loading._find_points", lambda _: list(points))
            return said_by_commands(configs, file)

    return commands


def said_by_commands(configs, file):
    """Return what help, list, show and report say."""
    assert run("--help")[0] == run("show", "--help")[0] == 0
    status, text, _ = run("plugins", "--json")
    assert status == 0
    plugins = json.loads(text)
    status, text, errors = run("show", configs, "--format", "json")
    assert status in (0, 1)
    shown = {model["name"]: model for model in json.loads(text)}
    assert run("report", configs, "-o", file)[0] in (0, 1)
    report = tomllib.loads(file.read_text("utf-8"))
    return Done(plugins, shown, {model["name"]: model for model in report["models"]}, errors)


@pytest.fixture(scope="module")
def sound(done):
    """Return what they say of the other plugin alone."""
    return done(Point("others", other()))


@pytest.mark.parametrize("name", FAULTS)
def test_a_broken_plugin_is_told_and_takes_nobody_down(name, done, sound):
    """Every command works and says why; its model is not ok, unless rules alone are broken; another's numbers stay."""
    bad, said = FAULTS[name]
    result = done(Point("bad", bad, PACKAGE, VERSION), Point("others", other()))
    told = [f"{one['name']} ({one['package']} {one['version']}): {one['reason']}" for one in result.plugins["failures"]]
    told += result.shown["toy"]["problems"]
    assert any(BAD in text and said in text for text in told), told
    assert [text for text in result.shown["toy"]["problems"] if text.count(BAD) > 1] == []
    assert (result.shown["toy"]["status"] == "ok") == (name in RULES)
    assert "\ufffd" not in result.errors
    assert result.shown["other"] == sound.shown["other"]
    assert result.reported["other"] == sound.reported["other"]


def test_an_entry_point_of_any_name_is_told_by_it(done):
    """Names are text of somebody else's."""
    result = done(Point("[red]=cmd()", toy(flops=[PRODUCT._replace(work="x")])), Point("others", other()))
    assert {failure["name"] for failure in result.plugins["failures"]} == {"[red]=cmd()"}


def printing(*_):
    """Say something where nothing should be said."""
    print("hello")  # noqa: T201 - what is tested
    return Reading({"width": 3}, {"hidden_size"})


def test_what_plugins_print_goes_to_stderr(done):
    """In a hook and in a reader; what commands print is still JSON."""
    bad = toy(architectures=[Architecture("toy", "Toy", "One matrix", (WIDTH,), read=printing)])
    bad.flopsheet_flops = hookimpl(lambda: printing() and [PRODUCT])
    result = done(Point("bad", bad), Point("others", other()))
    assert result.shown["toy"]["status"] == "ok"
    assert "hello" in result.errors


def test_ctrl_c_names_the_plugin_that_it_interrupts(capsys):
    """One that never comes back can be left out then."""

    def endless():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        shelter(endless, "read of bad (bad-package 0.7)")
    assert capsys.readouterr().err == "interrupted in read of bad (bad-package 0.7)\n"


@pytest.mark.parametrize("what", ["architecture", "model_type"])
def test_a_bundled_plugin_keeps_what_others_claim(what, done):
    """Its models count on; the other one's claim is refused by name."""
    bundled = Point("others", other(), "flopsheet")
    claim = other(families=[]) if what == "architecture" else toy(families=[Family("other", "toy")])
    result = done(Point("bad", claim, PACKAGE, VERSION), bundled)
    (failure,) = result.plugins["failures"]
    assert failure["package"] == PACKAGE
    assert failure["reason"] == (
        f"{what} 'other' is that of others (flopsheet 1.0), which keeps it: give yours another name"
    )
    assert result.shown["other"] == done(bundled).shown["other"]

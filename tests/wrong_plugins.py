"""Wrong plugins of every kind: none ends in a traceback, stops a report or changes an answer of others.

    python tests/wrong_plugins.py
    python tests/wrong_plugins.py --only "an exporter" --every 1 -v

Each is given to `flopsheet plugins check --quick`, to a report of somebody else's portfolio as workbook, TOML and CSV,
to a plan with a model of its type, and to what uses its own formats. It has to be found by the check, by more than is
said of the sound plugin that it is made of, or to be harmless; the answers of all other questions have to be those
without it. Exit status 1 where one of them does not hold.
"""

import argparse
import json
import os
import re
import sys
import time
import tomllib
import zipfile
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from unittest.mock import patch

from bad_questions import GOOD, made
from ran import MOST_SECONDS, Ran, command
from toy_plugins import Point, plugin, toy
from wrong import Wrong
from wrong_code import HEAD, SOUND
from wrong_kinds import WRONGS

from flopsheet.host import loading

PORTFOLIO = """\
name = "Ours"
[inputs]
accelerators = 1024
days = 90
[[models]]
name = "Ours"
architecture = "dense"
tokens = 1e12
dimensions = { n_layers = 32, d_model = 4096, n_heads = 32, d_ff = 14336, mlp_matrices = 3, vocab_size = 128256 }
"""
TOYS = '[[models]]\nname = "Toy"\nconfig = "toy/config.json"\ntokens = 1e9\n'
OUTPUTS = ("x.xlsx", "x.toml", "x.csv")
NAME, PACKAGE = "wrong", "wrong-package"


class Seen(NamedTuple):
    """What became of a wrong plugin: what is wrong with that, how it was found, and the seconds that it took."""

    faults: list[str]
    how: str
    said: str
    seconds: float


class Driver:
    """Drives plugins in a folder of its own; it knows what is said and answered without them."""

    def __init__(self, folder: Path) -> None:
        """Write the portfolios, and see what a report of them is without a wrong plugin."""
        self.folder = folder
        (folder / "toy").mkdir()
        (folder / "toy" / "config.json").write_text('{"model_type": "toy", "hidden_size": 3}', "utf-8")
        (folder / "portfolio.toml").write_text(PORTFOLIO, "utf-8")
        (folder / "toys.toml").write_text(PORTFOLIO + TOYS, "utf-8")
        (folder / "portfolio.own").write_text("name: Ours\n", "utf-8")
        self.at = 0
        self.sound: set[str] = set()
        self.installed = [one for one in loading._find_points(tuple(sys.path)) if one.name == "dense"]  # noqa: SLF001 - the
        # others make each check and report take seconds longer
        done, self.answers = self._reported([], alone=False)
        assert done.status == 0, done
        goods = Wrong("", toy()), Wrong("", plugin(questions=[made()])), Wrong("", GOOD, ".toml")
        for good in (*goods, Wrong("", HEAD + SOUND, ".py")):
            with self._given(good) as (target, _):
                self.sound |= self._findings(
                    command(["plugins", "check", "--quick", "--json", target], folder, alone=False)
                )

    @contextmanager
    def _given(self, wrong: Wrong):
        """Give the target of `check`, and the options with which a plan has the plugin."""
        self.at += 1
        if wrong.suffix:
            path = self.folder / f"{NAME}{self.at}{wrong.suffix}"
            path.write_text(wrong.plugin, "utf-8")
            relative = path.name if wrong.alone else str(path)
            with patch("flopsheet.host.loading._find_points", lambda _: self.installed):
                yield relative, ["--plugin", relative]
        else:
            results = [*self.installed, Point(NAME, wrong.plugin, PACKAGE)]
            with patch("flopsheet.host.loading._find_points", lambda _: results):
                yield NAME, []

    def _path(self, name: str, *, alone: bool) -> str:
        return name if alone else str(self.folder / name)

    def _reported(self, options: list[str], *, alone: bool) -> tuple[Ran, dict[str, Any]]:
        """Return how a report of the portfolio ended, and its answers; all outputs are new ones."""
        for output in OUTPUTS:
            (self.folder / output).unlink(missing_ok=True)
        outputs = [word for output in OUTPUTS for word in ("-o", self._path(output, alone=alone))]
        done = command(
            ["report", self._path("portfolio.toml", alone=alone), *options, *outputs], self.folder, alone=alone
        )
        toml = self.folder / "x.toml"
        document = tomllib.loads(toml.read_text("utf-8")) if toml.exists() else {}
        return done, {name: document.get(name) for name in ("answers", "models", "scenarios")}

    @staticmethod
    def _findings(done: Ran) -> set[str]:
        """Return what the check finds, numbers and the names of files aside."""
        if not done.out.startswith("["):
            return {done.errors} if done.status else set()
        results = [
            (check["name"], one)
            for plugin in json.loads(done.out)
            for check in plugin["checks"]
            for one in check["findings"]
        ]
        return {f"{name}: {json.dumps(one)}" for name, one in results}

    def drive(self, wrong: Wrong) -> Seen:
        """Return what became of a plugin."""
        start, faults = time.process_time(), []
        alone = wrong.alone
        with self._given(wrong) as (target, options):
            checked = command(["plugins", "check", "--quick", "--json", target], self.folder, alone=alone)
            results = sorted(self._findings(checked) - self.sound) if not checked.traceback else []
            done, answers = self._reported(options, alone=alone)
            toys = command(["plan", self._path("toys.toml", alone=alone), *options], self.folder, alone=alone)
            plan = command(["plan", self._path("portfolio.toml", alone=alone), *options], self.folder, alone=alone)
            ran = {"check": checked, "report": done, "plan": plan, "plan with its model": toys}
            ran["plugins"] = command(["plugins"], self.folder, alone=alone) if not wrong.suffix else plan
            if wrong.asks:
                path, asks = (
                    self._path("portfolio.toml", alone=alone),
                    [self._path(one, alone=alone) if "." in one else one for one in wrong.asks],
                )
                verb = "report" if "-o" in asks else "plan"
                second = ["-o", self._path("y.toml", alone=alone)] if verb == "report" else []
                (self.folder / "y.toml").unlink(missing_ok=True)
                ran["use"] = command([verb, path, *options, *asks, *second], self.folder, alone=alone)
                if second and not (self.folder / "y.toml").exists():
                    faults.append(f"its use stopped the other output: {ran['use'].errors[-300:]}")
            if wrong.document:
                ran["use"] = command(
                    ["plan", self._path(wrong.document, alone=alone), *options], self.folder, alone=alone
                )
        faults += [f"{what}: TRACEBACK {one.traceback}" for what, one in ran.items() if one.traceback]
        faults += [
            f"{what}: status {ran[what].status}: {ran[what].errors[-300:]}"
            for what in ("report", "plan", "plan with its model")
            if ran[what].status not in (0, 1) and not ran[what].traceback
        ]
        faults += [f"report: {output} is not written" for output in OUTPUTS if not (self.folder / output).exists()]
        faults += self._changed(answers, Path(target).stem if wrong.extends else "")
        faults += self._leaks()
        if not results and not wrong.harmless:
            faults.append(f"not found by the check: {checked.errors[-300:] or checked.out[:0]}")
        named = Path(target).stem in checked.out + checked.errors
        if results and not named:
            faults.append(f"the check does not name the plugin: {checked.errors[-300:]}")
        how = (
            f"found: {results[0][:200]}"
            if results
            else f"harmless: {wrong.harmless}"
            if wrong.harmless
            else "not found"
        )
        seconds = time.process_time() - start
        if seconds > MOST_SECONDS:
            faults.append(f"it took {seconds:.0f} s")
        return Seen(faults, how, done.errors, seconds)

    def _changed(self, answers: dict[str, Any], extension: str) -> list[str]:
        """Return the answers of others that differ from those without the plugin; models may name an extension."""
        if not answers["answers"]:
            return ["report: no answers"]
        results = [name for name, one in self.answers["answers"].items() if answers["answers"].get(name) != one]
        blamed = extension and all(extension in str(one["problems"]) for one in answers["models"])
        tables = ["scenarios", *([] if blamed else ["models"])]
        results += [name for name in tables if not _has(answers[name], self.answers[name])]
        return [f"changed: {name}" for name in results]

    def _leaks(self) -> list[str]:
        """Return the sheets of the report in which a text became a formula."""
        path = self.folder / "x.xlsx"
        if not path.exists():
            return []
        with zipfile.ZipFile(path) as book:
            parts = {name: book.read(name).decode() for name in book.namelist() if name.startswith("xl/worksheets/")}
        return [f"leak: {name}" for name, text in parts.items() if re.search(r"<f[^>]*>[^<]*leak\.example", text)]


def _has(found: Any, known: Any) -> bool:
    """Tell whether all that is known is there: tables may have more names."""
    if isinstance(known, dict) and isinstance(found, dict):
        return all(_has(found.get(name), value) for name, value in known.items())
    if isinstance(known, list) and isinstance(found, list):
        return len(known) == len(found) and all(map(_has, found, known))
    return bool(found == known)


def drive(names: list[str], say=lambda _: None) -> dict[str, Seen]:
    """Drive wrong plugins, one after the other, and return what became of each."""
    with TemporaryDirectory(prefix="flopsheet-wrongs-") as folder, patch.dict(os.environ, {"XDG_CONFIG_HOME": folder}):
        driver = Driver(Path(folder).resolve())
        result = {}
        for name in names:
            result[name] = driver.drive(WRONGS[name])
            say(f"{result[name].seconds:5.1f} s  {name}: {result[name].how}")
            for fault in result[name].faults:
                say(f"    FAULT {fault}")
        return result


def main() -> int:
    """Drive the plugins that the command line chooses, and print the counts by kind and what is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="those whose name or kind has this text")
    parser.add_argument("--every", type=int, default=1, help="every so many")
    parser.add_argument("-v", action="store_true", help="print each")
    asked = parser.parse_args()
    names = [name for name, one in WRONGS.items() if asked.only in name or asked.only == one.kind][:: asked.every]
    result = drive(names, lambda text: print(text, flush=True) if asked.v or "FAULT" in text else None)  # noqa: T201 - a script
    counts = Counter((WRONGS[name].kind, seen.how.partition(":")[0]) for name, seen in result.items())
    for (kind, how), number in sorted(counts.items()):
        print(f"{number:4} {kind}: {how}")  # noqa: T201 - a script
    wrong = [name for name, seen in result.items() if seen.faults]
    print(  # noqa: T201 - a script
        f"{len(result)} wrong plugins in {sum(seen.seconds for seen in result.values()):.0f} s,"
        f" {len(wrong)} with faults",
        *wrong,
        sep="\n",
    )
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())

"""Configs, portfolios, templates and model lists with random faults: flopsheet answers or refuses, and never breaks.

    python tests/fuzzing.py --seconds 60 --seed 1
    python tests/fuzzing.py templates --seconds 600

Half of the faults are in bytes (flipped, cut, repeated, joined from elsewhere), half in values: odd fields of configs,
parts of workbooks with broken numbers and names. A fault is an error that is none of flopsheet's own, or a
case that takes more than LIMIT seconds of processor time. Each case has a seed of its own, which is printed with it.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import time
import zipfile
from collections import Counter
from functools import cache
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

import mutating
from model_lists import FIELDS, LLAMA, dense
from samples import CONFIGS
from xlsx_templates import template

from flopsheet.configs.inputs import read_inputs
from flopsheet.errors import FlopsheetError
from flopsheet.export.workbook import write_workbook
from flopsheet.host.loading import load
from flopsheet.planning.costing import cost_all
from flopsheet.planning.making import make_plan
from flopsheet.planning.registry import input_checker
from livesheets.allow import WORDS

LIMIT = 20.0
"""Seconds of processor time that no case takes, on any machine."""
ODD = (
    b"-1",
    b"0",
    b"1e999",
    b"nan",
    b"9" * 30,
    b'""',
    b"A1:XFD1048577",
    b"\xff",
    b"[0]!x",
    b"null",
    b"true",
    b"\xe2\x80\x8b",
)
NUMBER = re.compile(rb'(?<==")[^"<>]{1,40}(?=")|(?<=>)[^<>]{1,40}(?=<)|\b[0-9]+\b')
LIST = f"name,{FIELDS}\n{LLAMA}\n={LLAMA}\n".encode()
TOML = "examples/portfolios/*.toml"


def broken(data: bytes, chance: random.Random) -> bytes:
    """Return bytes with one to four faults."""
    for _ in range(chance.randint(1, 4)):
        at, length = chance.randrange(len(data) + 1), chance.randint(0, 40)
        other = chance.randrange(len(data) + 1)
        data = chance.choice(
            (
                data[:at],
                data[:at] + data[at + length :],
                data[:at] + chance.randbytes(chance.randint(1, 4)) + data[at + 1 :],
                data[:at] + data[other : other + length] + data[at:],
                data[:at] + chance.choice(ODD) + data[at:],
            )
        )
    return data


def odd_values(data: bytes, chance: random.Random) -> bytes:
    """Return a text with one to three of its values odd."""
    for _ in range(chance.randint(1, 3)):
        places = list(NUMBER.finditer(data))
        if places:
            place = chance.choice(places)
            data = data[: place.start()] + chance.choice(ODD) + data[place.end() :]
    return data


def a_config(chance: random.Random) -> tuple[str, bytes]:
    """Return a config with odd fields, or with faults in its bytes."""
    data = chance.choice(sorted(CONFIGS.rglob("config.json"))).read_bytes()
    try:
        _, config = chance.choice(list(mutating.directed(json.loads(data))))
    except (ValueError, KeyError, AttributeError):  # one of the broken examples
        config = None
    return "config.json", broken(data, chance) if config is None or chance.random() < 0.5 else json.dumps(
        config
    ).encode()


def a_portfolio(chance: random.Random) -> tuple[str, bytes]:
    """Return a portfolio with odd values or broken bytes; its configs stay where they are."""
    path = chance.choice(sorted(CONFIGS.parent.parent.glob(TOML)))
    data = path.read_bytes().replace(b'"../configs', f'"{CONFIGS.as_posix()}'.encode())
    return "portfolio.toml", chance.choice((broken, odd_values))(data, chance)


def a_template(chance: random.Random) -> tuple[str, bytes]:
    """Return a template with faults in its parts, or in the bytes of its archive."""
    return "template.xlsx", a_workbook(_template(), chance)


def a_workbook(data: bytes, chance: random.Random) -> bytes:
    """Return a workbook with faults in one part, or in the bytes of its archive."""
    if chance.random() < 0.2:
        return broken(data, chance)
    out = BytesIO()
    with zipfile.ZipFile(BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        chosen = chance.choice(old.namelist())
        for info in old.infolist():
            part = old.read(info)
            new.writestr(info, chance.choice((broken, odd_values))(part, chance) if info.filename == chosen else part)
    return out.getvalue()


def a_list(chance: random.Random) -> tuple[str, bytes]:
    """Return a list of models, as a CSV file or a workbook, with broken bytes."""
    if chance.random() < 0.5:
        return "models.csv", broken(LIST, chance)
    return "models.xlsx", a_workbook(_list(), chance)


@cache
def _list() -> bytes:
    with TemporaryDirectory() as folder:
        return _timeless(dense(Path(folder)).read_bytes())


@cache
def _template() -> bytes:
    return _timeless(template())


def _timeless(data: bytes) -> bytes:
    """Return a workbook without the time at which it was made, so that a seed makes the same case again."""
    out = BytesIO()
    with zipfile.ZipFile(BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in sorted(old.namelist()):
            content = re.sub(rb"\d{4}-\d\d-\d\dT[\d:]+Z?", b"2026-01-31T00:00:00Z", old.read(name))
            new.writestr(zipfile.ZipInfo(name), content)
    return out.getvalue()


KINDS = {"configs": a_config, "portfolios": a_portfolio, "templates": a_template, "lists": a_list}


def tried(path: Path) -> str:
    """Read an input, plan with it or fill it, and return what came of it; only what is no FlopsheetError passes."""
    host = load()
    try:
        if path.stem == "template":
            models, portfolios = read_inputs(host, [str(CONFIGS / "gpt2-xl")])
        else:
            models, portfolios = read_inputs(host, [str(path)], check_inputs=input_checker(host))
        plan = make_plan(host, cost_all(host, models, {}), portfolios)
        if path.stem == "template":
            write_workbook(plan, path.with_name("filled.xlsx"), str(path), WORDS)
    except FlopsheetError:
        return "refused"
    return "done"


def faults(kinds: list[str], seconds: float, seed: int, say=print) -> list[str]:
    """Try cases of each kind for so long, and return the faults, each with the seed that makes it again."""
    result, seen, end, number = [], Counter(), time.monotonic() + seconds, 0
    with TemporaryDirectory(prefix="flopsheet-fuzzing-") as folder:
        while time.monotonic() < end or number < len(kinds):
            kind, case = kinds[number % len(kinds)], f"{seed}.{number}"
            name, data = KINDS[kind](random.Random(case))  # noqa: S311 - reproducible, no secret
            path = Path(folder) / name
            path.write_bytes(data)
            start = time.process_time()
            try:
                seen[kind, tried(path)] += 1
            except Exception as error:  # noqa: BLE001 - what a fault is
                result.append(f"{kind} {case}: {type(error).__name__}: {error}")
            if time.process_time() - start > LIMIT:
                result.append(f"{kind} {case}: {time.process_time() - start:.0f} s")
            number += 1
    say(f"seed {seed}: {number} cases; {', '.join(f'{kind} {what}: {n}' for (kind, what), n in sorted(seen.items()))}")
    return result


def main() -> int:
    """Try cases as the command line says, and print the faults."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", help=f"any of {', '.join(KINDS)}; all by default")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--case", help="one case again, such as 1.7: its bytes on stdout")
    asked = parser.parse_args()
    kinds = asked.kinds or list(KINDS)
    if asked.case:
        sys.stdout.buffer.write(KINDS[kinds[0]](random.Random(asked.case))[1])  # noqa: S311 - reproducible
        return 0
    result = faults(kinds, asked.seconds, asked.seed)
    print(*result, f"{len(result)} faults", sep="\n")
    return int(bool(result))


if __name__ == "__main__":
    sys.exit(main())

"""The text of a new portfolio: two models to replace, and every input with its default, commented out."""

from __future__ import annotations

import json
import textwrap
from typing import TYPE_CHECKING, Any

from flopsheet.configs.tuning import METHODS
from flopsheet.planning.listing import list_inputs
from flopsheet.planning.registry import heads

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from flopsheet.host.host import Host

WIDTH = 118
INPUTS = """\
[inputs]
accelerator = "h100-sxm"   # a name from the catalog; it brings peak, memory, power and price
accelerators = 1024
days = 90
tokens = 15e12"""
HEAD = """\
# A portfolio: which models to plan, and under which inputs. Paths are relative to this file.
#   flopsheet plan {file}.toml                   the answers on the terminal
#   flopsheet report {file}.toml -o plan.xlsx    the workbook

name = "{file}"
# questions = {questions}   # default: budget, and those whose inputs you set

{inputs}
report_date = "{day}"   # prices are as old as they are on this day; a check warns of those older than price_max_age

# One table [[models]] per model: a config file, or an architecture and its dimensions.
[[models]]
name = "A model on paper"
architecture = "dense"
tokens = 15e12   # its own number of training tokens
dimensions = {{ n_layers = 32, d_model = 4096, n_heads = 32, n_kv_heads = 8, d_ff = 14336, mlp_matrices = 3, \
vocab_size = 128256 }}

# [[models]]
# config = "path/to/config.json"

# [[models]]
# size = "400B-A30B"   # a standard shape of about this size, 30B of them active per token; "70B" for a dense model

# Every input with its default. An input with a range is {{ low, base, high }} in rising order, with source and date.
# To set one, take away its # and move it under [inputs] above.
"""


def new_portfolio(host: Host, name: str, day: str) -> str:
    """Return a portfolio that can be read as it is, with every input of every question explained.

    `day` is its report date, as ISO text.
    """
    rows = list_inputs(host)
    parts = [HEAD.format(file=name, day=day, inputs=INPUTS, questions=json.dumps(list(heads(host))))]
    heading = ""
    for row in rows:
        if row["section"] != heading:
            heading = row["section"]
            parts.append(f"\n# --- {row['question']}: {heading}\n")
        parts += _entry(row)
    return "".join(parts)


SHORT = """\
# flopsheet plan {file}.toml   answers on the terminal; flopsheet report {file}.toml -o plan.xlsx   the workbook

name = "{file}"
questions = {questions}

{inputs}
report_date = "{day}"
"""
TUNING = "finetuning"
METHODS_LINE = f"method = {json.dumps([*METHODS])}   # how it is tuned, a model of each\n"
FIRST = 24
"""Inputs that a short portfolio names, of all questions together."""


def short_portfolio(host: Host, name: str, day: str, names: Sequence[str], models: Sequence[str]) -> str:
    """Return the text of a portfolio that asks some questions of some models, with the first inputs of each question.

    A model is a standard size such as `70B`, or the path of a config.
    """
    rows = [row for row in list_inputs(host) if row["question"] in names]
    first = [row for ask in names for row in [row for row in rows if row["question"] == ask][: FIRST // len(names)]]
    parts = [SHORT.format(file=name, day=day, inputs=INPUTS, questions=json.dumps([*names]))]
    parts += [f"{_cut(row)}\n" for row in first]
    if len(first) < len(rows):
        listing = " ".join(["flopsheet inputs", *names[: len(names) == 1]])
        parts.append(f"# and {len(rows) - len(first)} more: {listing}\n")
    method = METHODS_LINE if TUNING in names else ""
    return "".join(parts) + "".join(f"{_model(model)}{method}" for model in models)


def _cut(row: Mapping[str, Any]) -> str:
    text = f"# {row['name']} = {_value(row)}   # {row['title']}"
    return f"{text} [{row['unit']}]" if row["unit"] and not row["labels"] else text


def _model(model: str) -> str:
    key = "config" if model.endswith((".json", ".toml")) or "/" in model else "size"
    return f"\n[[models]]\n{key} = {json.dumps(model)}\n"


def _entry(row: Mapping[str, Any]) -> Iterator[str]:
    text = ". ".join(part.rstrip(".") for part in (row["title"], row["about"]) if part)
    unit = f" [{row['unit']}]" if row["unit"] else ""
    for line in textwrap.wrap(f"{text}{unit}", WIDTH - 2):
        yield f"# {line}\n"
    yield f"# {row['name']} = {_value(row)}\n"


def _value(row: Mapping[str, Any]) -> str:
    if row["default"] is None or (isinstance(row["default"], str) and not row["labels"]):
        return f"…   # default: {row['default'] or 'none'}"
    if row["labels"]:
        return f"{json.dumps(row['default'])}   # one of {', '.join(row['labels'])}"
    if row["low"] != row["high"]:
        return f"{{ low = {row['low']}, base = {row['default']}, high = {row['high']} }}"
    return str(row["default"])

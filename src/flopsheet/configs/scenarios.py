"""Named scenarios of a portfolio: the plan with other inputs, as a case next to Low cost, Base and High cost."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

CASES = ("low", "base", "high")
"""The cases that every plan has."""
RESERVED = {*CASES, "low cost", "high cost", "live", "unit", "name", "status", "problems", "case"}
"""Names that reports and sheets give to something else, in lower case."""
NAME = re.compile(r"[^\W_][\w .+()&/%-]{0,38}[\w.+()%]|[^\W_]")
ABOUT, INPUTS = "about", "inputs"


class Scenario(Struct, frozen=True):
    """A named scenario: the Base case with other values of some inputs."""

    name: str
    about: str
    inputs: Mapping[str, Any]


def read_scenarios(
    document: Mapping[str, Any],
    workload: Collection[str],
    check_inputs: Callable[[str, Mapping[str, Any]], list[str]],
    problems: list[str],
) -> tuple[Scenario, ...]:
    """Return the named scenarios of a portfolio; of a report those that its portfolio had, without their results."""
    is_report = "schema" in document
    results = []
    for name, table in document.get("scenarios", {}).items():
        if is_report and (name in CASES or INPUTS not in table):
            continue
        where = f"scenarios.{name}"
        reason = _explain_name(name)
        if reason or not isinstance(table, Mapping):
            problems.append(f"{where}: {reason or 'a table of inputs is expected'}")
            continue
        about, inputs = table.get(ABOUT, ""), dict(table.get(INPUTS, {}))
        inputs |= {} if is_report else {key: value for key, value in table.items() if key not in (ABOUT, INPUTS)}
        problems += _wrong(where, inputs, workload, check_inputs)
        results.append(Scenario(name, str(about), inputs))
    return tuple(results)


def _explain_name(name: str) -> str:
    """Say why a scenario cannot have a name: sheets show it as a header and offer it in a list."""
    if name.casefold() in RESERVED:
        return f"{name!r} is a name that reports use already; choose another"
    if not NAME.fullmatch(name) or "  " in name:
        return "a name of at most 40 letters, digits, single spaces and . + - ( ) & / % is expected"
    return ""


def _wrong(
    where: str,
    inputs: Mapping[str, Any],
    workload: Collection[str],
    check_inputs: Callable[[str, Mapping[str, Any]], list[str]],
) -> list[str]:
    if not inputs:
        return [f"{where}: no input is given; without one it is the Base case"]
    ranges = [name for name, value in inputs.items() if isinstance(value, Mapping)]
    workload_names = [name for name in inputs if name in workload]
    wrong = [f"{where}.{name}: a scenario takes one value, not a range" for name in ranges]
    wrong += [
        f"{where}.{name}: it changes what a model counts, which scenarios share; list the model twice, each with its"
        f" own {name}"
        for name in workload_names
    ]
    single = {name: value for name, value in inputs.items() if name not in (*ranges, *workload_names)}
    return wrong + check_inputs(f"{where}.", single)

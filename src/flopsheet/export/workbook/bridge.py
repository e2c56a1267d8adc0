"""The sheet Bridge: from a rule of thumb to the exact number of one model, step by step, as a waterfall."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from flopsheet.accounting.data import read_table
from flopsheet.export.workbook.cells import unit_size
from flopsheet.export.workbook.list_fill import fill_list
from flopsheet.export.workbook.model_columns import Batch, shown_columns
from livesheets.excel import column, headers

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from flopsheet.accounting.ledger import Ledger
    from flopsheet.export.workbook.model_columns import Scales
    from flopsheet.planning.costed_model import Costed
    from flopsheet.planning.plan import Plan
    from livesheets import Formula, Row, TableFill, Value

PARAMETERS, TRAINING, STEPS = "bridge", "bridge_training", "bridge_steps"
BRIDGED = ("parameters", "training_flops")
"""The lines at which the two bridges end."""
_TABLE = read_table("flopsheet.export.workbook", "bridge.toml")
IN_THE_RULE: Mapping[str, int] = _TABLE["in_the_rule"]
READ: Mapping[str, Sequence[str]] = _TABLE["read"]


def choose_model(plan: Plan) -> int | None:
    """Return the number of the model that is shown as delivered; None without a costed model.

    It is the largest one of those with most steps, so that no place of the charts is without a bar.
    """
    pairs = zip(Batch(plan).numbers, plan.costed, strict=True)
    candidates = [(_steps_of(model), model.numbers["parameters"], -number) for number, model in pairs]
    return -max(candidates)[2] if candidates else None


def _steps_of(model: Costed) -> int:
    """Return how many steps the bridges of a model have that those of another may not have."""
    return _count_steps(model) + (model.numbers["parameters"] != model.numbers["parameters_active"])


def _count_steps(model: Costed) -> int:
    """Return how many groups are a step: their parameters are not what the rule counts for them."""
    numbers, subtotals = model.numbers, _subtotals(model.ledger) if model.ledger else {}
    layers, width = (sum([numbers.get(name, 0) for name in READ[what]]) for what in ("layers", "width"))
    in_rule = [(times * layers * width**2, subtotals.get(group, "")) for group, times in IN_THE_RULE.items()]
    steps = [rule_count != numbers.get(name, 0) for rule_count, name in in_rule]
    return sum(steps + [numbers[name] != 0 for group, name in subtotals.items() if group not in IN_THE_RULE])


@lru_cache(maxsize=64)
def _subtotals(ledger: Ledger) -> dict[str, str]:
    """Return the line that counts the parameters of each group; models of a kind share their ledger."""
    lines = (entry.line for entry in ledger.entries if (entry.section, entry.role) == ("parameters", "subtotal"))
    return {line.group: line.name for line in lines}


def bridge_names(plan: Plan, units: Scales) -> dict[str, Value | Formula]:
    """Return the number of the model that is shown, and what the axes of the charts say."""
    specs = [spec for spec in shown_columns(plan.program) if spec.name in BRIDGED and not spec.case]
    texts = {f"out_bridge_axis_{spec.name}": spec.header(units) for spec in specs}
    return {"in_bridge_model": choose_model(plan), **texts}


def steps_table(groups: Sequence[str], model_headers: Sequence[str]) -> TableFill:
    """Return every step from 12·L·d² to the parameters: what a group has, less what the rule has for it.

    `model_headers` are the columns of Models from the parameters to the last group.
    """
    span = model_headers[0], model_headers[-1]
    names = {"brought": column("models", *span), "brought_headers": headers("models", *span)}
    return fill_list(STEPS, ([at, *step] for at, step in enumerate(_steps(groups), start=1)), names)


def parameters_table(plan: Plan, unit: str) -> TableFill:
    """Return the steps that are not zero for the chosen model, as many as some model has; the bars are in `unit`."""
    most = 2 + max(map(_count_steps, plan.costed), default=len(IN_THE_RULE))  # the rule and the exact number, too
    return fill_list(PARAMETERS, ([at] for at in range(1, 1 + most)), {"unit": unit_size(unit)})


def _steps(groups: Sequence[str]) -> list[tuple[str, int, str, str]]:
    """Return the steps: title, how many L·d² of the rule each takes, the column of Models that it brings, and kind."""
    every, rule = dict.fromkeys((*IN_THE_RULE, *groups)), sum(IN_THE_RULE.values())
    steps = [(_title(name), -IN_THE_RULE.get(name, 0), name if name in groups else "", "step") for name in every]
    return [(f"{rule} · layers · width²", rule, "", "rule"), *steps, ("Parameters", 0, "parameters", "exact")]


def _title(group: str) -> str:
    titles: Mapping[str, str] = _TABLE["titles"]
    return titles.get(group, group.replace("_", " ").capitalize())


def training_table(plan: Plan, unit: str) -> TableFill:
    """Return the steps from 6·N·D to the training compute; the bars are in `unit`.

    Where no model has parameters that a token does not use, they are no step.
    """
    sparse = any(model.numbers["parameters"] != model.numbers["parameters_active"] for model in plan.costed)
    only_sparse = () if sparse else _TABLE["compute"]["only_sparse"]
    steps = (step for at, step in enumerate(_TABLE["compute"]["steps"]) if at not in only_sparse)
    rows: Iterable[Row] = ([at, title, *times, kind] for at, (kind, title, *times) in enumerate(steps, start=1))
    return fill_list(TRAINING, rows, {"unit": unit_size(unit)})

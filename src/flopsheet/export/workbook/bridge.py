"""The sheet Bridge: from a rule of thumb to the exact number of one model, step by step, as a waterfall."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from flopsheet.export.workbook.cells import unit_size
from flopsheet.export.workbook.list_fill import fill_list
from flopsheet.export.workbook.model_columns import Batch, shown_columns
from livesheets.excel import column, headers

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from flopsheet.accounting.ledger import Ledger
    from flopsheet.export.workbook.model_columns import Scales
    from flopsheet.planning.costed_model import Costed
    from flopsheet.planning.plan import Plan
    from livesheets import Formula, Row, TableFill, Value

PARAMETERS, TRAINING, STEPS = "bridge", "bridge_training", "bridge_steps"
BRIDGED = ("parameters", "training_flops")
"""The lines at which the two bridges end."""
IN_THE_RULE = {"attention": 4, "mlp": 8}
"""How many L·d² the rule has for a group: of its 12, 4 are the attention and 8 the MLP of GPT."""
RULE = sum(IN_THE_RULE.values())
TITLES = {
    "attention": "Shape of the attention",
    "mlp": "Shape of the MLP",
    "embedding": "Token embeddings",
    "positional": "Positions",
    "ssm": "State space",
    "conv": "Convolutions",
    "norm": "Norms",
    "lm_head": "Head",
}
"""Steps whose title is not the group's name."""
READ = {
    "flops_forward": ("flops_forward",),
    "flops_forward_linear": ("flops_forward_linear",),
    "layers": ("n_layers", "encoder_layers", "decoder_layers"),
    "width": ("d_model",),
}
"""The columns of Models that only the bridge reads: the sum of the dimensions and totals that a model has."""
UNUSED = "Parameters that a token does not use"
COMPUTE: tuple[tuple[str, str, tuple[int, ...]], ...] = (
    ("rule", "6 · parameters · tokens", (6, 0, 0, 0)),
    ("step", UNUSED, (-6, 6, 0, 0)),
    ("step", "Embedding, norm and reuse adjustments", (0, -6, 3, 0)),
    ("step", "Attention over the context, scans", (0, 0, -3, 3)),
    ("exact", "Training compute", (0, 0, 0, 3)),
)
"""Kind, title and how often each counts per step: three passes of 2 FLOP per parameter, or of the exact FLOP."""


MINUS = "\N{MINUS SIGN}"
"""Charts break a line after a hyphen."""


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
    every = dict.fromkeys((*IN_THE_RULE, *groups))
    steps = [(_title(name), -IN_THE_RULE.get(name, 0), name if name in groups else "", "step") for name in every]
    return [(f"{RULE} · layers · width²", RULE, "", "rule"), *steps, ("Parameters", 0, "parameters", "exact")]


def _title(group: str) -> str:
    return TITLES.get(group, group.replace("_", " ").capitalize())


def training_table(plan: Plan, unit: str) -> TableFill:
    """Return the steps from 6·N·D to the training compute; the bars are in `unit`.

    Where no model has parameters that a token does not use, they are no step.
    """
    sparse = any(model.numbers["parameters"] != model.numbers["parameters_active"] for model in plan.costed)
    steps = enumerate((step for step in COMPUTE if sparse or step[1] != UNUSED), start=1)
    rows: Iterable[Row] = ([at, title, *times, kind] for at, (kind, title, times) in steps)
    return fill_list(TRAINING, rows, {"unit": unit_size(unit)})

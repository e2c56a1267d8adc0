"""The sheet Bridge: from a rule of thumb to the exact number of one model, step by step, as a waterfall."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from flopsheet.accounting.values import plain
from flopsheet.export.workbook.cells import fixed, here
from flopsheet.export.workbook.models import LINKS, SHOWN
from flopsheet.export.workbook.units import divisor, size
from flopsheet.export.xlsx import Column, Formula, TableFill, Value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet.accounting.line import Number
    from flopsheet.export.workbook.models import Scales
    from flopsheet.planning.costing import Costed
    from flopsheet.planning.plan import Plan

PARAMETERS, TRAINING = "bridge", "bridge_training"
BRIDGED = ("parameters", "training_flops")
"""The lines at which the two bridges end."""
IN_THE_RULE = {"attention": 4, "mlp": 8}
"""How many L·d² the rule has for a group: of its 12, 4 are the attention and 8 the MLP of GPT."""
RULE = sum(IN_THE_RULE.values())
STEPS = {
    "attention": "Shape of the attention",
    "mlp": "Shape of the MLP",
    "embedding": "Token tables",
    "positional": "Positions",
    "ssm": "State space",
    "conv": "Convolutions",
    "norm": "Norms",
    "lm_head": "Head",
}
"""Steps whose title is not the group's name."""
QUANTITIES = ("parameters", "active", "linear", "forward")
"""What the steps to the training compute are made of: per parameter, and per FLOP of a token."""
COMPUTE: tuple[tuple[str, str, tuple[int, ...]], ...] = (
    ("rule", "6 · parameters · tokens", (6, 0, 0, 0)),
    ("step", "Parameters that a token does not use", (-6, 6, 0, 0)),
    ("step", "Tables, norms, biases less, what is used again more", (0, -6, 3, 0)),
    ("step", "Attention over the context, scans", (0, 0, -3, 3)),
    ("exact", "Training compute", (0, 0, 0, 3)),
)
"""Kind, title and how often each quantity counts, a step: three passes of 2 FLOP a parameter, or of the exact FLOP."""


MINUS = "\N{MINUS SIGN}"
"""Charts break a line after a hyphen."""


@dataclass(frozen=True)
class Chosen:
    """The model whose bridge is shown: its number, its place on Models, and its numbers."""

    number: int
    place: int
    name: str
    numbers: Mapping[str, Number]


def chosen(plan: Plan) -> Chosen | None:
    """Return the model that is shown as delivered, the largest; None without a costed model."""
    if not plan.costed:
        return None
    model = max(plan.costed, key=lambda found: found.numbers["parameters"])
    number = next(number for number, found in enumerate(plan.models, start=1) if found is model)
    place = next(place for place, found in enumerate(plan.costed, start=1) if found is model)
    numbers = model.numbers.as_dict() | plan.training(model, plan.scenario) | _shape(model)
    return Chosen(number, place, model.name, numbers)


def _shape(model: Costed) -> dict[str, Number]:
    return {name: sum(model.numbers.get(line, 0) for line in LINKS[name]) for name in ("layers", "width")}


def bridge_names(model: Chosen | None, units: Scales) -> dict[str, Value | Formula]:
    """Return the cells above the tables: the model's number, what its steps are made of, and what the charts show."""
    found = model.numbers if model else {}
    texts: dict[str, tuple[str, Value]] = {
        "row": ("IFERROR(MATCH(in_bridge_model,models[No],0),0)", model.place if model else 0),
        "model": (_found("Model", '""'), model.name if model else ""),
        "layers": (_found("layers"), found.get("layers", 0)),
        "width": (_found("width"), found.get("width", 0)),
        "ld2": ("out_bridge_layers*out_bridge_width*out_bridge_width", _ld2(found)),
        "tokens": (_found("training_tokens"), found.get("training_tokens", 0)),
        "parameters": (_found("parameters"), found.get("parameters", 0)),
        "active": (_found("parameters_active"), found.get("parameters_active", 0)),
        "forward": (_found("flops_per_token"), found.get("flops_per_token", 0)),
        "share": (_share(), _linear_share(found)),
        "linear": (
            "out_bridge_share*out_bridge_forward",
            _linear_share(found) * float(found.get("flops_per_token", 0)),
        ),
    }
    cells: dict[str, Value | Formula] = {"in_bridge_model": model.number if model else None}
    cells |= {f"out_bridge_axis_{s.line}": s.header(units) for s in SHOWN if s.line in BRIDGED}
    return cells | {f"out_bridge_{name}": Formula(text, value) for name, (text, value) in texts.items()}


def _found(column: str, otherwise: str = "0") -> str:
    return f"IF(out_bridge_row=0,{otherwise},INDEX(models[{column}],out_bridge_row))"


def _share() -> str:
    linear, whole = (f"INDEX(models[{name}],out_bridge_row)" for name in ("flops_forward_linear", "flops_forward"))
    return f"IF(out_bridge_row=0,0,{linear}/{whole})"


def _linear_share(found: Mapping[str, Number]) -> float:
    return float(found["flops_forward_linear"]) / float(found["flops_forward"]) if found else 0.0


def _ld2(found: Mapping[str, Number]) -> Number:
    return found["layers"] * found["width"] * found["width"] if found else 0


def parameters_table(model: Chosen | None, groups: Sequence[str], headers: Sequence[str], unit: str) -> TableFill:
    """Return the steps from 12·L·d² to the parameters: what a group has, less what the rule has for it.

    `headers` are the columns of Models from the parameters to the last group; the bars are in `unit`.
    """
    span = f"[{headers[0]}]:[{headers[-1]}]"
    mine = here(PARAMETERS, "Id")
    found = f"INDEX(models[{span}],out_bridge_row,{here(PARAMETERS, 'Column')})"
    columns = (
        *(Column(header) for header in ("Place", "Step", "Of the rule", "Id")),
        Column("Column", f'IF({mine}="",0,MATCH({mine},models[[#Headers],{span}],0))'),
        Column("Value", f"IF({here(PARAMETERS, 'Column')}*out_bridge_row=0,0,{found})"),
        Column("Amount", f"{here(PARAMETERS, 'Value')}+{here(PARAMETERS, 'Of the rule')}*out_bridge_ld2"),
        *_bars(PARAMETERS, unit),
    )
    steps = _steps(groups)
    numbers = model.numbers if model else {}
    values = [plain(numbers.get(_line(step.id), 0)) for step in steps]
    amounts = [value + step.times * plain(_ld2(numbers)) for step, value in zip(steps, values, strict=True)]
    bars = _heights([(step.kind, step.title) for step in steps], amounts, size(unit))
    rows: list[list[Value]] = [
        [place, step.title, step.times, step.id, headers.index(step.id) + 1 if step.id else 0, value, amount, *bar]
        for place, (step, value, amount, bar) in enumerate(zip(steps, values, amounts, bars, strict=True), start=1)
    ]
    return TableFill(rows, columns)


@dataclass(frozen=True)
class Step:
    """A step to the parameters: how many L·d² of the rule it takes, and the column of Models that it brings."""

    kind: str
    title: str
    times: int
    id: str


def _steps(groups: Sequence[str]) -> list[Step]:
    ordered = [*IN_THE_RULE, *(group for group in groups if group not in IN_THE_RULE)]
    steps = [
        Step("step", _title(group), -IN_THE_RULE.get(group, 0), group if group in groups else "") for group in ordered
    ]
    start = Step("rule", f"{RULE} · layers · width²", RULE, "")
    return [start, *steps, Step("exact", "Parameters", 0, "parameters")]


def _title(group: str) -> str:
    return STEPS.get(group, group.replace("_", " ").capitalize())


def _line(column: str) -> str:
    return column if column == "parameters" else f"sum_parameters_{column}"


def training_table(model: Chosen | None, unit: str) -> TableFill:
    """Return the steps from 6·N·D to the training compute; the bars are in `unit`."""
    names = [quantity.capitalize() for quantity in QUANTITIES]
    terms = "+".join(f"{here(TRAINING, name)}*out_bridge_{name.lower()}" for name in names)
    columns = (
        *(Column(header) for header in ("Place", "Step", *names)),
        Column("Amount", f"out_bridge_tokens*({terms})"),
        *_bars(TRAINING, unit),
    )
    quantities = _quantities(model)
    tokens = float(model.numbers["training_tokens"]) if model else 0.0
    amounts = [tokens * _product(times, quantities) for _, _, times in COMPUTE]
    bars = _heights([(kind, title) for kind, title, _ in COMPUTE], amounts, size(unit))
    return TableFill(
        [
            [place, title, *times, amount, *bar]
            for place, ((_, title, times), amount, bar) in enumerate(zip(COMPUTE, amounts, bars, strict=True), start=1)
        ],
        columns,
    )


def _quantities(model: Chosen | None) -> list[float]:
    if model is None:
        return [0.0] * len(QUANTITIES)
    found = {name: float(model.numbers[name]) for name in ("parameters", "parameters_active", "flops_per_token")}
    linear = _linear_share(model.numbers) * found["flops_per_token"]
    return [found["parameters"], found["parameters_active"], linear, found["flops_per_token"]]


def _product(times: Sequence[int], quantities: Sequence[float]) -> float:
    """Return the sum of products in the order in which the sheet adds them up."""
    total = 0.0
    for one, quantity in zip(times, quantities, strict=True):
        total += one * quantity
    return total


BARS = ("Base", "Whole", "More", "Less")
"""The stacked columns of a waterfall: what carries a step (not drawn), a whole number, a step up, a step down."""


def _bars(table: str, unit: str) -> list[Column]:
    """Return the columns that a waterfall is drawn from."""
    times = divisor(unit)
    amount, running = here(table, "Amount"), here(table, "Running")
    step = f'{here(table, "Kind")}="step"'
    before = f'SUMIFS({table}[Amount],{table}[Kind],"<>exact",{table}[Place],"<="&{here(table, "Place")})'
    texts = {
        "Base": f"IF({step},MIN({running},{running}-{amount})/{times},0)",
        "Whole": f"IF({step},0,{amount}/{times})",
        "More": f"IF({step},MAX({amount},0)/{times},0)",
        "Less": f"IF({step},MAX(-{amount},0)/{times},0)",
    }
    drawn = [Column(name, texts[name]) for name in BARS]
    sign = f'IF({step},MID("+{MINUS}",1+({amount}<0),1),"")'
    label = f'{here(table, "Step")}&": "&{sign}&FIXED(ABS({amount})/{times},2)'
    return [Column("Running", before), *drawn, Column("Kind"), Column("Label", label)]


def _label(kind: str, title: str, amount: float) -> str:
    """Return what stands under a bar: the step and how much it is, in the unit of the chart."""
    sign = "" if kind != "step" else MINUS if amount < 0 else "+"
    return f"{title}: {sign}{fixed(abs(amount), 2)}"


def _heights(steps: Sequence[tuple[str, str]], amounts: Sequence[float], divisor: float) -> list[list[Value]]:
    """Return what stands in the columns of the waterfall, a list a step."""
    rows: list[list[Value]] = []
    running: float = 0
    for (kind, title), amount in zip(steps, amounts, strict=True):
        label = _label(kind, title, amount / divisor)
        running += 0 if kind == "exact" else amount
        if kind == "step":
            base = min(running, running - amount)
            rows.append([running, base / divisor, 0, max(amount, 0) / divisor, max(-amount, 0) / divisor, kind, label])
        else:
            rows.append([running, 0, amount / divisor, 0, 0, kind, label])
    return rows

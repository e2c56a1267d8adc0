"""Subtotals and totals of a ledger's lines: made here, never typed by an author of lines."""

from __future__ import annotations

from functools import cache, reduce
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from flopsheet.accounting.formula.compose import minus, over, plus, times
from flopsheet.accounting.line import GROUPS, TOWERS, Line, variant_of, write_group
from flopsheet.accounting.masks import CONVENTIONS, masked_lines
from flopsheet.accounting.quantized_weights import FROZEN
from flopsheet.errors import PluginError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from flopsheet.accounting.line import Group
    from flopsheet.accounting.masks import Convention

Section = Literal["workload", "parameters", "flops", "memory", "planning"]
Role = Literal["line", "helper", "subtotal", "total"]
COUNTED_BY_HOST = "flopsheet: computed from the lines above"


class Entry(Struct, frozen=True):
    """A line's place in a ledger: the section it belongs to and what it is there."""

    line: Line
    section: Section
    role: Role


def subtotal_name(section: Section, group: Group) -> str:
    """Return the name of the subtotal of a group, such as `sum_parameters_attention`."""
    return f"sum_{section}_{group}"


def parameter_entries(lines: Sequence[Line]) -> list[Entry]:
    """Return the parameter section: lines and subtotals group by group, then the totals."""
    entries = _group_totals("parameters", lines, "parameters")
    shares = [line for line in lines if line.additive and line.active != "1"]
    active = [variant_of(line, "active", times(line.name, line.active), "active per token") for line in shares]
    entries += helpers("parameters", *active)
    one_token = _exchange_lines("parameters", {line.name.removesuffix("_active"): line for line in active})
    tables = [e.line.name for e in entries if e.role == "subtotal" and e.line.group in ("embedding", "positional")]
    about = "Token and position tables; a tied head is one of them, an untied head is not"
    return [
        *entries,
        *_trained_totals(lines),
        total("parameters_active", one_token, "parameters", "Parameters active per token", "parameters"),
        total("parameters_embedding", plus(*tables), "parameters", "Embedding parameters", "parameters", about),
    ]


def flop_entries(lines: Sequence[Line], tokens: str) -> list[Entry]:
    """Return the FLOP section; `tokens` is the formula of the tokens that a forward pass reads."""
    entries = _group_totals("flops", lines, "FLOP", "flops_forward")
    variants = masked_lines([entry.line for entry in entries if entry.role in ("line", "helper")])
    squares = variants[CONVENTIONS[0]]
    others = [line.name for line in lines if line.additive and line.work != "linear"]
    linear = minus("flops_forward", *others)
    cores = [squares.get(line.name, line).name for line in lines if line.work == "attention_core"]
    return [
        *entries,
        *helpers("flops", *(line for under in variants.values() for line in under.values())),
        total("flops_forward_linear", linear, "FLOP", "Forward FLOP of linear layers", "flops", _LINEAR),
        total(
            "flops_forward_matmul",
            plus("flops_forward_linear", *cores),
            "FLOP",
            "Forward FLOP of matrix products, full square",
            "flops",
            "What torch's FlopCounterMode counts with eager attention",
        ),
        *_conventions(variants),
        total("flops_per_token", over("flops_forward", tokens), "FLOP", "Forward FLOP per token", "flops"),
    ]


def _trained_totals(lines: Sequence[Line]) -> list[Entry]:
    """Return how many parameters training leaves as they are, and how many it changes."""
    towers = tower_subtotals("parameters", lines)
    more = [times(TOWERS_FROZEN, plus(*towers))] if towers else []
    frozen = plus(times("frozen_share", minus(but_adapters("parameters", lines), *towers)), *more)
    rest = "parameters - parameters_frozen"
    return [
        *helpers("parameters", host_line("parameters_frozen", frozen, "parameters", "Parameters frozen")),
        total("parameters_trained", rest, "parameters", "Parameters trained", "parameters"),
    ]


TOWERS_FROZEN = "max(frozen_share, towers_frozen)"
"""The share of the towers' weights that training leaves as they are."""


def but_adapters(section: Section, lines: Iterable[Line]) -> str:
    """Return the sum of what a frozen model has: all parameters, or FLOP of linear layers, but those of adapters."""
    whole = "flops_forward_linear" if section == "flops" else section
    has_adapters = any(line.group == "adapters" for line in lines)
    return minus(whole, subtotal_name(section, "adapters")) if has_adapters else whole


def memory_entries(lines: Sequence[Line]) -> list[Entry]:
    """Return the memory section: weights, caches and states, then what training adds."""
    weights = Line(
        "weights",
        "parameters * weight_dtype_bytes",
        "bytes",
        "weights",
        title="Weights",
        about="A tied head once",
        source="parameters × bytes of the weights' type",
    )
    savings = [line.name for line in lines if line.name == FROZEN]
    return [
        *_group_totals("memory", [weights, *lines], "bytes", "memory_bytes"),
        *helpers("memory", *(_read_by_step(line) for line in lines if line.decode)),
        total("weights_bytes", subtotal_name("memory", "weights"), "bytes", "Weights", "memory"),
        total("kv_cache_bytes", subtotal_or_zero("memory", lines, "kv_cache"), "bytes", "Key/value cache", "memory"),
        total(
            "state_bytes",
            subtotal_or_zero("memory", lines, "state"),
            "bytes",
            "Recurrent and convolution states",
            "memory",
        ),
        total("gradients_bytes", "parameters_trained * gradient_dtype_bytes", "bytes", "Gradients", "memory"),
        total(
            "optimizer_state_bytes", "parameters_trained * optimizer_bytes", "bytes", "Optimizer state", "memory", _ADAM
        ),
        total(
            "training_state_bytes",
            plus(times("parameters", "training_dtype_bytes"), *savings, "gradients_bytes", "optimizer_state_bytes"),
            "bytes",
            "Training state",
            "memory",
            "All weights, gradients and optimizer state of those that are trained, without activations",
        ),
    ]


OF_TORCH = "{}_torch"
"""The name of a helper line that says what torch's counter sees of a scan, by the name of the scan's own line."""
READ_BY_STEP = "_decode"
"""What names of lines end with that say what a decode step reads of a cache."""


def _read_by_step(line: Line) -> Line:
    if line.group != "kv_cache":
        what = f"line {line.name}: decode says what a step reads of a cache, and the line's group is {line.group}"
        raise PluginError(f"{what}; leave it out, or write group='kv_cache'", line.name)
    return variant_of(line, READ_BY_STEP.strip("_"), line.decode, "read by a decode step")


@cache
def total_names() -> tuple[str, ...]:
    """Return the totals that every ledger has."""
    entries = [*parameter_entries(()), *flop_entries((), "1"), *memory_entries(())]
    return tuple(entry.line.name for entry in entries if entry.role == "total")


_LINEAR = "Layers with one 2-D weight, routed experts as active"
_ADAM = "AdamW in mixed precision unless the bytes per parameter say otherwise"


def _group_totals(section: Section, lines: Sequence[Line], unit: str, whole: str = "") -> list[Entry]:
    entries = helpers(section, *(line for line in lines if not line.additive))
    line_groups = {line.group for line in lines if line.additive}
    groups = [group for group in GROUPS if group in line_groups] + sorted(line_groups - GROUPS.keys())
    for group in groups:
        members = [line for line in lines if line.additive and line.group == group]
        name, formula = subtotal_name(section, group), plus(*(line.name for line in members))
        subtotal = host_line(name, formula, unit, f"Σ {write_group(group)}", GROUPS.get(group, ""), group)
        entries += [*(Entry(line, section, "line") for line in members), Entry(subtotal, section, "subtotal")]
    name = whole or section
    formula = plus(*(subtotal_name(section, group) for group in groups))
    return [*entries, total(name, formula, unit, _TITLES[name], section)]


_TITLES = {
    "parameters": "Parameters",
    "flops_forward": "Forward FLOP",
    "memory_bytes": "Memory to serve: weights, caches and states",
}


def _exchange_lines(whole: str, changes: Mapping[str, Line]) -> str:
    """Return the formula of a total in which some lines are exchanged for others."""
    return reduce(lambda text, name: plus(minus(text, name), changes[name].name), changes, whole)


def _conventions(variants: Mapping[Convention, Mapping[str, Line]]) -> list[Entry]:
    """Return the forward FLOP under each convention, whichever mask the workload chose."""
    return [
        total(
            f"flops_forward_{convention.suffix}",
            _exchange_lines("flops_forward", under),
            "FLOP",
            f"Forward FLOP, {convention.suffix} mask",
            "flops",
            f"Attention over {convention.about}",
        )
        for convention, under in variants.items()
        if under
    ]


def total(name: str, formula: str, unit: str, title: str, section: Section, about: str = "") -> Entry:
    """Return a total of a ledger."""
    return Entry(host_line(name, formula, unit, title, about), section, "total")


def host_line(name: str, formula: str, unit: str, title: str, about: str = "", group: Group = "other") -> Line:
    """Return a helper line that is computed of the lines before it."""
    return Line(name, formula, unit, group, title, about, COUNTED_BY_HOST, additive=False)


def helpers(section: Section, *lines: Line) -> list[Entry]:
    """Return lines as helpers of a section."""
    return [Entry(line, section, "helper") for line in lines]


def tower_subtotals(section: Section, lines: Iterable[Line]) -> list[str]:
    """Return the names of the subtotals of towers, of which lines may have none."""
    groups = {line.group for line in lines}
    return [subtotal_name(section, group) for group in TOWERS if group in groups]


def subtotal_or_zero(section: Section, lines: Iterable[Line], group: Group) -> str:
    """Return the formula of what a group of lines comes to."""
    return subtotal_name(section, group) if any(line.additive and line.group == group for line in lines) else "0"

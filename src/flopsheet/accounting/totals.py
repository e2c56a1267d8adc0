"""Subtotals and totals of a ledger's lines: made here, never typed by an author of lines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple

from flopsheet.accounting.line import GROUPS, Line, spoken

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Section = Literal["workload", "parameters", "flops", "memory", "planning"]
Role = Literal["line", "helper", "subtotal", "total"]
COUNTED_BY_HOST = "flopsheet: made of the lines above"


class Entry(NamedTuple):
    """A line's place in a ledger: the section it belongs to and what it is there."""

    line: Line
    section: Section
    role: Role


def subtotal_name(section: Section, group: str) -> str:
    """Return the name of the subtotal of a group, such as `sum_parameters_attention`."""
    return f"sum_{section}_{group}"


def parameter_entries(lines: Sequence[Line]) -> list[Entry]:
    """Return the parameter section: lines and subtotals group by group, then the totals."""
    entries = _grouped("parameters", lines, "parameters")
    active = [_active(line) for line in lines if line.additive and line.active != "1"]
    entries += [Entry(line, "parameters", "helper") for line in active]
    parts = "".join(f" - {line.name.removesuffix('_active')} + {line.name}" for line in active)
    tables = [e.line.name for e in entries if e.role == "subtotal" and e.line.group in ("embedding", "positional")]
    about = "Tables of tokens and positions; a tied head once, an untied head not"
    return [
        *entries,
        *_trained(lines),
        total("parameters_active", f"parameters{parts}", "parameters", "Parameters active a token", "parameters"),
        total("parameters_embedding", sum_of(tables), "parameters", "Parameters in tables", "parameters", about),
    ]


def flop_entries(lines: Sequence[Line], tokens: str) -> list[Entry]:
    """Return the FLOP section; `tokens` is the formula of the tokens that a forward pass reads."""
    masked = [line for line in lines if line.full]
    squares = [_variant(line, "full", line.full, "full square") for line in masked]
    causal = [_variant(line, "causal", _causal(line.full), "causal pairs") for line in masked]
    others = "".join(f" - {line.name}" for line in lines if line.additive and line.work != "linear")
    cores = [f"{line.name}_full" if line.full else line.name for line in lines if line.work == "attention_core"]
    return [
        *_grouped("flops", lines, "FLOP", "flops_forward"),
        *(Entry(line, "flops", "helper") for line in (*squares, *causal)),
        total(
            "flops_forward_linear", f"flops_forward{others}", "FLOP", "Forward FLOP of linear layers", "flops", _LINEAR
        ),
        total(
            "flops_forward_matmul",
            sum_of(["flops_forward_linear", *cores]),
            "FLOP",
            "Forward FLOP of matrix products, full square",
            "flops",
            "What torch's FlopCounterMode counts with eager attention",
        ),
        *_conventions(masked),
        total("flops_per_token", f"flops_forward / ({tokens})", "FLOP", "Forward FLOP a token", "flops"),
    ]


def _trained(lines: Sequence[Line]) -> list[Entry]:
    """Return how many parameters training leaves as they are, and how many it changes."""
    frozen = Line(
        "parameters_frozen",
        f"frozen_share * ({but_adapters('parameters', lines)})",
        "parameters",
        title="Parameters frozen",
        source=COUNTED_BY_HOST,
        additive=False,
    )
    trained = "parameters - parameters_frozen"
    return [
        Entry(frozen, "parameters", "helper"),
        total("parameters_trained", trained, "parameters", "Parameters trained", "parameters"),
    ]


def but_adapters(section: Section, lines: Iterable[Line]) -> str:
    """Return the sum of what a frozen model has: all parameters, or FLOP of linear layers, but those of adapters."""
    whole = "flops_forward_linear" if section == "flops" else section
    tuned = any(line.group == "adapters" for line in lines)
    return f"{whole} - {subtotal_name(section, 'adapters')}" if tuned else whole


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
    return [
        *_grouped("memory", [weights, *lines], "bytes", "memory_bytes"),
        total("weights_bytes", subtotal_name("memory", "weights"), "bytes", "Weights", "memory"),
        total("kv_cache_bytes", _members(lines, "kv_cache"), "bytes", "Key/value cache", "memory"),
        total("state_bytes", _members(lines, "state"), "bytes", "Recurrent and convolution states", "memory"),
        total("gradients_bytes", "parameters_trained * gradient_dtype_bytes", "bytes", "Gradients", "memory"),
        total(
            "optimizer_state_bytes", "parameters_trained * optimizer_bytes", "bytes", "Optimizer state", "memory", _ADAM
        ),
        total(
            "training_state_bytes",
            "parameters * training_dtype_bytes + gradients_bytes + optimizer_state_bytes",
            "bytes",
            "Training state",
            "memory",
            "All weights, gradients and optimizer state of those that are trained, without activations",
        ),
    ]


_SQUARE = re.compile(r"\b([a-z_]+) \* \1\b")
_LINEAR = "Layers with one 2-D weight, routed experts as active"
_ADAM = "AdamW in mixed precision unless the bytes a parameter say otherwise"


def _grouped(section: Section, lines: Sequence[Line], unit: str, whole: str = "") -> list[Entry]:
    helpers = [Entry(line, section, "helper") for line in lines if not line.additive]
    entries: list[Entry] = []
    subtotals: list[str] = []
    for group in _groups(lines):
        members = [line for line in lines if line.additive and line.group == group]
        subtotal = Line(
            subtotal_name(section, group),
            sum_of([line.name for line in members]),
            unit,
            group,
            title=f"Σ {spoken(group)}",
            about=GROUPS.get(group, ""),
            source=COUNTED_BY_HOST,
            additive=False,
        )
        entries += [Entry(line, section, "line") for line in members]
        entries.append(Entry(subtotal, section, "subtotal"))
        subtotals.append(subtotal.name)
    name = whole or section
    return [*helpers, *entries, total(name, sum_of(subtotals), unit, _TITLES[name], section)]


_TITLES = {
    "parameters": "Parameters",
    "flops_forward": "Forward FLOP",
    "memory_bytes": "Memory to serve: weights, caches and states",
}


def _groups(lines: Iterable[Line]) -> list[str]:
    found = {line.group for line in lines if line.additive}
    return [group for group in GROUPS if group in found] + sorted(found - GROUPS.keys())


def _active(line: Line) -> Line:
    return Line(
        f"{line.name}_active",
        f"{line.name} * {line.active}" if _is_product(line.active) else f"{line.name} * ({line.active})",
        "parameters",
        line.group,
        title=f"{line.label}, active a token",
        source=line.source,
        additive=False,
    )


def _is_product(formula: str) -> bool:
    return not any(sign in formula for sign in ("+", "-", " if "))


def _variant(line: Line, suffix: str, text: str, title: str) -> Line:
    name, title = f"{line.name}_{suffix}", f"{line.label}, {title}"
    return Line(name, text, "FLOP", line.group, title=title, source=line.source, additive=False)


def _causal(full: str) -> str:
    """Return the formula of a full square with s(s+1)/2 pairs in place of s·s."""
    return _SQUARE.sub(r"\1 * (\1 + 1) / 2", full)


def _conventions(masked: Sequence[Line]) -> list[Entry]:
    """Return the forward FLOP under both mask conventions, whichever of them the workload chose."""
    texts = {"full": "every pair, as counters count", "causal": "pairs that a token may see, windows left out"}
    return [
        total(
            f"flops_forward_{suffix}",
            "flops_forward" + "".join(f" - {line.name} + {line.name}_{suffix}" for line in masked),
            "FLOP",
            f"Forward FLOP, {suffix} mask",
            "flops",
            f"Attention over {about}",
        )
        for suffix, about in texts.items()
        if masked
    ]


def total(name: str, formula: str, unit: str, title: str, section: Section, about: str = "") -> Entry:
    """Return a total of a ledger."""
    line = Line(name, formula, unit, title=title, about=about, source=COUNTED_BY_HOST, additive=False)
    return Entry(line, section, "total")


def _members(lines: Iterable[Line], group: str) -> str:
    return subtotal_name("memory", group) if any(x.additive and x.group == group for x in lines) else "0"


def sum_of(names: Sequence[str]) -> str:
    """Return the formula of a sum of lines."""
    return " + ".join(names) or "0"

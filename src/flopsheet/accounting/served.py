"""What only plans of serving ask of a model: prompts and decode steps as functions of lengths that the plan chooses.

A decode step's attention and the caches grow with the context, until windows and choices of tokens cap a part of them.
They are counted at four contexts, which give what is there from the start, the growth with all windows full, and how
much is capped where: exact for one window, and close to exact for several.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from flopsheet.accounting.formula.compose import minus, names, over, plus, substitute, times
from flopsheet.accounting.ledger import check_names
from flopsheet.accounting.line import TOWERS, Line
from flopsheet.accounting.totals import COUNTED_BY_HOST, Entry, Section, subtotal_name, total

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from flopsheet.accounting.ledger import Ledger

CONTEXT = "context"
START, SHORT, LONG, LONGEST = "0", "100", "1000000", "10000000"
"""Tokens: none, inside every window, and beyond every window."""
_PROMPT = "Without the head, attention cores and towers"


def with_serving(ledger: Ledger) -> Ledger:
    """Return a ledger with the totals that a plan of serving needs, each of one sequence or token."""
    deeper = replace(ledger, entries=(*ledger.entries, *_prompt(ledger), *_step(ledger), *_cache(ledger)))
    check_names(deeper)
    return deeper


def _prompt(ledger: Ledger) -> list[Entry]:
    """Return what a token of a prompt costs, and what comes once per prompt.

    An encoder-decoder's source is costed by its workload's length: its cores are part of what a token costs.
    """
    flops = [entry.line for entry in ledger.entries if entry.section == "flops" and entry.role == "line"]
    known = {entry.line.name for entry in ledger.entries}
    tokens, groups = ledger.architecture.tokens, {line.group for line in flops}
    cores = [line.name for line in flops if line.work == "attention_core" and f"{line.name}_full" in known]
    towers = [subtotal_name("flops", group) for group in TOWERS if group in groups]
    head = [subtotal_name("flops", "lm_head")] if "lm_head" in groups else []
    experts = subtotal_name("flops", "experts") if "experts" in groups else "0"
    two_sided = "target_len" in names(tokens)
    forward = minus("flops_forward", *head, *cores, *towers)
    each = over("flops_prefill", "batch * seq_len") if two_sided else over(forward, tokens)
    squares = "0" if two_sided else plus(*(f"{name}_full" for name in cores))
    return [
        _flops("prompt_token_flops", each, "FLOP of a prompt's token", _PROMPT),
        _flops("prompt_expert_flops", over(experts, tokens), "FLOP of a token in routed experts"),
        _flops("prompt_tower_flops", over(plus(*towers), "batch"), "FLOP of a prompt in towers"),
        _flops("prompt_pair_flops", over(squares, "batch * seq_len * seq_len"), "FLOP of a prompt's pair of tokens"),
    ]


def _step(ledger: Ledger) -> list[Entry]:
    """Return what a decode step costs at the four contexts, and what follows from that."""
    step = next(entry.line for entry in ledger.entries if entry.line.name == "flops_decode_step")
    lines = [entry.line for entry in ledger.entries if entry.line.name in names(step.formula)]
    return _grown("step", "flops", "FLOP", "FLOP of a decode step", lines, _meanings(ledger, lines))


def _cache(ledger: Ledger) -> list[Entry]:
    """Return the keys and values that a sequence keeps, in elements, and its states in bytes."""
    memory = [entry.line for entry in ledger.entries if entry.section == "memory" and entry.role == "line"]
    lines = [line for line in memory if line.group == "kv_cache"]
    meanings = {**_meanings(ledger, lines), "kv_dtype_bytes": "1"}
    states = over("state_bytes", "batch")
    return [
        *_grown("cache", "memory", "elements", "Cached keys and values", lines, meanings),
        total("state_bytes_per_sequence", states, "bytes", "States of a sequence", "memory"),
    ]


def _meanings(ledger: Ledger, lines: Iterable[Line]) -> dict[str, str]:
    """Return the helper lines that follow the context, as formulas of it, but those that are to be counted."""
    counted = {line.name for line in lines}
    found: dict[str, str] = {}
    for entry in ledger.entries:
        text = substitute(entry.line.formula, found)
        if entry.role == "helper" and entry.line.name not in counted and CONTEXT in names(text):
            found[entry.line.name] = text
    return found


def _grown(
    name: str, section: Section, unit: str, title: str, lines: Sequence[Line], meanings: Mapping[str, str]
) -> list[Entry]:
    """Return the sum of lines at four contexts as helpers, and its start, growth, capped part and cap."""
    texts = [substitute(line.formula, meanings) for line in lines]
    probes = [
        Line(
            f"{name}_at_{at}",
            over(plus(*(substitute(text, {CONTEXT: at}) for text in texts)), "batch"),
            unit,
            title=f"{title} at {int(at):,} tokens",
            source=COUNTED_BY_HOST,
            additive=False,
        )
        for at in (START, SHORT, LONG, LONGEST)
    ]
    start, short, long, longest = (probe.name for probe in probes)
    growth = over(minus(longest, long), f"({LONGEST} - {LONG})")
    capped = minus(long, start, times(LONG, f"{name}_per_token"))
    steeper = minus(over(f"({short} - {start})", SHORT), f"{name}_per_token")
    return [
        *(Entry(probe, section, "helper") for probe in probes),
        total(f"{name}_start", start, unit, f"{title}, without a context", section),
        total(f"{name}_per_token", growth, unit, f"{title}, per token of context", section, "With all windows full"),
        total(f"{name}_capped", capped, unit, f"{title}, of full windows", section),
        total(
            f"{name}_cap",
            f"{name}_capped / ({steeper}) if {name}_capped > 0 else 1",
            "tokens",
            f"{title}: tokens of a window",
            section,
            "1 without windows",
        ),
    ]


def _flops(name: str, text: str, title: str, about: str = "") -> Entry:
    return total(name, text, "FLOP", title, "flops", about)

"""Prefill and decode step: what serving costs, made from the same lines as the forward pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.accounting.formula.compose import is_multiple, minus, names, over, plus, substitute, times
from flopsheet.accounting.line import Line, variant_of
from flopsheet.accounting.totals import Entry, helpers, host_line, total
from flopsheet.accounting.workload import HELPERS, TOKENS
from flopsheet.errors import PluginError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

COUNTS = {"tokens": "Forward FLOP in proportion to tokens", "target_tokens": "Forward FLOP in proportion to the target"}
"""What most lines are a multiple of: at least 1 in every workload, so that lines can be scaled by it together."""

_PREFILL = "The forward pass, the head for each sequence's last token alone; of an encoder-decoder the source's part"
_STEP = "One new token for each sequence of the batch; with it, attention reads the tokens of the context"


def serving_entries(lines: Sequence[Line], decodes: str, continues: str = "0", tokens: Line = TOKENS) -> list[Entry]:
    """Return the totals of prefill and decode step, each after the helper lines that it needs.

    `decodes` is the architecture's formula of whether its models decode, `continues` that of whether a prefill reads
    the target too, `tokens` the line of that name. PluginError names a line that follows the length of a sequence in a
    way that says nothing about a decode step.
    """
    costly = [] if decodes == "0" else [line for line in lines if line.additive]
    lengths = _lengths([tokens, *HELPERS, *(line for line in lines if not line.additive)])
    return [*_prefill(costly, lengths, decodes, continues), *_step(costly, lengths, decodes)]


class _Lengths:
    """What is known of names that follow the length of a sequence.

    `meanings` is what a helper line is in a decode step, `unknown` the names of which nothing says that, `target` those
    that follow the target, and `bases` the count of tokens that a helper line is a multiple of.
    """

    def __init__(self) -> None:  # no dataclass: it would take as long to make as all lines of a ledger
        self.meanings: dict[str, str] = {}
        self.unknown = {"seq_len", "target_len"}
        self.target = {"target_len"}
        self.bases: dict[str, str] = {}

    def base_of(self, line: Line) -> str:
        """Return the count of tokens that a line is a multiple of beyond doubt, or nothing."""
        result = set(names(line.formula)) & (self.meanings.keys() | self.unknown)
        name = result.pop() if len(result) == 1 and not line.decode else ""
        return self.bases[name] if name in self.bases and is_multiple(line.formula, name) else ""


def _lengths(helpers: Iterable[Line]) -> _Lengths:
    lengths = _Lengths()
    for helper in helpers:
        name, reads = helper.name, set(names(helper.formula))
        base = name if name in COUNTS else lengths.base_of(helper)
        lengths.bases.update({name: base} if base else {})
        lengths.target.update({name} if reads & lengths.target else ())
        text = helper.decode or substitute(helper.formula, lengths.meanings)
        if not helper.decode and reads & lengths.unknown:
            lengths.unknown.add(name)
        elif text != helper.formula:
            lengths.meanings[name] = text
    return lengths


def _prefill(lines: Sequence[Line], lengths: _Lengths, decodes: str, continues: str) -> list[Entry]:
    """Leave out what follows the target, unless it is a prompt; run the head as often as a decode step does."""
    source = [line for line in lines if lengths.target.isdisjoint(names(line.formula))]
    if len(source) < len(lines) and continues != "0":
        return _continue_prefill(lines, source, lengths, decodes, continues)
    heads = [line for line in source if line.group == "lm_head" and len(source) == len(lines)]
    last = _last_tokens(heads, lengths)
    rest = _sum_among([line for line in source if line.group != "lm_head"] if heads else source, lines)
    return _prefill_lines(last, where(decodes, plus(rest, *(line.name for line in last))))


def _continue_prefill(
    lines: Sequence[Line], source: Sequence[Line], lengths: _Lengths, decodes: str, continues: str
) -> list[Entry]:
    """Return the prefill of an architecture whose target may be a prompt: a line of its own sums what follows it."""
    target = [line for line in lines if line not in source and line.group != "lm_head"]
    heads = [line for line in lines if line not in source and line.group == "lm_head"]
    last = _last_tokens(heads, lengths)
    title = "Forward FLOP of the target, without the head"
    whole = host_line("flops_of_target", plus(*(line.name for line in target)), "FLOP", title)
    prompt = times(continues, plus(whole.name, *(line.name for line in last)))
    rest = minus("flops_forward", whole.name, *(line.name for line in heads))
    return _prefill_lines([whole, *last], where(decodes, plus(rest, prompt)))


def _last_tokens(heads: Iterable[Line], lengths: _Lengths) -> list[Line]:
    return [variant_of(line, "prefill", _one_step(line, lengths), "last tokens") for line in heads]


def _prefill_lines(lines: Sequence[Line], text: str) -> list[Entry]:
    entry = total("flops_prefill", text, "FLOP", "FLOP of a prefill", "flops", _PREFILL)
    return [*helpers("flops", *lines), entry]


def _step(lines: Sequence[Line], lengths: _Lengths, decodes: str) -> list[Entry]:
    """Scale the multiples of a count of tokens together, and give each other line the formula of its step."""
    bases = {line.name: lengths.base_of(line) for line in lines}
    sums = {base: [line for line in lines if bases[line.name] == base] for base in COUNTS}
    follow = {
        base: host_line(f"flops_by_{base}", _sum_among(members, lines), "FLOP", COUNTS[base])
        for base, members in sums.items()
        if members
    }
    texts = [(line, _scale_line(line, base)) for base, line in follow.items()]
    texts += [(line, _one_step(line, lengths)) for line in lines if not bases[line.name] and line.decode != "0"]
    steps = [variant_of(line, "decode", where(decodes, text), "decode step") for line, text in texts]
    whole = plus(*(step.name for step in steps))
    return [
        *helpers("flops", *follow.values(), *steps),
        total("flops_decode_step", whole, "FLOP", "FLOP of a decode step", "flops", _STEP),
    ]


def _one_step(line: Line, lengths: _Lengths) -> str:
    """Return the formula of a line's decode step: scaled, or its own with what each helper line is there."""
    base, result = lengths.base_of(line), sorted(lengths.unknown.intersection(names(line.formula)))
    if base or line.decode:
        return line.decode or _scale_line(line, base)
    if result:
        raise PluginError(
            f"line {line.name}: nothing says what {', '.join(result)} is in a decode step; write tokens or pairs in its"
            " place, or give the line decode='…': the formula of one step, or '0' for what is paid once before it",
            line.name,
        )
    return substitute(line.formula, lengths.meanings)


def _scale_line(line: Line, base: str) -> str:
    return over(times(line.name, "batch"), base)


def _sum_among(members: Sequence[Line], lines: Sequence[Line]) -> str:
    """Return the sum of some lines, as the forward pass less the others where those are fewer."""
    among = {line.name: None for line in members}
    others = [line.name for line in lines if line.name not in among]
    return minus("flops_forward", *others) if len(others) < len(among) else plus(*among)


def where(decodes: str, text: str) -> str:
    """Return a formula that is 0 of models that write no tokens."""
    return text if decodes == "1" else times(decodes, text)

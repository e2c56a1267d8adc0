"""What only plans of serving ask of a model: prompts and decode steps as functions of lengths that the plan chooses.

A decode step's attention and the caches grow with the context, until windows and choices of tokens cap a part of them.
They are counted at four contexts, which give what is there from the start, the growth with all windows full, and how
much is capped where: exact for one window, and close to exact for several. A step of sparse attention reads the whole
cache as long as it may choose all of it, and from then on leaves out the more the longer the context is.

A model that writes no tokens has no step and no cache: each token of its input attends to all others, and its cores are
counted inside windows at four lengths of the input in the same way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from flopsheet.accounting.building import check_names
from flopsheet.accounting.formula.compose import call, minus, names, over, plus, settle, substitute, times
from flopsheet.accounting.line import TOWERS
from flopsheet.accounting.needed_lines import needed_lines
from flopsheet.accounting.serving import where
from flopsheet.accounting.tokens import own_tokens
from flopsheet.accounting.totals import READ_BY_STEP, Entry, Section, helpers, host_line, subtotal_name, total
from flopsheet.accounting.training_ledger import WINDOW
from flopsheet.accounting.workload import TOKENS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from flopsheet.accounting.ledger import Ledger
    from flopsheet.accounting.line import Line

CONTEXT, LENGTH = "context", "seq_len"
START, SHORT, LONG, LONGEST = "0", "100", "1000000", "10000000"
"""Tokens: none, inside every window, and beyond every window."""
ELEMENTS = "_elements"
CONTEXTS = (START, SHORT, LONG, LONGEST)
LENGTHS = ("10", LONG, LONGEST)
"""Tokens of an input: fewer than any window, and more."""
INSIDE = f"_{WINDOW.suffix}"
"""What the names of cores inside windows end with."""
TITLES = {
    "step": ("FLOP", "FLOP of a decode step"),
    "cache": ("elements", "Cached keys and values"),
    "cache_unread": ("elements", "Cached keys and values that a decode step leaves out"),
    "read": ("FLOP", "FLOP of an input's token in attention cores"),
}
_PROMPT = "Without the head, attention cores, towers and projectors"


def with_serving(ledger: Ledger) -> Ledger:
    """Return a ledger with the totals that a plan of serving needs, each of one sequence or token."""
    steps, caches = _step_lines(ledger), _cache_lines(ledger)
    reads = _read_lines(ledger, caches)
    lines = _helper_lines(ledger, [*steps, *caches, *reads.values()], CONTEXT)
    following = {CONTEXT, *(line.name for line in lines)}
    states = over("state_bytes", "batch")
    more = [
        *_prompt(ledger),
        *_reading(ledger),
        *helpers("workload", *(_at(line, at, following) for line in lines for at in CONTEXTS)),
        *_growth_lines("step", "flops", steps, following),
        *_growth_lines("cache", "memory", caches, following),
        *_unread(reads, following),
        total("state_bytes_per_sequence", states, "bytes", "States of a sequence", "memory"),
    ]
    deeper = replace(ledger, entries=(*ledger.entries, *more))
    check_names(deeper)
    return deeper


def _prompt(ledger: Ledger) -> list[Entry]:
    """Return what a token of a prompt costs, and what comes once per prompt.

    An encoder-decoder's source is costed by its workload's length: its cores are part of what a token costs.
    """
    flops = [entry.line for entry in ledger.entries if entry.section == "flops" and entry.role == "line"]
    line_names = {entry.line.name for entry in ledger.entries}
    tokens, groups = ledger.architecture.tokens, {line.group for line in flops}
    decodes, two_sided = _decodes(ledger), "target_len" in names(_own_tokens(ledger))
    cores = [line.name for line in flops if line.work == "attention_core" and f"{line.name}_full" in line_names]
    towers = [subtotal_name("flops", group) for group in (*TOWERS, "projector") if group in groups]
    streams = [entry.line.name for entry in ledger.entries if entry.line.kept == "input" and entry.line.group in TOWERS]
    head = [where(decodes, subtotal_name("flops", "lm_head"))] if "lm_head" in groups and decodes != "0" else []
    experts = subtotal_name("flops", "experts") if "experts" in groups else "0"
    forward = minus("flops_forward", *head, *cores, *towers)
    source = substitute("prefill if decodes else forward", {"prefill": "flops_prefill", "forward": "flops_forward"})
    whole = settle(substitute(source, {"decodes": decodes}))
    each = over(whole, "batch * seq_len") if two_sided else over(forward, tokens)
    squares = plus(*(f"{name}_full" for name in cores)) if cores and not two_sided else "0"
    pair = over(squares, "batch * seq_len * seq_len") if squares != "0" else "0"
    return [
        total(
            "decodes",
            decodes,
            "flag",
            "Writes tokens",
            "flops",
            "0: it reads its input in one pass and writes no tokens, as encoders do",
        ),
        _flops("prompt_token_flops", each, "FLOP of a prompt's token", _PROMPT),
        _flops("prompt_expert_flops", over(experts, tokens), "FLOP of a token in routed experts"),
        _flops("prompt_tower_flops", over(plus(*towers), "batch"), "FLOP of a prompt in towers and projectors"),
        total(
            "prompt_tower_stream",
            over(plus(*streams), "batch"),
            "elements",
            "Inputs of towers' layers, per prompt",
            "memory",
        ),
        _flops("prompt_pair_flops", pair, "FLOP of a prompt's pair of tokens"),
    ]


def _decodes(ledger: Ledger) -> str:
    """Return the formula of whether a model writes tokens: 1 or 0."""
    decodes = ledger.architecture.decodes
    return decodes if decodes in ("0", "1") else call("min", decodes, "1")


def _own_tokens(ledger: Ledger) -> str:
    helpers = [entry.line for entry in ledger.entries if entry.role == "helper" and entry.line.name != TOKENS.name]
    return own_tokens(ledger.architecture, helpers).formula


def _reading(ledger: Ledger) -> list[Entry]:
    """Return what a token of an input costs in cores where nothing is written, as a function of the input's length.

    0 where every model writes, where cores do not follow a length, and of an encoder-decoder's source: there they are
    part of what a token costs.
    """
    two_sided = "target_len" in names(_own_tokens(ledger))
    lines_by_name = {entry.line.name: entry.line for entry in ledger.entries}
    names_inside = [
        f"{entry.line.name}{INSIDE}"
        for entry in ledger.entries
        if entry.role == "line" and entry.line.work == "attention_core"
    ]
    inside = [lines_by_name[name] for name in names_inside if name in lines_by_name]
    cores = [] if two_sided or _decodes(ledger) == "1" else inside
    lines = [*_helper_lines(ledger, cores, LENGTH), *cores]
    following = {LENGTH, *(line.name for line in lines if line not in cores)}
    sums = [_sum_at("read", at, [f"{line.name}_at_{at}" for line in cores], times("batch", at)) for at in LENGTHS]
    variants = [_at(line, at, following, LENGTH) for line in lines for at in LENGTHS]
    return [*helpers("flops", *variants, *sums), *_read_growth()]


def _read_growth() -> list[Entry]:
    """Return what the sums at three lengths say: the growth, the part inside windows, and the tokens of a window."""
    title = TITLES["read"][1]
    short, long, longest = (f"read_at_{at}" for at in LENGTHS)
    growth = over(minus(longest, long), minus(LONGEST, LONG))
    window_part = minus(long, times(LONG, "read_per_token"))
    return [
        _flops("read_per_token", growth, f"{title}, per token of the input", "Beyond all windows; 0 where it writes"),
        _flops("read_capped", window_part, f"{title}, of full windows"),
        _window_tokens("read", over(short, LENGTHS[0]), "flops"),
    ]


def _step_lines(ledger: Ledger) -> list[Line]:
    """Return the lines whose sum is a decode step."""
    step = next(entry.line for entry in ledger.entries if entry.line.name == "flops_decode_step")
    return [entry.line for entry in ledger.entries if entry.line.name in names(step.formula)]


def _cache_lines(ledger: Ledger) -> list[Line]:
    """Return the lines of keys and values, in elements whatever their type."""
    memory = [entry.line for entry in ledger.entries if entry.section == "memory" and entry.role == "line"]
    return [_elements(line) for line in memory if line.group == "kv_cache"]


def _read_lines(ledger: Ledger, caches: Sequence[Line]) -> dict[str, Line]:
    """Return what a decode step reads, in elements, by the cache of which it does not read all."""
    memory = {entry.line.name: entry.line for entry in ledger.entries if entry.section == "memory"}
    steps = {cache.name: f"{cache.name.removesuffix(ELEMENTS)}{READ_BY_STEP}" for cache in caches}
    return {cache: _elements(memory[step]) for cache, step in steps.items() if step in memory}


def _elements(line: Line) -> Line:
    return line._replace(
        name=f"{line.name}{ELEMENTS}",
        formula=substitute(line.formula, {"kv_dtype_bytes": "1"}),
        title=f"{line.label}, elements",
        unit="elements",
        decode="",
        additive=False,
    )


def _helper_lines(ledger: Ledger, lines: Sequence[Line], length: str) -> list[Line]:
    """Return the helper lines that follow a length and that lines need."""
    own_names = {line.name for line in lines}
    result: dict[str, Line] = {}
    for entry in ledger.entries:
        line = entry.line
        if entry.role == "helper" and line.name not in own_names and {length, *result} & {*names(line.formula)}:
            result[line.name] = line
    return needed_lines(result.values(), (name for line in lines for name in names(line.formula)))


def _at(line: Line, at: str, following: set[str], length: str = CONTEXT) -> Line:
    """Return a line at one of the contexts or lengths, with whatever follows it there too."""
    there = {name: at if name == length else f"{name}_at_{at}" for name in following}
    return line._replace(
        name=f"{line.name}_at_{at}",
        formula=substitute(line.formula, there),
        title=f"{line.label}, at {int(at):,} tokens",
        decode="",
        additive=False,
    )


def _growth_lines(name: str, section: Section, lines: Sequence[Line], following: set[str]) -> list[Entry]:
    """Return the sum of lines at four contexts, and its start, growth, capped part and cap."""
    grow = [line for line in lines if following & {*names(line.formula)}]
    constant = [line for line in lines if line not in grow]
    sums = [
        _sum_at(name, at, [*(f"{line.name}_at_{at}" for line in grow), *(line.name for line in constant)])
        for at in CONTEXTS
    ]
    own = [line for line in constant if section == "memory"]
    variants = [_at(line, at, following) for line in grow for at in CONTEXTS]
    return [*helpers(section, *own, *variants, *sums), *_growth(name, section)]


def _sum_at(name: str, at: str, terms: Iterable[str], divisor: str = "batch") -> Line:
    """Return the line of a sum at one of the contexts or lengths."""
    unit, title = TITLES[name]
    return host_line(f"{name}_at_{at}", over(plus(*terms), divisor), unit, f"{title} at {int(at):,} tokens")


def _unread(reads: Mapping[str, Line], following: set[str]) -> list[Entry]:
    """Return how much less than the cache a step reads: per token, and from which context on."""
    far = (LONG, LONGEST)
    sums = [
        _sum_at(
            "cache_unread", at, [minus(f"{cache}_at_{at}", f"{line.name}_at_{at}") for cache, line in reads.items()]
        )
        for at in far
    ]
    each = over(minus(f"cache_unread_at_{LONGEST}", f"cache_unread_at_{LONG}"), minus(LONGEST, LONG))
    whole = substitute(
        "tokens - unread / each if each > 0 else 0",
        {"tokens": LONG, "unread": f"cache_unread_at_{LONG}", "each": "cache_unread_per_token"},
    )
    title = f"{TITLES['cache_unread'][1]}, per token of context"
    about = "0: a step reads the whole cache, whatever the context"
    return [
        *helpers("memory", *(_at(line, at, following) for line in reads.values() for at in far), *sums),
        total("cache_unread_per_token", each, "elements", title, "memory", about),
        total("cache_read_whole", whole, "tokens", "Context up to which a step reads the whole cache", "memory", about),
    ]


def _growth(name: str, section: Section) -> list[Entry]:
    """Return what the sums at four contexts say: start, growth, capped part, and the tokens at which it is capped."""
    unit, title = TITLES[name]
    start, short, long, longest = (f"{name}_at_{at}" for at in CONTEXTS)
    growth = over(minus(longest, long), minus(LONGEST, LONG))
    window_part = minus(long, start, times(LONG, f"{name}_per_token"))
    return [
        total(f"{name}_start", start, unit, f"{title}, without a context", section),
        total(f"{name}_per_token", growth, unit, f"{title}, per token of context", section, "With all windows full"),
        total(f"{name}_capped", window_part, unit, f"{title}, of full windows", section),
        _window_tokens(name, over(minus(short, start), SHORT), section),
    ]


def _window_tokens(name: str, each: str, section: Section) -> Entry:
    """Return at how many tokens growth is capped, of what `each` token adds inside all windows."""
    cap = over(f"{name}_capped", minus(each, f"{name}_per_token"))
    text = substitute("cap if capped > 0 else 1", {"cap": cap, "capped": f"{name}_capped"})
    return total(f"{name}_cap", text, "tokens", f"{TITLES[name][1]}: tokens of a window", section, "1 without windows")


def _flops(name: str, text: str, title: str, about: str = "") -> Entry:
    return total(name, text, "FLOP", title, "flops", about)

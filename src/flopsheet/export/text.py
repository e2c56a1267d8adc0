"""A costed model as a page of plain text: what it is, what it costs, and the formula behind every number."""

from __future__ import annotations

import textwrap
import unicodedata
from typing import TYPE_CHECKING, Any

from flopsheet.accounting import formula
from flopsheet.accounting.line import GROUPS
from flopsheet.accounting.values import plain
from flopsheet.accounting.workload import MAX_POSITIONS, TOKENS, WORKLOAD
from flopsheet.export.files import shown_path
from flopsheet.units.numbers import decimal_bytes, digits, human

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from flopsheet.accounting.line import Group
    from flopsheet.accounting.totals import Entry, Section
    from flopsheet.planning.costed_model import Costed

WIDTH = 100
MAX_CHARACTERS = 1000
"""Characters shown of one text; what is longer is cut."""
MARKS = {"ok": "✓ ok", "approximate": "≈ approximate", "error": "✗ error"}
TITLES: Mapping[Section, str] = {"parameters": "Parameters", "flops": "Forward FLOP", "memory": "Memory"}
MASKS = {"full": "every query-key pair", "causal": "pairs that a token may see", "window": "pairs inside windows"}
TOTALS: Mapping[Section, tuple[str, str]] = {
    "parameters": ("parameters", "parameters"),
    "flops": ("flops_forward", "FLOP"),
    "memory": ("memory_bytes", "bytes"),
}
OTHERS = {"flops_forward_full": "over the full square", "flops_forward_causal": "over causal pairs"}
TIMES = "\u00d7"
LEAST_SHARE = 0.001
MAX_ROWS = 3


def as_text(model: Costed) -> str:
    """Return the page that `flopsheet show` prints for one model, at most 100 columns wide."""
    parts = [_head(model), _list("Problems", "!", map(one_line, model.problems)), _list("Notes", "·", model.notes)]
    if model.ledger:
        parts += [_dimensions(model), _totals(model), *(_section(model, section) for section in TITLES)]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def clean(text: str) -> str:
    """Return a text without what a terminal would obey: control characters, line ends, lone surrogates."""
    return "".join("�" if unicodedata.category(sign) in ("Cc", "Cs", "Cf") else sign for sign in text)


def one_line(text: str) -> str:
    """Return a text of several lines as one."""
    return " ".join(text.split())


def cut(text: str, most: int) -> str:
    """Return a text of at most `most` characters; an ellipsis stands for what is left out."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _head(model: Costed) -> list[str]:
    name, mark = _narrow(clean(model.name), WIDTH - 20), MARKS[model.status]
    lines = [name + mark.rjust(WIDTH - columns(name)), "═" * WIDTH]
    if model.plugin and model.ledger:
        plugin = model.plugin
        kind = f"{model.ledger.architecture.title} ({model.model.architecture})"
        text = f"{kind}, counted by plugin {plugin.name} of {plugin.package} {plugin.version}"
        lines += textwrap.wrap(_text(text), WIDTH, subsequent_indent="  ", break_on_hyphens=False)
    if model.model.source:
        lines += textwrap.wrap(_text(f"from {shown_path(model.model.source)}"), WIDTH, subsequent_indent="  ")
    return lines + _ties(model)


def _ties(model: Costed) -> list[str]:
    """Say how the count compares with what the checkpoint stores and the publisher says."""
    lines = []
    for what, count in (("stored", model.model.stored), ("published", model.model.published)):
        if count and model.ledger:
            gap = int(model.numbers["parameters"]) - count.parameters
            sentence = "exactly as counted" if not gap else f"counted {gap:+,}"
            text = f"{what}: {digits(count.parameters)} parameters, {sentence} ({count.source or 'no source'})"
            lines += textwrap.wrap(_text(text), WIDTH, subsequent_indent="  ")
    return lines


def _list(title: str, mark: str, texts: Iterable[str]) -> list[str]:
    wrapper = textwrap.TextWrapper(WIDTH, initial_indent=f"  {mark} ", subsequent_indent="    ")
    lines = [line for text in texts for line in wrapper.wrap(_text(text))]
    return [title, *lines] if lines else []


def _dimensions(model: Costed) -> list[str]:
    """Show the dimensions that are not 0, the model's own before the workload's, in columns."""
    workload = {dimension.name for dimension in (*WORKLOAD, MAX_POSITIONS)}
    values = {name: value for name, value in model.dimensions.items() if value}
    own = {name: value for name, value in values.items() if name not in workload}
    settings = {name: value for name, value in values.items() if name in workload}
    return ["Dimensions (those that are 0 are left out)", *_grid(own), "", "Workload", *_grid(settings)]


def _grid(values: Mapping[str, Any]) -> list[str]:
    cells = [(name, value if isinstance(value, str) else digits(value)) for name, value in values.items()]
    names, numbers = (max((len(cell[place]) for cell in cells), default=0) for place in (0, 1))
    across = max(1, (WIDTH - 2 + 3) // (names + numbers + 2 + 3))
    down = -(-len(cells) // across)
    rows = [cells[row::down] for row in range(down)]
    return ["  " + "   ".join(f"{name:<{names}}  {value:>{numbers}}" for name, value in row).rstrip() for row in rows]


def _totals(model: Costed) -> list[str]:
    """Show every total that is not 0 in its unit and with every digit."""
    entries = [entry for entry in _entries(model) if entry.role == "total" and model.numbers[entry.line.name]]
    rows = [(entry.line.label, entry.line.unit, plain(model.numbers[entry.line.name])) for entry in entries]
    return ["Totals", *(_total(*row) for row in rows)]


def _total(label: str, unit: str, value: float) -> str:
    second = decimal_bytes(value) if unit == "bytes" else ""
    return f"  {cut(label, 44):<44} {human(value, unit):>11} {second:>9}  {digits(value):>27}"


def _section(model: Costed, section: Section) -> list[str]:
    """Show a section as an account: subtotals with their share, under each its lines with their formulas, the sum."""
    subtotals = {group: value for group, value in model.groups[section].items() if value}
    name, unit = TOTALS[section]
    total = plain(model.numbers[name])
    items = {group: _items(model, section, group) for group in subtotals}
    values = [plain(model.numbers[entry.line.name]) for entries in items.values() for entry in entries]
    width = max(len(digits(value)) for value in (*values, *subtotals.values(), total))
    lines = [cut(f"{TITLES[section]}: {_convention(model, section)}", WIDTH), "─" * WIDTH]
    for group, value in subtotals.items():
        lines.append(_group(group, value, value / total, unit, width))
        lines += [line for entry in items[group] for line in _line(model, entry, width)]
    return [*lines, "─" * width, *_sums(model, section, width)]


def _convention(model: Costed, section: Section) -> str:
    values = model.dimensions
    if section == "flops":
        mask = f", mask {values['mask']}: {MASKS[values['mask']]}" if "mask" in values else ""
        return _tokens(model) + mask
    if section == "memory":
        caches = f"weights and caches of {_product(values, 'context')} tokens"
        return caches if "context" in values else "weights and states"
    return "each stored once, a tied head with its table"


def _tokens(model: Costed) -> str:
    """Say how many tokens a pass reads, as a product where they are a plain one of batch and lengths."""
    values, tokens = model.dimensions, model.ledger.architecture.tokens if model.ledger else TOKENS.formula
    if tokens != TOKENS.formula and "target_len" not in values:
        return f"{digits(plain(formula.read(tokens).evaluate(model.numbers)))} tokens"
    if "seq_len" in values and "target_len" in values:
        target = digits(values["target_len"])
        return f"{_product(values, 'seq_len', before='(', after=f' source + {target} target)')} tokens"
    return f"{_product(values, 'seq_len' if 'seq_len' in values else 'target_len')} tokens"


def _product(values: Mapping[str, Any], length: str, before: str = "", after: str = "") -> str:
    factors = [digits(values["batch"])] if "batch" in values else []
    factors += [f"{before}{digits(values[length])}{after}"] if length in values else []
    return f" {TIMES} ".join(factors)


def _group(group: Group, value: float, share: float, unit: str, width: int) -> str:
    percent = f"{share:.1%}" if share >= LEAST_SHARE else f"<{LEAST_SHARE:.1%}"
    line = f"{digits(value):>{width}}  {group:<15} {percent:>6} {human(value, unit):>11}  {GROUPS.get(group, '')}"
    return cut(line.rstrip(), WIDTH)


def _items(model: Costed, section: Section, group: str) -> list[Entry]:
    """Return the lines of a group that are not 0."""
    return [
        entry
        for entry in _entries(model)
        if (entry.section, entry.line.group, entry.role) == (section, group, "line") and model.numbers[entry.line.name]
    ]


def _line(model: Costed, entry: Entry, width: int) -> list[str]:
    value = digits(plain(model.numbers[entry.line.name]))
    text = f"{entry.line.name} = {entry.line.formula}"
    margin = width + 6
    formula = textwrap.wrap(text, WIDTH - margin, subsequent_indent="  ", max_lines=MAX_ROWS, placeholder=" …")
    return [f"{value:>{width + 2}}    {formula[0]}", *(" " * margin + more for more in formula[1:])]


def _sums(model: Costed, section: Section, width: int) -> list[str]:
    """Return the section's total, and for FLOP what it is under other conventions."""
    (name, unit), totals = TOTALS[section], model.totals
    rows = {name: name, **(OTHERS if section == "flops" else {})}
    return [
        f"{digits(totals[name]):>{width}}  {label:<22} {human(totals[name], unit):>11}"
        for name, label in rows.items()
        if name in totals
    ]


def _entries(model: Costed) -> tuple[Entry, ...]:
    return model.ledger.entries if model.ledger else ()


def _text(text: str) -> str:
    return cut(clean(text), MAX_CHARACTERS)


def _narrow(text: str, most: int) -> str:
    """Return a text cut to so many columns of a terminal, in which some characters take two."""
    result = cut(text, most)
    while columns(result) > most:
        result = f"{result[:-2]}…"
    return result


def columns(text: str) -> int:
    """Return how many columns of a terminal a text takes: wide characters take two."""
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text)

"""What `tokens` is in the lines of an architecture: what it says itself that a forward pass reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.accounting.adapters import of_dimensions
from flopsheet.accounting.formula.compose import names
from flopsheet.accounting.line import FORMULAS
from flopsheet.accounting.workload import HELPERS, TOKENS
from flopsheet.errors import PluginError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from flopsheet.accounting.line import Architecture, Line

SOURCE, TARGET = "seq_len", "target_len"
PAIRS = frozenset(("pairs", "full_pairs"))


def own_tokens(architecture: Architecture, lines: Iterable[Line]) -> Line:
    """Return the line `tokens` of an architecture, as a formula of dimensions; PluginError where it names itself."""
    if TOKENS.name in names(architecture.tokens):
        raise PluginError(
            f"{architecture.name}: its tokens are {architecture.tokens!r}, which names itself; write dimensions in its"
            f" place, such as {TOKENS.formula!r}"
        )
    helpers = {line.name: line.formula for line in (*HELPERS, *lines) if not line.additive}
    return TOKENS._replace(formula=of_dimensions(architecture.tokens, helpers))


def check_tokens(architecture: Architecture, tokens: Line, lines: Iterable[Line]) -> None:
    """Refuse lines whose `tokens` or `pairs` would be others than the architecture's; PluginError names the first."""
    for line, name, why in _misread(tokens, lines):
        text = f"line {line.name} of {architecture.name}: it names {name}, and the architecture's tokens are"
        raise PluginError(f"{text} {architecture.tokens!r}: {why}", line.name)


def _misread(tokens: Line, lines: Iterable[Line]) -> Iterator[tuple[Line, str, str]]:
    """Give each line with a name of the workload that is not what its architecture reads, and what to write."""
    read = set(names(tokens.formula))
    for line in lines:
        line_names = {name for part in FORMULAS for name in names(getattr(line, part) or "0")}
        if TOKENS.name in line_names and TARGET in read:
            yield line, TOKENS.name, "source and target; write batch * seq_len or target_tokens, whichever passes it"
        if SOURCE not in read and TARGET not in read and (results := sorted(PAIRS & line_names)):
            yield line, results[0], "pairs are those of seq_len; write the architecture's own pairs in their place"

"""What each block brings and needs: `python -m pages.blocks > docs/blocks.md`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.accounting import blocks
from flopsheet.accounting.blocks import Block
from flopsheet.accounting.formula.compose import names
from flopsheet.accounting.line import FORMULAS
from flopsheet.accounting.workload import HELPERS, TOKENS, WORKLOAD

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.accounting.line import Dimension

HEAD = """# Blocks

What each block of `flopsheet.blocks` brings and needs, made by `make docs` from the blocks themselves. A dimension that
a block *declares* comes with it, with its default, or `required` where a config has to say it.
Those that it *needs* are dimensions of other blocks or of your own: declare them, or add the block that does. See
[plugin-authors.md](plugin-authors.md) for what blocks are for.

`flopsheet plugins show ARCHITECTURE` gives the formula of each line of an architecture that has the block: `dense`, or
with `--plugin` your own.
"""
SHARED = {
    *(one.name for one in WORKLOAD),
    *(one.name for one in (*HELPERS, TOKENS)),
    *(f"{one.name}_is_{label}" for one in WORKLOAD for label in one.labels),
}
"""What every formula may name."""
SECTIONS = ("parameters", "flops", "memory", "activations")


def page() -> str:
    """Return the page."""
    named = [(name, block) for name in dir(blocks) if isinstance(block := getattr(blocks, name), Block)]
    return HEAD + "".join(f"\n## blocks.{name}\n\n" + "\n".join(_told(block)) + "\n" for name, block in named)


def needs(block: Block) -> list[str]:
    """Return the dimensions that a block reads and does not declare."""
    lines = [line for section in SECTIONS for line in getattr(block, section)]
    texts = [text for line in lines for part in FORMULAS if (text := getattr(line, part))]
    texts += [one.default for one in block.dimensions if isinstance(one.default, str)]
    own = {line.name for line in lines} | {one.name for one in block.dimensions} | SHARED
    return sorted({name for text in texts for name in names(text)} - own)


def _told(block: Block) -> Iterator[str]:
    yield f"Needs: {', '.join(f'`{name}`' for name in needs(block)) or 'nothing else'}."
    if block.dimensions:
        yield from ("", "| declares | title | default | config fields |", "|---|---|---|---|")
        yield from (_row(one) for one in block.dimensions)
    yield ""
    for section in SECTIONS:
        lines = [f"`{line.name}`" for line in getattr(block, section) if line.additive]
        if lines:
            yield f"- {section}: {', '.join(lines)}"


def _row(one: Dimension) -> str:
    default = "required" if one.default is None else f"`{one.default}`"
    return f"| `{one.name}` | {one.title} | {default} | {', '.join(f'`{key}`' for key in one.keys)} |"


if __name__ == "__main__":
    print(page(), end="")

"""How cells look, as far as the checklist cares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from flopsheet.export.xlsx.markup import attribute, child, parse, tag, whole
from flopsheet.export.xlsx.styles import STYLES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.configs.package import Package
    from flopsheet.export.xlsx.markup import Element

BLUE = "0000FF"
PALE = "99"
"""The least that each part of a pale colour has."""


@dataclass(frozen=True)
class Style:
    """A cell style: the colours of font and fill as RGB; "" for no fill."""

    color: str
    fill: str

    @property
    def is_blue(self) -> bool:
        """Whether the font is the blue of inputs."""
        return self.color == BLUE

    @property
    def is_pale(self) -> bool:
        """Whether the fill is light enough to read blue on; one of the theme's counts as pale."""
        return len(self.fill) != len(BLUE) or min(self.fill[at : at + 2] for at in (0, 2, 4)) >= PALE

    @property
    def is_green(self) -> bool:
        """Whether the font is a green, as of links."""
        red, green, blue = (self.color[at : at + 2] for at in (0, 2, 4))
        return green > max(red, blue)

    @property
    def is_unseen(self) -> bool:
        """Whether the font has the colour of what is behind it."""
        return self.color == (self.fill or "FFFFFF")

    @property
    def is_input(self) -> bool:
        """Whether the cell says that it is for typing: blue on a fill that is no grey."""
        return self.is_blue and bool(self.fill) and len({self.fill[at : at + 2] for at in (0, 2, 4)}) > 1


def read_styles(package: Package) -> list[Style]:
    """Return every cell style of a workbook, by number."""
    if STYLES not in package:
        return []
    root = parse(package.read(STYLES), STYLES)
    fonts = [_rgb(child(font, "color")) for font in root.iterfind(f"{tag('fonts')}/{tag('font')}")]
    fills = [_fill(fill) for fill in root.iterfind(f"{tag('fills')}/{tag('fill')}")]
    formats = root.iterfind(f"{tag('cellXfs')}/{tag('xf')}")
    return [Style(_of(xf, "fontId", fonts), _of(xf, "fillId", fills)) for xf in formats]


def _of(form: Element, name: str, known: Sequence[str]) -> str:
    return known[whole(form, name, 0, most=len(known) - 1)]


def _rgb(color: Element | None) -> str:
    return "" if color is None else attribute(color, "rgb")[-6:].upper()


def _fill(fill: Element) -> str:
    """Return a fill's colour, "theme" where a theme or gradient says it, "" for none."""
    pattern = child(fill, "patternFill")
    if pattern is not None and attribute(pattern, "patternType", "none") in ("none", "gray125"):
        return ""
    return _rgb(None if pattern is None else child(pattern, "fgColor")) or "theme"

"""How cells view, as far as the checklist cares."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from livesheets.engine.markup import attribute, child, local, parse, tag, whole
from livesheets.engine.styles import STYLES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from livesheets.engine.markup import Element
    from livesheets.package import Package

THEME = "xl/theme/theme1.xml"
SLOTS = ("lt1", "dk1", "lt2", "dk2", *(f"accent{number}" for number in range(1, 7)), "hlink", "folHlink")
"""A theme's colors in the order of their numbers."""
TINT = re.compile(r"-?[0-9]{0,2}([.][0-9]{1,20})?([eE]-?[0-9]{1,2})?(?<=[0-9])")
RGB = 6
"""Characters of a color."""
BRIGHT, DOMINANT = 0x80, 1.25
"""How much blue a blue has at least, and how many times that of red and green."""
PALE = "99"
"""The least that each part of a pale color has."""


class Style(Struct, frozen=True):
    """A cell style: the colors of font and fill as RGB; "" for no fill."""

    color: str
    fill: str

    @property
    def is_blue(self) -> bool:
        """Whether the font is a blue, as of inputs; the dark ones of titles are none."""
        red, green, blue = (int(self.color[at : at + 2] or "0", 16) for at in (0, 2, 4))
        return blue >= BRIGHT and DOMINANT * max(red, green) < blue

    @property
    def is_pale(self) -> bool:
        """Whether the fill is light enough to read blue on; one of the theme's counts as pale."""
        return len(self.fill) != RGB or min(self.fill[at : at + 2] for at in (0, 2, 4)) >= PALE

    @property
    def is_green(self) -> bool:
        """Whether the font is a green, as of links."""
        red, green, blue = (self.color[at : at + 2] for at in (0, 2, 4))
        return green > max(red, blue)

    @property
    def is_computed(self) -> bool:
        """Whether the font is that of formulas: black, or a green."""
        return self.color in ("", "000000") or self.is_green

    @property
    def is_unseen(self) -> bool:
        """Whether the font has the color of what is behind it."""
        return self.color == (self.fill or "FFFFFF")

    @property
    def is_input(self) -> bool:
        """Whether the cell says that it is for typing: blue on a fill that is no gray."""
        return self.is_blue and bool(self.fill) and len({self.fill[at : at + 2] for at in (0, 2, 4)}) > 1


def read_styles(package: Package) -> list[Style]:
    """Return every cell style of a workbook, by number."""
    if STYLES not in package:
        return []
    root = parse(package.read(STYLES), STYLES)
    theme = _theme(package)
    fonts = [_rgb(child(font, "color"), theme) for font in _each(root, "font")]
    fills = [_fill(fill) for fill in _each(root, "fill")]
    formats = root.iterfind(f"{tag('cellXfs')}/{tag('xf')}")
    return [Style(_of(xf, "fontId", fonts), _of(xf, "fillId", fills)) for xf in formats]


def _each(root: Element, name: str) -> Iterator[Element]:
    """Give the fonts or fills in order; of one that Hancom Office writes for itself, what other programs read."""
    for element in root.iterfind(f"{tag(f'{name}s')}/*"):
        yield from element.iterfind(f"{{*}}Fallback/{tag(name)}") if local(element) == "AlternateContent" else [element]


def _theme(package: Package) -> list[str]:
    """Return the theme's colors by number; nothing without a theme."""
    if THEME not in package:
        return []
    colors = next(parse(package.read(THEME), THEME).iter("{*}clrScheme"), ())
    result = {local(slot): next((attribute(c, "lastClr") or attribute(c, "val") for c in slot), "") for slot in colors}
    return [result.get(slot, "") for slot in SLOTS]


def _of(form: Element, name: str, values: Sequence[str]) -> str:
    return values[whole(form, name, 0, most=len(values) - 1)]


def _rgb(color: Element | None, theme: Sequence[str] = ()) -> str:
    """Return a color, "" where it is not known; a theme's color may be tinted."""
    if color is None:
        return ""
    number = attribute(color, "theme")
    if not number:
        return attribute(color, "rgb")[-RGB:].upper()
    plain = theme[int(number)] if number.isdigit() and int(number) < len(theme) else ""
    return _tint_color(plain, attribute(color, "tint", "0")).upper()


def _tint_color(color: str, tint: str) -> str:
    """Return a color nearer to white, or to black where the tint is negative."""
    share = max(-1, min(1, float(tint))) if TINT.fullmatch(tint) else 0
    parts = [int(color[at : at + 2], 16) for at in range(0, len(color), 2)]
    channels = [part * (1 - abs(share)) + (0xFF * share if share > 0 else 0) for part in parts]
    return "".join(f"{min(round(part), 0xFF):02X}" for part in channels)


def _fill(fill: Element) -> str:
    """Return a fill's color, "theme" where a theme or gradient says it, "" for none."""
    pattern = child(fill, "patternFill")
    if pattern is not None and attribute(pattern, "patternType", "none") in ("none", "gray125"):
        return ""
    return _rgb(None if pattern is None else child(pattern, "fgColor")) or "theme"

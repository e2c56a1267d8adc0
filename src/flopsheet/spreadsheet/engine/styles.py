"""The styles part: variants of cell styles for text that must never become a formula."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from flopsheet.errors import TemplateError
from flopsheet.spreadsheet.engine.markup import child, parse, serialize

if TYPE_CHECKING:
    from flopsheet.spreadsheet.engine.markup import Element
    from flopsheet.spreadsheet.package import Package

STYLES = "xl/styles.xml"


@dataclass(frozen=True, slots=True)
class Styles:
    """The template's styles, and the variants made so far: style number -> number of its quoted variant."""

    package: Package
    variants: dict[int, int] = field(default_factory=dict)
    roots: list[Element] = field(default_factory=list)

    def quoted(self, style: int) -> int:
        """Return the number of the same style with `quotePrefix`, made when first asked for.

        A template without styles has no variants of them either: its texts are typed all the same.
        """
        if STYLES not in self.package:
            return style
        if style not in self.variants:
            self.variants[style] = self._quote(style)
        return self.variants[style]

    def _quote(self, style: int) -> int:
        formats = self._formats()
        if not 0 <= style < len(formats):
            raise TemplateError(f"a cell has the style {style}, which the template lacks")
        variant = deepcopy(formats[style])
        variant.set("quotePrefix", "1")
        formats.append(variant)
        formats.set("count", str(len(formats)))
        return len(formats) - 1

    def _formats(self) -> Element:
        if not self.roots:
            self.roots.append(parse(self.package.read(STYLES), STYLES))
        formats = child(self.roots[0], "cellXfs")
        if formats is None:
            raise TemplateError(f"{STYLES} in the template has no cell formats")
        return formats

    def parts(self) -> dict[str, bytes]:
        """Return the changed styles part, nothing if no variant was needed."""
        return {STYLES: serialize(self.roots[0])} if self.variants else {}

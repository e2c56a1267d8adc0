"""The styles part: variants of cell styles, for text that is never to be a formula, and for formulas among inputs."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING

from msgspec import Struct, field

from livesheets.engine.markup import child, parse, serialize, whole
from livesheets.errors import TemplateError

if TYPE_CHECKING:
    from collections.abc import Callable

    from livesheets.engine.markup import Element
    from livesheets.package import Package

STYLES = "xl/styles.xml"
BLACK = "FF000000"


class Styles(Struct, frozen=True):
    """The template's styles, and the variants made so far: style number and kind -> number of the variant."""

    package: Package
    variants: dict[tuple[int, str], int] = field(default_factory=dict)
    roots: list[Element] = field(default_factory=list)

    def with_quote_prefix(self, style: int) -> int:
        """Return the number of the same style with `quotePrefix`, made when first asked for.

        A template without styles has no variants of them either: its texts are typed all the same.
        """
        return self._variant(style, "quoted", lambda variant: variant.set("quotePrefix", "1"))

    def black(self, style: int) -> int:
        """Return the number of the same style in black, made when first asked for."""
        return self._variant(style, "black", self._blacken)

    def _variant(self, style: int, kind: str, change: Callable[[Element], None]) -> int:
        if STYLES not in self.package:
            return style
        if (style, kind) not in self.variants:
            formats = self._formats()
            if not 0 <= style < len(formats):
                raise TemplateError(f"a cell has the style {style}, which the template lacks")
            variant = deepcopy(formats[style])
            change(variant)
            formats.append(variant)
            formats.set("count", str(len(formats)))
            self.variants[style, kind] = len(formats) - 1
        return self.variants[style, kind]

    def _blacken(self, variant: Element) -> None:
        """Give a style its font in black."""
        fonts = child(self.roots[0], "fonts")
        number = whole(variant, "fontId", 0)
        if fonts is None or not 0 <= number < len(fonts):
            return
        font = deepcopy(fonts[number])
        color = child(font, "color")
        if color is not None:
            color.attrib.clear()
            color.set("rgb", BLACK)
        fonts.append(font)
        fonts.set("count", str(len(fonts)))
        variant.set("fontId", str(len(fonts) - 1))

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

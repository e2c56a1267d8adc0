"""ERNIE 4.5 VL: widths of the experts for text; those for pictures are counted with the vision tower."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet import Reading

DEFAULT_WIDTHS = (1536, 512)


def read_pictures(config: Mapping[str, Any], reading: Reading) -> None:
    """Read the first of two widths; a language model without its tower's config is told apart."""
    widths = config.get("moe_intermediate_size")
    reading.keys.add("moe_intermediate_size")
    reading.values["d_expert"] = (DEFAULT_WIDTHS if widths is None else widths)[0]
    if config.get("architectures") != ["Ernie4_5_VLMoeForConditionalGeneration"]:
        reading.problems.append("moe_intermediate_size: experts for pictures are counted with the vision tower only")

"""What rotary positions make of heads with a single channel: they turn pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from flopsheet.configs.classes import ClassTable

SOMETIMES = frozenset(
    f"{name}Config"
    for name in (
        *("BailingHybrid", "Bamba", "Cohere2", "Exaone4", "ExaoneMoe", "Falcon", "GptOss"),
        *("GraniteMoeHybrid", "Jamba", "JetMoe", "Lfm2", "Lfm2Moe", "Llama4Text", "MiniMax", "Moonshine", "OlmoHybrid"),
        *("RecurrentGemma", "SmolLM3", "Zamba2"),
    )
)
"""Configs of classes that turn the heads of some layers only, or none, or heads of another size."""
CUT_OUT = frozenset({"PhiConfig", "PersimmonConfig", "StableLmConfig"})
"""Configs of classes that cut the turned part of a head out; others turn a channel more where it is odd."""


def widened_heads(table: ClassTable | None, fields: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is not counted of a single channel that rotary positions make two of."""
    if table is None or "rope_parameters" not in table.types or table.config in SOMETIMES:
        return
    whole = {**table.defaults, **fields}
    head, share = _head(table, whole), _share(table, whole)
    cut = table.config in CUT_OUT and _is_whole(head) and isinstance(share, int | float) and int(head * share) == 1
    if head == 1 or cut:
        part = "a head of one channel" if head == 1 else f"one channel of {head} is turned"
        yield f"{part}: rotary positions make two of it in the class, whose FLOP and cache are larger"


def _head(table: ClassTable, fields: Mapping[str, Any]) -> Any:
    """Return the head size that a field says, or that the class derives."""
    names = ("head_dim", "hidden_size", "num_attention_heads")
    head, width, heads = (fields.get(table.attribute_map.get(name, name)) for name in names)
    if head is None and isinstance(width, int) and isinstance(heads, int) and heads > 0:
        return width // heads
    return head


def _share(table: ClassTable, fields: Mapping[str, Any]) -> Any:
    """Return the share of a head that rotary positions turn."""
    tables: list[Any] = [fields.get("rope_parameters"), fields.get("rope_scaling"), fields]
    names = ("partial_rotary_factor", "rotary_pct")
    shares = [each.get(name) for each in tables if isinstance(each, dict) for name in names]
    return next((share for share in shares if share is not None), table.share)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)

"""What rotary positions demand of heads: channels that make pairs, and sections that add up to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet.accounting.values import show_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from flopsheet.configs.classes import ClassTable

SMALL_HEAD = 4
"""Channels of a head up to which transformers lets an odd number pass, for the sake of test fixtures."""
SOMETIMES = frozenset(
    f"{name}Config"
    for name in (
        *("BailingHybrid", "Bamba", "Cohere2", "Exaone4", "ExaoneMoe", "Falcon", "GptOss"),
        *("GraniteMoeHybrid", "Jamba", "JetMoe", "Lfm2", "Lfm2Moe", "Llama4Text", "MiniMax", "Moonshine", "OlmoHybrid"),
        *("RecurrentGemma", "SmolLM3", "Zamba2"),
    )
)
"""Configs of classes that turn the heads of some layers only, or none, or heads of another size."""
WINDOWED = frozenset({"Exaone4Config", "ExaoneMoeConfig"})
"""Those of them that turn the heads of window layers, and all where there is no window."""
LISTED = frozenset({"Llama4TextConfig", "SmolLM3Config"})
"""Those of them that turn the heads of the layers that `no_rope_layers` gives a 1, all but each fourth as it is."""
MIXED = frozenset({"MiniMaxConfig"})
"""Those of them that turn the heads of layers with full attention, which are some where no list is given."""
UNBIASED = frozenset({"FalconConfig"})
"""Those of them that turn all heads where `alibi` is false, none where it is true; their configs know the head size."""
PAIRED = frozenset({"CohereConfig", "Ernie4_5Config", "Ernie4_5_MoeConfig", "Llama4TextConfig"})
"""Configs of classes that cannot even turn a single channel."""

CUT_OUT = frozenset({"PhiConfig", "PersimmonConfig", "StableLmConfig"})
"""Configs of classes that cut the turned part of a head out; others turn a channel more where it is odd."""
BUILT_TURNED = frozenset({"Ernie4_5_VLMoeTextConfig"})
"""Configs of classes that need their own sections to add up already when they are built."""

INTERLEAVED = frozenset(
    f"{name}TextConfig"
    for name in ("Cosmos3Edge", "Qwen3OmniMoe", "Qwen3VL", "Qwen3VLMoe", "Qwen3_5", "Qwen3_5Moe", "Qwen4Exp")
)
"""Configs of classes that take every third channel for height and width: sections may add up to anything."""
AXES = ("time", "height", "width")

LATENT = frozenset({"AXK1Config", "DeepseekV3Config", "YoutuConfig"})
"""Configs of classes that turn the latent's own channels, as many as a field says that is not theirs, `head_dim`."""

UNTURNED = frozenset({"Mistral4Config"})
"""Configs of classes with latent attention that run without a channel to turn; others add nothing to something."""


def wrong_heads(table: ClassTable, fields: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is wrong with the heads of a config whose class turns them, each as a sentence."""
    rank = fields.get("qk_rope_head_dim")
    if "rope_parameters" not in table.types:
        return
    if "qk_rope_head_dim" in table.types and isinstance(rank, int):
        yield from _wrong_rank(table, fields, rank)
        return
    head, share = _head(table, fields), _share(table, fields)
    if not _is_whole(head) or not isinstance(share, int | float):
        return
    if table.config in SOMETIMES:
        said = fields.get(table.attribute_map.get("head_dim", "head_dim"))
        stated = head > SMALL_HEAD and (said is not None or table.config in UNBIASED)
        turned_somewhere = _turned_somewhere(table, {**table.defaults, **fields})
        if head % 2 and share == 1 and (stated or (turned_somewhere and head > 1)):
            yield f"head_dim = {head} is odd: rotary positions turn pairs of channels"
        return
    turned = int(head * share)
    if share != 1 and table.config not in CUT_OUT:
        return
    if turned % 2 and (turned > 1 or table.config in PAIRED):
        part = "" if share == 1 else f", of which {turned} are turned,"
        yield f"head_dim = {head}{part} is odd: rotary positions turn pairs of channels"


def _wrong_rank(table: ClassTable, fields: Mapping[str, Any], rank: int) -> Iterator[str]:
    """Yield what is wrong with the channels that latent attention keeps for positions."""
    if rank % 2 and table.config not in SOMETIMES:
        yield f"qk_rope_head_dim = {rank} is odd: rotary positions turn pairs of channels"
    if rank == 0 and table.config not in UNTURNED:
        yield "qk_rope_head_dim = 0 leaves no channel to turn: the class can be built but not run"
    if table.config in LATENT and fields.get("head_dim") not in (None, 0, rank):
        own = show_value(fields["head_dim"])
        yield f"head_dim = {own} is not qk_rope_head_dim = {rank}, the channels that are turned"


def _turned_somewhere(table: ClassTable, fields: Mapping[str, Any]) -> bool:
    """Tell whether a class that turns the heads of some layers turns those of any; False where that is not known."""
    if table.config in UNBIASED:
        return not fields.get("alibi")
    kinds, pattern, window = (fields.get(name) for name in ("layer_types", "sliding_window_pattern", "sliding_window"))
    if table.config in WINDOWED:
        windowed = "sliding_attention" in kinds if isinstance(kinds, list) else pattern != 1
        return windowed or window is None
    if table.config in MIXED:
        return not isinstance(kinds, list) or "full_attention" in kinds
    marks = fields.get("no_rope_layers")
    if table.config in LISTED:
        return any(marks) if isinstance(marks, list) and marks else fields.get("no_rope_layer_interval") != 1
    return False


def wrong_sections(table: ClassTable, fields: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is wrong with the sections that a config states: such a class is built, and no token passes it."""
    stated = _stated_sections(fields)
    if not stated and table.config in BUILT_TURNED:
        stated = [table.sections]
    for sections in stated if table.sections else ():
        yield from _misfit(table, fields, sections)
    for sections in stated if table.config in INTERLEAVED else ():
        if not (_are_whole(sections) and len(sections) >= len(AXES)):
            wanted = f"is not a list of numbers of channels for {', '.join(AXES)}"
            yield f"mrope_section = {show_value(sections)} {wanted}: the class can be built but not run"


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


def section_notes(table: ClassTable | None, fields: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is to be said of the class's own sections that do not add up, where a config states none."""
    if table is None or not table.sections or _stated_sections(fields):
        return
    yield from _misfit(table, {**table.defaults, **fields}, table.sections)


def _stated_sections(fields: Mapping[str, Any]) -> list[Any]:
    """Return the sections that a config states, alone in a list: null is a statement, and none that a class can use."""
    tables = [fields.get("rope_parameters"), fields.get("rope_scaling")]
    return [each["mrope_section"] for each in tables if isinstance(each, dict) and "mrope_section" in each][:1]


def _misfit(table: ClassTable, fields: Mapping[str, Any], sections: Any) -> Iterator[str]:
    head, share = _head(table, fields), _share(table, fields)
    if not _is_whole(head) or not isinstance(share, int | float):
        return
    turned = int(head * share)
    if not (_are_whole(sections) and sum(sections) == -(-turned // 2)):
        wrong = (
            f"mrope_section = {show_value(sections)} does not add up to half of the {turned} channels that are turned"
        )
        yield f"{wrong}: the class can be built but not run"


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


def _are_whole(sections: Any) -> bool:
    return isinstance(sections, list) and all(map(_is_whole, sections))


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)

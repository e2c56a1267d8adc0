"""Encoder-decoders: an encoder reads the source, a decoder with cross attention writes the target."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet import Architecture, blocks, families_from, hookimpl, rules_from

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from flopsheet import Block, Family, Reading, Rule


def _read(config: Mapping[str, Any], family: Family) -> Reading:
    from flopsheet_encoder_decoder.reading import read  # noqa: PLC0415 - few starts need it

    return read(config, family)


ENCODER_DECODER = Architecture(
    "encdec",
    "Encoder-decoder",
    "An encoder reads the source; a decoder with cross attention writes the target",
    tokens="batch * (source_len + has_decoder * target_len)",
    decodes="has_decoder",
    continues="1 - has_encoder",
    depth="encoder_layers + decoder_layers",
    read=_read,
    notes={"decoder_window_layers * max(context - decoder_window + 1, 0)": blocks.WINDOW_CACHE},
    checks={
        "1 if decoder_layers >= has_decoder else 0": "a decoder has at least one layer",
        "1 if floor(encoder_heads / encoder_kv_heads) * encoder_kv_heads == encoder_heads else 0": "the encoder's"
        " query heads must be a multiple of its key/value heads",
        "1 if floor(decoder_heads / decoder_kv_heads) * decoder_kv_heads == decoder_heads else 0": "the decoder's"
        " query heads must be a multiple of its key/value heads",
        "1 if encoder_moe_layers <= encoder_layers else 0": "there cannot be more expert layers than encoder layers",
        "1 if decoder_moe_layers <= decoder_layers else 0": "there cannot be more expert layers than decoder layers",
        "1 if encoder_moe_layers + decoder_moe_layers == 0 else 1 if top_k <= n_experts else 0": "a token cannot use"
        " more experts than there are",
        "1 if encoder_window_layers <= encoder_layers else 0": "there cannot be more window layers than encoder layers",
        "1 if decoder_window_layers <= decoder_layers else 0": "there cannot be more window layers than decoder layers",
    },
)


@hookimpl
def flopsheet_architectures() -> Iterable[Architecture]:
    """Describe the encoder-decoder."""
    return [ENCODER_DECODER]


@hookimpl
def flopsheet_families() -> Iterable[Family]:
    """Read T5, BART, Whisper and their relatives."""
    return families_from(__name__, "encdec")


@hookimpl
def flopsheet_block() -> Block:
    """Give tables, both stacks, cross attention and head; few starts need them."""
    from flopsheet_encoder_decoder.stack import STACK  # noqa: PLC0415 - few starts need it

    return STACK


@hookimpl
def flopsheet_rules() -> Iterable[Rule]:
    """Give the rules of thumb for encoder-decoders."""
    return rules_from(__name__)

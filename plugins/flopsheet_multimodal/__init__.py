"""Multimodal models: vision and audio towers, and what joins them to a language model of any architecture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet import Architecture, families_from, hookimpl

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from flopsheet import Block, Family, Reading


def _read(config: Mapping[str, Any], family: Family) -> Reading:
    from flopsheet_multimodal.reading import read  # noqa: PLC0415 - few starts need it

    return read(config, family)


MULTIMODAL = Architecture(
    "mm",
    "With towers",
    "Towers read images and sound, and a projector brings what they find into the sequence",
    read=_read,
    joins=True,
    notes={
        "n_part_weights": "parts besides the text, such as a voice or a codec of sound, have weights and no counted"
        " FLOP: a forward pass of text does not run them",
        "vision_image_outputs * images": "an image's tiles are taken to lie in one row: each further row adds learned"
        " vectors to its outputs",
        "vision_stage_core_products * images": "what its vision tower keeps for training of stages before the last is"
        " not counted",
        "max(0, audio_conv_seconds - audio_seconds) * audio_seconds * max(0, audio_conv_positions"
        " - audio_rate * audio_conv_seconds)": "a clip is shorter than a piece of its tower's convolutions: theirs are"
        " a share of a whole piece's",
    },
    checks={
        "1 if (vision_uncosted + detail_uncosted) * (images + video_frames) == 0 else 0": "the FLOP of its vision tower"
        " are not counted yet: leave images and video_frames at 0",
        "1 if (vision_videos_uncosted + detail_videos_uncosted) * video_frames == 0 else 0": "the FLOP of its videos"
        " are not counted yet: leave video_frames at 0",
        "1 if audio_uncosted * audio_seconds == 0 else 0": "the FLOP of its audio tower are not counted yet: leave"
        " audio_seconds at 0",
        "1 if image_layers * (lora_attention + lora_mlp) == 0 else 0": "adapters of the layers that look at images are"
        " unknown",
        "1 if n_part_weights * (lora_attention + lora_mlp) == 0 else 0": "adapters of its parts besides the text are"
        " unknown",
    },
)


@hookimpl
def flopsheet_architectures() -> Iterable[Architecture]:
    """Describe what is next to a language model."""
    return [MULTIMODAL]


@hookimpl
def flopsheet_families() -> Iterable[Family]:
    """Read multimodal models, and the towers inside them."""
    return [*families_from(__name__, "mm"), *families_from(f"{__name__}.towers", "mm")]


@hookimpl
def flopsheet_block() -> Block:
    """Give towers, projectors and resamplers; few starts need them."""
    from flopsheet_multimodal.stack import STACK  # noqa: PLC0415 - few starts need it

    return STACK

"""All lines of towers and of what joins them to a language model, in the order of a forward pass."""

from __future__ import annotations

from flopsheet_multimodal.encoder import encoder
from flopsheet_multimodal.experts import PICTURE_EXPERTS
from flopsheet_multimodal.parts import PARTS
from flopsheet_multimodal.projector import CROSS_LAYERS, projector
from flopsheet_multimodal.resampler import resampler
from flopsheet_multimodal.sizes import picture_sizes, sound_sizes
from flopsheet_multimodal.tower_activations import IMAGE_LAYERS_KEPT, projector_kept, resampler_kept, tower_kept
from flopsheet_multimodal.windows import BLOCKS_OF_SOUND, windows

PIXELS, SOUND = "a square of pixels", "a moment of sound"

STACK = (
    picture_sizes("vision", "Vision")
    + encoder("vision", "vision", "Vision", PIXELS)
    + windows("vision", "Vision")
    + picture_sizes("detail", "Second vision")
    + encoder("detail", "vision", "Second vision", PIXELS)
    + windows("detail", "Second vision")
    + sound_sizes("audio", "Audio")
    + encoder("audio", "audio", "Audio", SOUND)
    + BLOCKS_OF_SOUND
    + resampler("vision", "resampler", "Resampler")
    + resampler("audio", "listener", "Audio resampler")
    + projector("vision", "Vision")
    + projector("audio", "Audio")
    + CROSS_LAYERS
    + PICTURE_EXPERTS
    + PARTS
    + tower_kept("vision", "vision", "Vision")
    + tower_kept("detail", "vision", "Second vision")
    + tower_kept("audio", "audio", "Audio")
    + resampler_kept("resampler", "Resampler")
    + resampler_kept("listener", "Audio resampler")
    + projector_kept("vision", "Vision")
    + projector_kept("audio", "Audio")
    + IMAGE_LAYERS_KEPT
)

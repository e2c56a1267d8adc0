"""What the configs of towers say in lists: stages whose widths and positions differ, as sums over them."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from math import prod
from typing import TYPE_CHECKING, Any

from flopsheet import Reading
from flopsheet_multimodal.davit import read_davit
from flopsheet_multimodal.dots import read_pyramid, read_whisper
from flopsheet_multimodal.folding import read_folds
from flopsheet_multimodal.parts.codec import read_codec
from flopsheet_multimodal.parts.protein import read_protein
from flopsheet_multimodal.parts.voice import bigvgan, flow, waves

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from flopsheet import Family


def read(config: Mapping[str, Any], family: Family) -> Reading:
    """Return what the family's style of config says beyond formulas of its fields."""
    style = family.hints.get("style")
    return STYLES[style](config) if style else Reading()


def _sound_stages(config: Mapping[str, Any]) -> Reading:
    """Sum the stages of a tokenizer of sound: each begins with a convolution that joins samples, and doubles the width.

    Weights are multiplied by how many positions of their stage become one of the last.
    """
    ratios, depths = list(config["downsampling_ratios"]), list(config["depths"])
    first, kernel, expansion = config["num_filters"], config["kernel_size"], config["ffn_expansion"]
    sums = dict.fromkeys(("stem_weights", "stem_products", "stage_weights", "stage_products", "vectors"), 0)
    positions, source = prod(ratios), config["channels"]
    for stage, ratio in enumerate([1, *ratios]):
        width, depth = first * 2**stage, depths[stage]
        positions //= ratio
        convolutions = (2 * ratio if stage else kernel) * source * width + depth * kernel * width
        linear = depth * 2 * expansion * width * width
        sums["stem_weights"] += convolutions
        sums["stem_products"] += convolutions * positions
        sums["stage_weights"] += linear
        sums["stage_products"] += linear * positions
        sums["vectors"] += width + depth * (expansion + 6) * width
        source = width
    head = kernel * source * config["hidden_size"]
    sums["stem_weights"] += head
    sums["stem_products"] += head
    sums["vectors"] += config["hidden_size"]
    return Reading(values={**sums, "samples": prod(ratios)})


def _vqgan(config: Mapping[str, Any]) -> Reading:
    """Sum VQGAN's encoder, decoder and code book, and the layers that turn its codes into vectors and back."""
    widths = [config["base_channels"] * times for times in config["channel_multiplier"]]
    blocks, deep, latent = config["num_res_blocks"], widths[-1], config["latent_channels"]
    codes, code, wide = config["num_embeddings"], config["embed_dim"], config["projection_dim"]
    encoder = _convolution(config["in_channels"], config["base_channels"])
    before = config["base_channels"]
    for width in widths:
        encoder += _resnet(before, width) + (blocks - 1) * _resnet(width, width)
        before = width
    decoder, before = _convolution(latent, deep), deep
    for width in reversed(widths):
        decoder += _resnet(before, width) + blocks * _resnet(width, width)
        before = width
    middle = 2 * (2 * _resnet(deep, deep) + _attending(deep)) + (2 * blocks + 1) * _attending(deep)
    joints = sum(_convolution(width, width) for width in (*widths[:-1], *widths[1:]))
    ends = 2 * deep + _convolution(deep, (1 + bool(config["double_latent"])) * latent)
    ends += 2 * widths[0] + _convolution(widths[0], config["out_channels"])
    book = 2 * codes * code + 2 * latent * code + latent + code
    aligner = code * wide + wide + (config["num_hidden_layers"] - 1) * (wide + 1) * wide
    head = (config["image_token_embed_dim"] + 1) * wide + (wide + 1) * codes
    sums = (encoder, decoder, middle, joints, ends, book, aligner, head)
    return Reading({"stem_weights": sum(sums)})


def _convolution(source: int, width: int) -> int:
    return (9 * source + 1) * width


def _resnet(source: int, width: int) -> int:
    norms, shortcut = 2 * source + 2 * width, (source + 1) * width
    return norms + _convolution(source, width) + _convolution(width, width) + (shortcut if source != width else 0)


def _attending(width: int) -> int:
    return 2 * width + 4 * (width + 1) * width


PROJECTED = (
    "transformers projects a vector of images and one of sound for every token of text; these FLOP are not counted"
)


def _timm(config: Mapping[str, Any]) -> Reading:
    """Look a tower up whose code is in timm; one of another name, or with other arguments, is a problem.

    All of it counts as the embedding of one position: a picture is one, whatever its size.
    """
    document = files("flopsheet_multimodal.towers").joinpath("timm.toml").read_text("utf-8")
    towers, name = tomllib.loads(document), config["architecture"]
    tower = towers.get(name, {"parameters": 0, "products": 0})
    reading = Reading({NAMES[key]: number for key, number in tower.items() if key in NAMES})
    if name not in towers:
        reading.problems.append(f"architecture = {name!r}: its code is in timm, and it is not counted")
    if (config["model_args"] or {}) != tower.get("arguments", {}):
        reading.problems.append("model_args: timm may build another tower")
    if tower.get("width", config["hidden_size"]) != config["hidden_size"]:
        reading.misfits.append(f"hidden_size of vision_config is not {tower['width']}, the width of its tower")
    return reading


NAMES = {
    "parameters": "stem_weights",
    "products": "stem_products",
    "linear_products": "stage_products",
    "core_products": "stage_core_products",
    "outputs": "fixed_outputs",
}
"""The dimensions of what the table of timm's towers says."""


def _projecting(config: Mapping[str, Any]) -> Reading:
    """Read a tower of timm, and say what Gemma 3n's class projects."""
    reading = _timm(config)
    reading.notes.append(PROJECTED)
    return reading


COARSE = "pictures take the coarse connector; the fine one, which a caller may ask for, has four times as many outputs"


def _docling(config: Mapping[str, Any]) -> Reading:
    """Say which of two connectors is counted."""
    return Reading(notes=[COARSE] if config["use_fine_route"] else [])


ANEW = (
    "keys and values of images are taken to be kept; transformers computes them again for each token, and passes no"
    " text without an image"
)


def _idefics(config: Mapping[str, Any]) -> Reading:  # noqa: ARG001 - styles have one shape
    """Say what a step does not repeat."""
    return Reading(notes=[ANEW])


PICTURED = "its classes take no text without a picture; what images cost is counted where `images` is at least 1"
COMPARED = "the product that compares each text with each picture is not counted"
MATCHED = (
    "texts and pictures are matched as the class does it by default; with use_itm_head = False layers of its own do"
)
BLIP_NOTES = {"BlipModel": COMPARED, "BlipForImageTextRetrieval": MATCHED}


def _blip(config: Mapping[str, Any]) -> Reading:
    """Say that there is no text alone, and what classes that compare texts with pictures do besides."""
    note = BLIP_NOTES.get(config["counted_class"])
    return Reading(notes=[PICTURED, *([note] if note else [])])


def _read_subsampling(config: Mapping[str, Any]) -> Reading:
    """Sum two convolutions that thin time and frequency out, and the matrix behind them."""
    channels, low, weights, products = 1, config["input_feat_size"], 0, 0
    strides = [stride for stride, _ in config["sscp_conv_stride_size"]]
    for place in range(2):
        (high, wide), (_, stride) = config["sscp_conv_kernel_size"][place], config["sscp_conv_stride_size"][place]
        low = (low + 2 - wide) // stride + 1
        own = high * wide * channels * config["sscp_conv_channel_size"][place]
        weights, products = weights + own, products + own * low * prod(strides[place + 1 : 2])
        channels = config["sscp_conv_channel_size"][place]
    return Reading(
        {"stem_weights": weights, "stem_products": products, "entry_weights": channels * low * config["hidden_size"]}
    )


STYLES: dict[str, Callable[[Mapping[str, Any]], Reading]] = {
    "bigvgan": bigvgan,
    "blip": _blip,
    "codec": read_codec,
    "docling": _docling,
    "davit": read_davit,
    "flow": flow,
    "folded": read_folds,
    "idefics": _idefics,
    "protein": read_protein,
    "pyramid": read_pyramid,
    "sound_stages": _sound_stages,
    "subsampled": _read_subsampling,
    "projecting": _projecting,
    "timm": _timm,
    "vqgan": _vqgan,
    "waves": waves,
    "whisper_fields": read_whisper,
}

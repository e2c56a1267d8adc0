"""DaViT, Florence-2's tower: at each of several resolutions, windows of positions, then groups of channels attend."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, prod
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from flopsheet import Reading

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

SIDE = 768
"""Pixels of a side: processors of published models make every picture a square of it (Xiao et al. 2311.06242)."""

MIXING = 9
"""Weights per channel of its depthwise convolutions, 3 by 3; each block has two."""

LISTS = ("num_heads", "num_groups")
"""Fields with an element for each stage, no more."""


class _Stage(Struct, frozen=True):
    """Blocks at one resolution, behind a convolution from the one before; `side` is in positions."""

    depth: int
    source: int
    width: int
    kernel: int
    side: int
    wide: int
    window: int
    heads: int
    groups: int
    norm_width: int

    @property
    def positions(self) -> int:
        return int(self.side**2)

    @property
    def padded_positions(self) -> int:
        """Positions with those that fill up windows at the edge."""
        return int((ceil(Fraction(self.side, self.window)) * self.window) ** 2)


def read_davit(config: Mapping[str, Any]) -> Reading:
    """Sum the stages; products are those of a picture, for each position of the last stage."""
    widths = config["embed_dim"]
    if any(len(config[name]) != len(widths) for name in LISTS):
        raise ValueError("num_heads and num_groups must have as many elements as embed_dim")
    if widths[-1] % 2:
        raise ValueError("the last embed_dim must be even: sines and cosines share it")
    stages = list(_stages(config))
    if any(stage.depth and not 1 <= stage.heads <= stage.width for stage in stages):
        raise ValueError("num_heads must be at least 1 and at most embed_dim")
    parameters = {"d_model": widths[-1], **_weights(stages, bias=bool(config["qkv_bias"]))}
    if misfits := _misfits(config, stages):
        return Reading({**parameters, "uncosted": 1}, misfits=misfits)
    last = stages[-1]
    products = {name: Fraction(count, last.positions) for name, count in _products(stages).items()}
    patch = prod(config["patch_stride"][: len(stages)])
    size = {"patch": patch, "side": patch * last.side, "fixed_outputs": last.positions + 1}
    return Reading({**parameters, **products, **size})


def _stages(config: Mapping[str, Any]) -> Iterator[_Stage]:
    source, side = config["in_channels"], SIDE
    for stage, width in enumerate(config["embed_dim"]):
        kernel, stride, padding = (config[f"patch_{name}"][stage] for name in ("size", "stride", "padding"))
        side = max(0, (side + 2 * padding - kernel) // stride + 1) if side and stride > 0 else 0
        yield _Stage(
            config["depths"][stage],
            source,
            width,
            kernel,
            side,
            int(width * config["mlp_ratio"]),
            config["window_size"],
            config["num_heads"][stage],
            config["num_groups"][stage],
            source if config["patch_prenorm"][stage] else width,
        )
        source = width


def _weights(stages: list[_Stage], *, bias: bool) -> dict[str, int]:
    """Return weights of convolutions, of linear layers and of vectors; a block attends and widens twice."""
    convolutions = matrices = vectors = 0
    for stage in stages:
        width, wide, halves = stage.width, stage.wide, 2 * stage.depth
        convolutions += stage.source * width * stage.kernel**2 + halves * 2 * MIXING * width
        matrices += halves * (4 * width * width + 2 * width * wide)
        vectors += width + 2 * stage.norm_width + halves * (8 * width + wide + 3 * bias * width)
    return {"stem_weights": convolutions, "stage_weights": matrices, "vectors": vectors}


def _products(stages: list[_Stage]) -> dict[str, int]:
    """Return multiply-adds of a picture: windows see their own positions, padding included; groups their channels."""
    convolutions = matrices = core = 0
    for stage in stages:
        width, positions = stage.width, stage.positions
        convolutions += positions * (stage.source * width * stage.kernel**2 + stage.depth * 4 * MIXING * width)
        attention = 4 * width * width * (stage.padded_positions + positions)
        matrices += stage.depth * (attention + 2 * positions * 2 * width * stage.wide)
        core += stage.depth * 2 * width * (stage.padded_positions * stage.window**2 + positions * width // stage.groups)
    return {"stem_products": convolutions, "stage_products": matrices, "stage_core_products": core}


def _misfits(config: Mapping[str, Any], stages: list[_Stage]) -> list[str]:
    """Return why a picture does not pass a tower that can be built."""
    fails = {
        "window_size is not a size": config["window_size"] <= 0,
        "num_heads do not divide embed_dim": any(stage.depth and stage.width % stage.heads for stage in stages),
        "num_groups do not divide embed_dim": any(stage.groups <= 0 or stage.width % stage.groups for stage in stages),
        "a stage has no positions": any(stage.side <= 0 for stage in stages),
        "max_position_embeddings is below the last stage's positions": config["max_position_embeddings"]
        < stages[-1].side,
        "max_temporal_embeddings has no row": config["max_temporal_embeddings"] < 1,
    }
    return [reason for reason, is_wrong in fails.items() if is_wrong]

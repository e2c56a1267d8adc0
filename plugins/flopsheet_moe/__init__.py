"""Mixtures of experts: decoders in which a router sends each token to a few of many feed-forward experts."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from flopsheet import blocks, families_from, hookimpl, rules_from
from flopsheet_moe import checks, compressed, glm5_next, indexed, inkling, qwen4, varied

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from flopsheet import Architecture, Block, Family, Reading, Rule


def _read(config: Mapping[str, Any], family: Family) -> Reading:
    from flopsheet_moe.special import read  # noqa: PLC0415 - few starts need it

    return read(config, family)


MOE = checks.mixture(
    "moe",
    "Mixture of experts",
    "A decoder in which a router sends each token to a few of many feed-forward experts",
    read=_read,
    checks=checks.FIT | checks.PARALLEL_ADD_UP | checks.WINDOWS_FIT | blocks.LATENT_FIT | checks.ADAPTED,
    notes=blocks.WINDOW_NOTES | checks.DENSE_FRONT,
)
ROOMS = (
    (MOE, __name__),
    (indexed.INDEXED, indexed.__name__),
    (varied.VARIED, varied.__name__),
    (inkling.INKLING, inkling.__name__),
    (compressed.COMPRESSED, compressed.__name__),
    (glm5_next.GLM5_NEXT, glm5_next.__name__),
    (qwen4.QWEN4, qwen4.__name__),
)
"""Each architecture, and the package of its families and its stack."""


@hookimpl
def flopsheet_architectures() -> Iterable[Architecture]:
    """Describe mixtures of experts: plain ones, and those with an indexer, varied layers or compressed attention."""
    return [architecture for architecture, _ in ROOMS]


@hookimpl
def flopsheet_families() -> Iterable[Family]:
    """Read Mixtral, Qwen, DeepSeek, gpt-oss and the other types of each room's `families.toml`."""
    return [family for own, package in ROOMS for family in families_from(package, own.name)]


@hookimpl
def flopsheet_block(architecture: Architecture) -> Block:
    """Give a decoder's lines with routed and shared experts; few starts need them."""
    package = next(package for own, package in ROOMS if own.name == architecture.name)
    stack: Block = import_module(f"{package}.stack").STACK
    return stack


@hookimpl
def flopsheet_rules(architecture: Architecture) -> Iterable[Rule]:
    """Give the rules of thumb for mixtures whose layers are alike; nobody published one with the others in mind."""
    rules = {MOE.name: __name__, indexed.INDEXED.name: __name__, compressed.COMPRESSED.name: compressed.__name__}
    return rules_from(rules[architecture.name]) if architecture.name in rules else ()

"""Mixtures of experts: decoders in which a router sends each token to a few of many feed-forward experts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet import Architecture, blocks, families_from, hookimpl, rules_from

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from flopsheet import Dimension, Family, Line, Reading, Rule


def _read(config: Mapping[str, Any], family: Family) -> Reading:
    from flopsheet_moe.reading import read  # noqa: PLC0415 - few starts need it

    return read(config, family)


def _stack() -> blocks.Block:
    """Return the lines, made when a config needs them: every start imports every plugin."""
    from flopsheet_moe.stack import STACK  # noqa: PLC0415 - few starts need it

    return STACK


MOE = Architecture(
    "moe",
    "Mixture of experts",
    "A decoder in which a router sends each token to a few of many feed-forward experts",
    adapters=("attention", "mlp", "shared_experts"),
    read=_read,
    checks=blocks.HEADS_FIT
    | {
        "1 if top_k <= n_experts else 0": "a token cannot use more experts than there are",
        "1 if n_dense_layers + n_wide_layers + n_moe_layers - n_parallel_layers == n_layers else 0": "dense and expert"
        " layers must add up to the layers",
        "1 if has_attention_experts * lora_attention == 0 else 0": "adapters of attention by experts are unknown",
        "1 if (n_other_matrices + laurel_rank) * (lora_attention + lora_mlp + lora_shared_experts) == 0"
        " else 0": "adapters of its other linear layers are unknown",
        "1 if n_window_layers <= n_attention_layers else 0": "there cannot be more window layers than layers",
    },
)


@hookimpl
def flopsheet_architectures() -> Iterable[Architecture]:
    """Describe the mixture of experts."""
    return [MOE]


@hookimpl
def flopsheet_families() -> Iterable[Family]:
    """Read Mixtral, Qwen, DeepSeek, gpt-oss and the other types of `families.toml`."""
    return families_from(__name__, "moe")


@hookimpl
def flopsheet_dimensions() -> Iterable[Dimension]:
    """Give the dimensions of these lines."""
    return _stack().dimensions


@hookimpl
def flopsheet_parameters() -> Iterable[Line]:
    """Give a decoder's lines with routed and shared experts."""
    return _stack().parameters


@hookimpl
def flopsheet_flops() -> Iterable[Line]:
    """Give the matrix products of one forward pass, routed experts as active."""
    return _stack().flops


@hookimpl
def flopsheet_memory() -> Iterable[Line]:
    """Give the key/value and latent caches."""
    return _stack().memory


@hookimpl
def flopsheet_rules() -> Iterable[Rule]:
    """Give the rules of thumb for mixtures of experts."""
    return rules_from(__name__)

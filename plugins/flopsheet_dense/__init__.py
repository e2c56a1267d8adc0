"""Dense decoders: one stack of attention and feed-forward layers, and every token passes every weight."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet import Architecture, blocks, families_from, hookimpl, rules_from
from flopsheet_dense import draft, encoder, varied

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from flopsheet import Block, Family, Reading, Rule


def _read(config: Mapping[str, Any], family: Family) -> Reading:
    from flopsheet_dense.reading import read  # noqa: PLC0415 - few starts need it

    return read(config, family)


DENSE = Architecture(
    "dense",
    "Dense decoder",
    "A stack of attention and feed-forward layers in which every token passes every weight",
    adapters=("attention", "mlp"),
    read=_read,
    notes=blocks.WINDOW_NOTES,
    on_paper={"mlp_matrices": 3},
    checks=blocks.HEADS_FIT
    | blocks.WINDOWS_FIT
    | {
        "1 if (n_other_matrices + n_condition_weights) * (lora_attention + lora_mlp) == 0 else 0": "adapters of its"
        " other linear layers are unknown",
    },
)


@hookimpl
def flopsheet_architectures() -> Iterable[Architecture]:
    """Describe dense decoders, those whose layers differ, drafts, and encoders."""
    return [DENSE, varied.VARIED, draft.DRAFT, encoder.ENCODER]


@hookimpl
def flopsheet_families() -> Iterable[Family]:
    """Read Llama, GPT, Mistral, Qwen, Gemma, Phi and their like; BERT and its like."""
    return [
        *families_from(__name__, "dense"),
        *families_from(varied.__name__, "varied"),
        *families_from(draft.__name__, "draft"),
        *families_from(encoder.__name__, "encoder"),
    ]


@hookimpl
def flopsheet_block(architecture: Architecture) -> Block:
    """Give tables, attention, MLP, norms and heads; few starts need them."""
    if architecture.name == DENSE.name:
        from flopsheet_dense.stack import STACK  # noqa: PLC0415 - not every start needs it
    elif architecture.name == varied.VARIED.name:
        from flopsheet_dense.varied.stack import STACK  # noqa: PLC0415 - few starts need it
    elif architecture.name == draft.DRAFT.name:
        from flopsheet_dense.draft.stack import STACK  # noqa: PLC0415 - few starts need it
    else:
        from flopsheet_dense.encoder.stack import STACK  # noqa: PLC0415 - few starts need it
    return STACK


@hookimpl
def flopsheet_rules(architecture: Architecture) -> Iterable[Rule]:
    """Give the rules of thumb for dense decoders or encoders."""
    owners = {DENSE.name: __name__, varied.VARIED.name: varied.__name__, encoder.ENCODER.name: encoder.__name__}
    return rules_from(owners[architecture.name]) if architecture.name in owners else ()

"""What is on an encoder: the masked language model's head, a pooler, a classifier."""

from dataclasses import replace
from typing import Any

from flopsheet import Dimension, blocks, compose

SOURCE = "transformers models/bert/modeling_bert.py"


def _linear(name: str, rows: str, title: str, source: str = SOURCE, **more: Any) -> blocks.Block:
    """Return a matrix with a bias from the model's width, which no decode step passes."""
    usual = {"group": "other", "bias": rows, "decode": "0", "shard": "replicated"}
    return blocks.linear(name, compose.times("d_model", rows), title=title, source=source, **{**usual, **more})


TRANSFORM = blocks.Block(
    dimensions=(
        Dimension("has_transform", "Transform before the head", kind="flag", default=1),
        Dimension("has_transform_bias", "Bias of the transform", kind="flag", default=1),
        Dimension("d_transform", "Width that the head reads", default="d_embedding"),
        blocks.optional("d_bottleneck", "Narrow width inside the transform", "0: one matrix"),
    ),
    parameters=(
        blocks.whole_weights(
            "transform_norm",
            "0 if d_bottleneck else has_transform * norm_vectors * d_transform",
            "norm",
            "Norm of the transform",
            source=SOURCE,
        ),
    ),
) + blocks.linear(
    "transform",
    "d_bottleneck * (d_model + d_transform) if d_bottleneck else d_model * d_transform",
    group="lm_head",
    copies="has_transform",
    tokens="transformed",
    bias="has_transform_bias * d_transform",
    title="Transform before the head",
    source=SOURCE,
    shard="replicated",
)

POOLER = blocks.Block(dimensions=(blocks.flag("has_pooler", "Pooler", "Reads the first token"),)) + _linear(
    "pooler", "d_model", "Pooler", copies="has_pooler", tokens="batch"
)

CLASSIFIER = (
    blocks.Block(
        dimensions=(
            Dimension("n_labels", "Labels", default=2),
            blocks.flag("has_classifier", "Classifier"),
            Dimension("n_outputs", "Outputs of the classifier", default="n_labels"),
            blocks.flag("classifies_tokens", "Classifies every token"),
            blocks.flag("classifier_dense", "Square layer before the classifier"),
        ),
        flops=(
            blocks.helper(
                "classified",
                "tokens if classifies_tokens else batch",
                "tokens",
                "Tokens classified",
                about="Every token, or each sequence once",
            ),
            blocks.helper(
                "transformed", "tokens if has_head else classified", "tokens", "Tokens transformed", decode="batch"
            ),
        ),
    )
    + _linear(
        "classifier_square",
        "d_model",
        "Square layer before the classifier",
        "transformers models/roberta/modeling_roberta.py",
        copies="classifier_dense",
        tokens="classified",
    )
    + _linear("classifier", "n_outputs", "Classifier", copies="has_classifier", tokens="classified")
)

WORDS = replace(blocks.instance(blocks.HEAD, "", {"d_embedding": "d_transform"}), dimensions=blocks.HEAD.dimensions)
HEADS = CLASSIFIER + TRANSFORM + WORDS + POOLER

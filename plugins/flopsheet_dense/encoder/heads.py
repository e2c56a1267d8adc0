"""What is on an encoder: the masked language model's head, a pooler, a classifier."""

from dataclasses import replace

from flopsheet import Dimension, Line, blocks

SOURCE = "transformers models/bert/modeling_bert.py"

TRANSFORM = blocks.Block(
    dimensions=(
        Dimension("has_transform", "Transform before the head", kind="flag", default=1),
        Dimension("has_transform_bias", "Bias of the transform", kind="flag", default=1),
        Dimension("d_transform", "Width that the head reads", default="d_embedding"),
        Dimension("d_bottleneck", "Narrow width inside the transform", default=0, minimum=0, about="0: one matrix"),
    ),
    parameters=(
        Line(
            "transform_norm",
            "0 if d_bottleneck else has_transform * norm_vectors * d_transform",
            "parameters",
            "norm",
            title="Norm of the transform",
            source=SOURCE,
            shard="replicated",
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

POOLER = blocks.Block(
    dimensions=(Dimension("has_pooler", "Pooler", kind="flag", default=0, about="Reads the first token"),)
) + blocks.linear(
    "pooler",
    "d_model * d_model",
    group="other",
    copies="has_pooler",
    tokens="batch",
    decode="0",
    bias="d_model",
    title="Pooler",
    source=SOURCE,
    shard="replicated",
)

CLASSIFIER = (
    blocks.Block(
        dimensions=(
            Dimension("n_labels", "Labels", default=2),
            Dimension("has_classifier", "Classifier", kind="flag", default=0),
            Dimension("n_outputs", "Outputs of the classifier", default="n_labels"),
            Dimension("classifies_tokens", "Classifies every token", kind="flag", default=0),
            Dimension("classifier_dense", "Square layer before the classifier", kind="flag", default=0),
        ),
        flops=(
            Line(
                "classified",
                "tokens if classifies_tokens else batch",
                "tokens",
                title="Tokens classified",
                about="Every token, or each sequence once",
                additive=False,
            ),
            Line(
                "transformed",
                "tokens if has_head else classified",
                "tokens",
                title="Tokens transformed",
                decode="batch",
                additive=False,
            ),
        ),
    )
    + blocks.linear(
        "classifier_square",
        "d_model * d_model",
        group="other",
        copies="classifier_dense",
        tokens="classified",
        decode="0",
        bias="d_model",
        title="Square layer before the classifier",
        source="transformers models/roberta/modeling_roberta.py",
        shard="replicated",
    )
    + blocks.linear(
        "classifier",
        "d_model * n_outputs",
        group="other",
        copies="has_classifier",
        tokens="classified",
        decode="0",
        bias="n_outputs",
        title="Classifier",
        source=SOURCE,
        shard="replicated",
    )
)

WORDS = replace(blocks.instance(blocks.HEAD, "", {"d_embedding": "d_transform"}), dimensions=blocks.HEAD.dimensions)
HEADS = CLASSIFIER + TRANSFORM + WORDS + POOLER

"""Tables and the output head: tokens, positions, relative position biases."""

from flopsheet.accounting.blocks.block import Block, activation_line, linear, matrix
from flopsheet.accounting.blocks.kinds import flag, optional
from flopsheet.accounting.line import Dimension, Line
from flopsheet.accounting.workload import MAX_POSITIONS

TABLE = "Vaswani et al. 1706.03762, section 3.4"

EMBEDDING = Block(
    dimensions=(
        Dimension("vocab_size", "Vocabulary", unit="tokens", keys=("vocab_size",)),
        Dimension(
            "d_embedding",
            "Embedding width",
            keys=("embedding_size",),
            default="d_model",
            about="Differs where a projection follows",
        ),
    ),
    parameters=(
        Line(
            "token_embedding",
            "vocab_size * d_embedding",
            "parameters",
            "embedding",
            title="Token embedding",
            about="A lookup: it costs no matrix product",
            source=TABLE,
            sides="vocab_size + d_embedding",
            rows="vocab_size",
        ),
    ),
)
"""The token table."""

POSITIONS = Block(
    dimensions=(
        MAX_POSITIONS,
        optional(
            "n_position_rows",
            "Learned positions",
            unit="rows",
            about="Rows of the position table; 0 for rotary, ALiBi and sinusoidal positions",
        ),
    ),
    parameters=(
        Line(
            "position_embedding",
            "n_position_rows * d_model",
            "parameters",
            "positional",
            title="Position embedding",
            source=TABLE,
            shard="replicated",
        ),
    ),
)
"""The table of learned positions."""

RELATIVE_POSITIONS = Block(
    dimensions=(
        optional("n_position_buckets", "Relative position buckets", keys=("relative_attention_num_buckets",)),
        optional("n_position_tables", "Relative position tables"),
    ),
    parameters=(
        Line(
            "relative_positions",
            "n_position_tables * n_position_buckets * n_heads",
            "parameters",
            "positional",
            title="Relative position biases",
            about="One number per bucket and head; T5 keeps one table per stack",
            source="Raffel et al. 1910.10683, section 2.1",
        ),
    ),
)
"""Relative position biases of attention, as in T5."""

HEAD = (
    Block(
        dimensions=(
            Dimension("has_head", "Output head", kind="flag", default=1, about="0: the class ends at the last norm"),
            flag(
                "tied_head",
                "Head tied to the token table",
                keys=("tie_word_embeddings",),
                about="1: the head reads the token table and stores nothing of its own",
            ),
            optional(
                "head_bias",
                "Biases on the head",
                about="One number per word; 2 where an untied BERT head keeps a second vector",
            ),
        ),
    )
    + linear(
        "lm_head",
        "vocab_size * d_embedding",
        group="lm_head",
        sides="vocab_size + d_embedding",
        rows="vocab_size",
        copies="has_head * (1 - tied_head)",
        uses="has_head",
        title="Output head",
        source="Press and Wolf 1608.05859 for tied heads",
    )
    + Block(
        parameters=(
            Line(
                "lm_head_bias",
                "has_head * head_bias * vocab_size",
                "parameters",
                "lm_head",
                title="Output head bias",
                about="Stored next to a tied head too",
                source="transformers models/gptj/modeling_gptj.py",
            ),
        ),
        activations=(
            activation_line("logits_kept", "tokens * has_head * vocab_size", "lm_head", "Logits", when="logits"),
        ),
    )
)
"""The output head over the vocabulary; tied, it is stored once and used."""

PROJECTIONS = Block(
    dimensions=(
        optional(
            "n_embedding_projections",
            "Embedding projections",
            about="2 where the embedding width differs from the model's: one in, one out",
        ),
    ),
) + matrix(
    "embedding_projection",
    "d_embedding",
    "d_model",
    group="other",
    copies="n_embedding_projections",
    title="Embedding projections",
    source="Zhang et al. 2205.01068 (OPT-350M)",
    shard="replicated",
)
"""Projections between the embedding's width and the model's."""

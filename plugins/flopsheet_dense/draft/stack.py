"""The lines of a draft: what joins the states that it reads, its layers, and a head of its own where it has one."""

from __future__ import annotations

from flopsheet import Dimension, Line, blocks

EAGLE = "Li et al. 2503.01840 (EAGLE-3), section 3; SpecForge, modeling/draft/llama3_eagle.py"
DFLASH = "SpecForge, modeling/draft/dflash.py, dspark.py and domino.py"

SIZES = blocks.Block(
    dimensions=(
        Dimension(
            "vocab_size",
            "Vocabulary of the draft",
            unit="tokens",
            keys=("draft_vocab_size", "vocab_size"),
            about="Tokens that its head chooses among, the most frequent ones in EAGLE-3",
        ),
        Dimension("d_embedding", "Embedding width", default="d_model"),
        Dimension("d_target", "Width of the states that it reads", keys=("target_hidden_size",), default="d_model"),
        Dimension(
            "n_target_states", "States that it reads", default=3, about="Of so many layers of the model it serves"
        ),
        blocks.optional(
            "n_wide_layers",
            "Layers that read a token next to a state",
            "Their queries, keys and values come from twice the width",
        ),
        blocks.optional("n_state_layers", "Layers whose keys and values come from states too"),
        blocks.optional("n_draft_vectors", "Draft norms and vectors", "Besides those of layers"),
        blocks.optional("n_draft_tables", "Weights of the draft's own tables", "Looked up"),
        blocks.optional("n_draft_matrices", "Weights of other linear layers", "Every token passes them"),
    )
)

JOINING = (
    blocks.linear(
        "draft_states",
        "n_target_states * d_target * d_model",
        group="projector",
        copies="1",
        title="States to the draft's width",
        source=EAGLE,
    )
    + blocks.linear(
        "draft_wide",
        "d_model * (n_heads + 2 * n_kv_heads) * d_head",
        group="attention",
        copies="n_wide_layers",
        title="Queries, keys and values of the second half",
        about="Those of the first half stand with the layers",
        source=EAGLE,
    )
    + blocks.linear(
        "draft_state_kv",
        "2 * d_model * n_kv_heads * d_head",
        group="attention",
        copies="0",
        uses="n_state_layers",
        title="Keys and values of states",
        about="By the weights that tokens pass",
        source=DFLASH,
    )
    + blocks.linear(
        "draft_heads",
        "n_draft_matrices",
        group="other",
        copies="1",
        title="Heads that correct the guesses",
        source=DFLASH,
    )
    + blocks.Block(
        parameters=(
            blocks.whole_weights(
                "draft_vectors", "n_draft_vectors", "norm", "Norms of states and other vectors", source=EAGLE
            ),
            Line(
                "draft_tables", "n_draft_tables", "parameters", "embedding", title="Tables of the draft", source=DFLASH
            ),
        )
    )
)

STACK = (
    blocks.ATTENTION
    + SIZES
    + JOINING
    + blocks.MLP
    + blocks.POSITIONS
    + blocks.LAYER_NORMS
    + blocks.FINAL_NORM
    + blocks.HEAD
)

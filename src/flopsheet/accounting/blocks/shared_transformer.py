"""A transformer block that several layers share: stored once or a few times, used often, as in Zamba and Zamba2."""

from functools import partial

from flopsheet.accounting.blocks.block import Block, activation_line, linear, matrix, norm_line
from flopsheet.accounting.blocks.kinds import flag, optional
from flopsheet.accounting.line import Dimension, Line

ZAMBA = "Glorioso et al. 2405.16712 (Zamba), section 3; transformers models/zamba/modeling_zamba.py"
ZAMBA2 = "Glorioso et al. 2411.15242 (Zamba2), section 2; transformers models/zamba2/modeling_zamba2.py"
COUNTED = "Full square: torch.utils.flop_counter.bmm_flop. Causal pairs counted one by one."

_DIMENSIONS = (
    optional("n_shared_blocks", "Shared blocks", about="Stored: weights that layers share"),
    optional("n_shared_uses", "Uses of shared blocks", about="Layers that pass one of them"),
    Dimension(
        "d_shared",
        "Shared attention's input width",
        keys=("attention_hidden_size",),
        default="2 * d_model",
        about="The layer's input besides the token embedding",
    ),
    flag("shared_mlp_bias", "Biases of the shared MLP"),
    optional("d_adapter", "Rank of the adapters", keys=("adapter_rank",)),
    flag("mlp_adapters", "Adapters of the shared MLP", about="One per use"),
    flag("attention_adapters", "Adapters of the shared attention", about="Three per use"),
)

_shared_matrix = partial(matrix, copies="n_shared_blocks", uses="n_shared_uses", source=ZAMBA)

_ATTENTION = (
    _shared_matrix("shared_q", "d_shared", "n_heads * d_head", group="attention", title="Shared queries")
    + linear(
        "shared_kv",
        "2 * d_shared * n_kv_heads * d_head",
        group="attention",
        sides="2 * d_shared + 2 * n_kv_heads * d_head",
        rows="2 * n_kv_heads * d_head",
        copies="n_shared_blocks",
        uses="n_shared_uses",
        title="Shared keys and values",
        source=ZAMBA,
    )
    + _shared_matrix("shared_out", "n_heads * d_head", "d_model", group="attention", title="Shared attention output")
    + linear(
        "shared_attention_adapters",
        "6 * attention_adapters * d_shared * d_adapter",
        group="attention",
        copies="n_shared_uses",
        title="Adapters of the shared attention",
        about="Two thin matrices each for queries, keys and values; every use has its own",
        source=ZAMBA2,
    )
)

_MLP = (
    linear(
        "shared_mlp_in",
        "2 * d_model * d_ff",
        group="mlp",
        sides="d_model + 2 * d_ff",
        rows="2 * d_ff",
        copies="n_shared_blocks",
        uses="n_shared_uses",
        bias="2 * shared_mlp_bias * d_ff",
        title="Shared MLP in",
        source=ZAMBA,
    )
    + _shared_matrix(
        "shared_mlp_out",
        "d_ff",
        "d_model",
        group="mlp",
        bias="shared_mlp_bias * d_model",
        row=True,
        title="Shared MLP out",
    )
    + linear(
        "shared_mlp_adapters",
        "mlp_adapters * d_adapter * (d_model + 2 * d_ff)",
        group="mlp",
        copies="n_shared_uses",
        title="Adapters of the shared MLP",
        about="Two thin matrices; every use has its own",
        source=ZAMBA2,
    )
    + matrix(
        "shared_projection",
        "d_model",
        "d_model",
        group="other",
        sides="2 * d_model",
        copies="n_shared_uses",
        title="Projection after the shared block",
        about="Every use has its own",
        source=ZAMBA,
        shard="replicated",
    )
)

SHARED_TRANSFORMER = (
    Block(dimensions=_DIMENSIONS)
    + _ATTENTION
    + _MLP
    + Block(
        parameters=(
            norm_line("shared_norms", "n_shared_blocks * (d_shared + d_model)", "Norms of the shared blocks", ZAMBA),
        ),
        flops=(
            Line(
                "shared_core_flops",
                "2 * 2 * batch * pairs * n_shared_uses * n_heads * d_head",
                "FLOP",
                "attention",
                title="Shared attention core",
                about="Scores and their product with the values: 2 FLOP each for a pair and channel",
                source=COUNTED,
                work="attention_core",
            ),
        ),
        memory=(
            Line(
                "shared_kv_cache",
                "2 * batch * kv_dtype_bytes * n_shared_uses * n_kv_heads * d_head * context",
                "bytes",
                "kv_cache",
                title="Key/value cache of the shared blocks",
                about="Every use keeps its own keys and values",
                source="Shazeer 1911.02150, section 2.4",
            ),
        ),
        activations=(
            activation_line(
                "shared_input_kept",
                "2 * tokens * n_shared_uses * (d_shared + d_model)",
                "attention",
                "Inputs of shared blocks and of their norms",
                "replicated",
            ),
            activation_line(
                "shared_heads_kept",
                "tokens * n_shared_uses * (2 * (n_heads + n_kv_heads) * d_head + 3 * d_ff)",
                "attention",
                "Queries, keys, values and what the heads give, and the MLP",
            ),
            activation_line(
                "shared_scores_kept",
                "batch * seq_len * seq_len * n_shared_uses * n_heads",
                "attention",
                "Attention weights of shared blocks",
                "tensor",
                "core",
            ),
        ),
    )
)
"""`n_shared_blocks` blocks of attention and gated MLP, passed `n_shared_uses` times."""

"""The lines of encoders: layers that may share their weights, attention in both directions, and heads on top."""

from flopsheet import Dimension, Line, blocks

BERT = "Devlin et al. 1810.04805; transformers models/bert/modeling_bert.py"
DEBERTA = "He et al. 2006.03654; transformers models/deberta_v2/modeling_deberta_v2.py"
COUNTED = "Full square: torch.utils.flop_counter.bmm_flop. Causal and window pairs counted one by one."

LAYERS = blocks.Block(
    dimensions=(
        Dimension("n_layers", "Layers", keys=("num_hidden_layers",), about="Layers that a token passes"),
        Dimension(
            "n_stored_layers",
            "Stored layers",
            default="n_layers",
            about="Layers with weights of their own; fewer where ALBERT passes one layer many times",
        ),
        Dimension("is_causal", "Used as a decoder", kind="flag", default=0, about="1: tokens see those before them"),
    )
)
_PER_LAYER = blocks.ATTENTION_PROJECTIONS + blocks.MLP + blocks.LAYER_NORMS + blocks.QUERY_KEY_NORMS
_STORED = blocks.instance(_PER_LAYER, "", {"n_layers": "n_stored_layers"})
STACK = blocks.Block(
    blocks.ATTENTION.dimensions + blocks.MLP.dimensions + blocks.LAYER_NORMS.dimensions,
    _STORED.parameters,
    _PER_LAYER.flops,
)

CORE = blocks.Block(
    flops=(
        Line(
            "reach",
            "min(window, seq_len - 1)",
            "tokens",
            title="Reach of a window",
            about="Tokens that a window layer sees on each side",
            additive=False,
        ),
        Line(
            "window_pairs",
            "seq_len * (2 * reach + 1) - reach * (reach + 1) if mask_is_window else full_pairs",
            "pairs",
            title="Query-key pairs of a window layer",
            about="Each token sees itself and at most `window` on each side",
            source="Counted: s(2w+1) - w(w+1) for s above w",
            additive=False,
        ),
        Line(
            "attention_core_flops",
            "4 * batch * n_heads * d_head * (1 - is_causal) * ((n_layers - n_window_layers) * full_pairs"
            " + n_window_layers * window_pairs)",
            "FLOP",
            "attention",
            title="Attention core",
            about="Every token sees every other, whatever the mask of the workload; 2 FLOP a pair and channel, twice",
            source=COUNTED,
            work="attention_core",
            full="4 * batch * full_pairs * (1 - is_causal) * n_layers * n_heads * d_head",
        ),
        Line(
            "causal_core_flops",
            "4 * batch * pairs * is_causal * n_layers * n_heads * d_head",
            "FLOP",
            "attention",
            title="Attention core of a decoder",
            about="Where the stack is used as a decoder",
            source=COUNTED,
            work="attention_core",
            full="4 * batch * seq_len * seq_len * is_causal * n_layers * n_heads * d_head",
        ),
    ),
    memory=(
        Line(
            "kv_cache",
            "2 * batch * kv_dtype_bytes * is_causal * n_layers * n_kv_heads * d_head * context",
            "bytes",
            "kv_cache",
            title="Key/value cache",
            about="Only where the encoder is used as a decoder",
            source="Shazeer 1911.02150, section 2.4",
        ),
    ),
)

EMBEDDING = (
    blocks.EMBEDDING
    + blocks.Block(blocks.POSITIONS.dimensions)
    + blocks.instance(blocks.POSITIONS, "", {"d_model": "d_embedding"})
    + blocks.RELATIVE_POSITIONS
    + blocks.Block(
        dimensions=(
            Dimension("n_token_types", "Token types", keys=("type_vocab_size",), default=0, minimum=0),
            Dimension("embedding_norms", "Norms of the embedding", default=1, minimum=0),
            Dimension("n_embedding_projections", "Embedding projections", default=0, minimum=0),
            Dimension("has_projection_bias", "Bias on the projection", kind="flag", default=1),
        ),
        parameters=(
            Line(
                "token_type_embedding",
                "n_token_types * d_embedding",
                "parameters",
                "embedding",
                title="Token type embedding",
                source=BERT,
            ),
            Line(
                "embedding_norm",
                "embedding_norms * norm_vectors * d_embedding",
                "parameters",
                "norm",
                title="Norm of the embedding",
                source=BERT,
                shard="replicated",
            ),
        ),
    )
    + blocks.linear(
        "embedding_projection",
        "d_embedding * d_model",
        group="other",
        copies="n_embedding_projections",
        bias="has_projection_bias * d_model",
        title="Embedding projection",
        about="From the embedding's width to the model's",
        source="Lan et al. 1909.11942, section 3.1",
    )
)

DISENTANGLED = blocks.Block(
    dimensions=(
        Dimension("n_relative_rows", "Relative positions", unit="rows", default=0, minimum=0),
        Dimension("n_relative_scores", "Scores with relative positions", default=0, minimum=0),
        Dimension("n_relative_uses", "Projections of relative positions, used", default=0, minimum=0),
        Dimension(
            "n_relative_projections",
            "Projections of relative positions, stored",
            default=0,
            minimum=0,
            about="In each layer; 0 where the queries' and keys' own projections serve",
        ),
        Dimension("conv_kernel", "Convolution width", keys=("conv_kernel_size",), default=0, minimum=0),
        Dimension("conv_groups", "Convolution groups", keys=("conv_groups",), default=1),
    ),
    parameters=(
        Line(
            "relative_embedding",
            "n_relative_rows * d_model",
            "parameters",
            "positional",
            title="Relative position embedding",
            source=DEBERTA,
        ),
        Line(
            "conv",
            "(d_model * d_model * conv_kernel / conv_groups + d_model + norm_vectors * d_model) * min(1, conv_kernel)",
            "parameters",
            "conv",
            title="Convolution and its norm",
            about="One, beside the first layer",
            source=DEBERTA,
        ),
    ),
    flops=(
        Line(
            "relative_core_flops",
            "2 * batch * n_layers * n_relative_scores * seq_len * n_relative_rows * n_heads * d_head",
            "FLOP",
            "attention",
            title="Scores with relative positions",
            about="Content to position and position to content",
            source=DEBERTA,
            work="attention_core",
        ),
        Line(
            "conv_flops",
            "2 * tokens * d_model * d_model * conv_kernel / conv_groups",
            "FLOP",
            "conv",
            title="Convolution",
            source="torch.utils.flop_counter.conv_flop",
            work="other",
        ),
    ),
) + blocks.linear(
    "relative_projection",
    "d_model * n_heads * d_head",
    group="attention",
    copies="n_layers * n_relative_projections",
    uses="n_layers * n_relative_uses",
    tokens="n_relative_rows",
    bias="n_heads * d_head",
    title="Projections of relative positions",
    about="Of the table, once for all sequences of a batch",
    source=DEBERTA,
)

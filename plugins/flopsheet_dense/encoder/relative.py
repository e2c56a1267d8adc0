"""DeBERTa's attention: scores of words with relative positions, and a convolution next to the first layer."""

from flopsheet import Dimension, Line, blocks

DEBERTA = (
    "He et al. 2006.03654; transformers models/deberta/modeling_deberta.py, models/deberta_v2/modeling_deberta_v2.py"
)

DISENTANGLED = blocks.Block(
    dimensions=(
        blocks.optional("n_relative_rows", "Relative positions", unit="rows"),
        blocks.flag(
            "relative_fits_length",
            "Relative positions follow the length",
            "1: no more of them are used than a sequence can have",
        ),
        blocks.optional("n_relative_scores", "Scores with relative positions"),
        blocks.optional("n_relative_uses", "Projections of relative positions, used"),
        blocks.optional(
            "n_relative_projections",
            "Projections of relative positions, stored",
            "In each layer; 0 where the queries' and keys' own projections serve",
        ),
        Dimension(
            "n_relative_biases", "Biased projections of relative positions", default="n_relative_projections", minimum=0
        ),
        blocks.optional("conv_kernel", "Convolution width", keys=("conv_kernel_size",)),
        Dimension("conv_groups", "Convolution groups", keys=("conv_groups",), default=1),
    ),
    parameters=(
        blocks.whole_weights(
            "relative_embedding",
            "n_relative_rows * d_model",
            "positional",
            "Relative position embedding",
            source=DEBERTA,
        ),
        Line(
            "relative_projection_bias",
            "n_layers * n_relative_biases * n_heads * d_head",
            "parameters",
            "attention",
            title="Biases of the projections of relative positions",
            source=DEBERTA,
        ),
        blocks.whole_weights(
            "conv",
            "(d_model * d_model * conv_kernel / conv_groups + d_model + norm_vectors * d_model) * min(1, conv_kernel)",
            "conv",
            "Convolution and its norm",
            about="One, next to the first layer",
            source=DEBERTA,
        ),
    ),
    flops=(
        blocks.helper(
            "relative_rows",
            "min(n_relative_rows, 2 * seq_len) if relative_fits_length else n_relative_rows",
            "rows",
            "Relative positions that are used",
            source=DEBERTA,
            decode="n_relative_rows",
        ),
        Line(
            "relative_core_flops",
            "2 * tokens * n_layers * n_relative_scores * relative_rows * n_heads * d_head",
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
    tokens="relative_rows",
    title="Projections of relative positions",
    about="Of the table, once for all sequences of a batch",
    source=DEBERTA,
)

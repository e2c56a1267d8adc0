"""Attention of encoders for long texts: overlapping chunks, as in Longformer, and sparse blocks, as in BigBird."""

from flopsheet import Dimension, Line, blocks

LONGFORMER = "Beltagy et al. 2004.05150, section 3.1; transformers models/longformer/modeling_longformer.py"
BIG_BIRD = "Zaheer et al. 2007.14062, section 2; transformers models/big_bird/modeling_big_bird.py"

DIMENSIONS = (
    Dimension("token_multiple", "Whole chunks of tokens", unit="tokens", default=1, about="Texts are padded to them"),
    blocks.optional("sum_reach", "Total reach of the chunks", "Of all layers, added up", unit="tokens"),
    blocks.optional("sum_reach_squares", "Total of the squared reaches", "Of all layers, added up"),
    blocks.optional("n_global_layers", "Layers with projections of global tokens"),
    blocks.optional("sparse_block", "Sparse block", "0: no sparse blocks", unit="tokens"),
    blocks.optional("n_random_blocks", "Random blocks", "That a block sees besides"),
)


SPARSE = blocks.Block(
    dimensions=DIMENSIONS,
    parameters=(
        Line(
            "global_qkv",
            "3 * n_global_layers * (d_model + 1) * n_heads * d_head",
            "parameters",
            "attention",
            title="Queries, keys and values of global tokens",
            about="No FLOP: no token is global unless the caller says so",
            source=LONGFORMER,
        ),
    ),
    flops=(
        blocks.helper(
            "is_sparse",
            "1 if sparse_block * (5 + 2 * n_random_blocks) < seq_len * min(sparse_block, 1) else 0",
            "flag",
            "The text is long enough for sparse blocks",
            decode="0",
            source=BIG_BIRD,
        ),
        blocks.helper(
            "padded_len",
            "round_up(seq_len, max(sparse_block, 1) if is_sparse else token_multiple)",
            "tokens",
            "Length with padding",
            decode="1",
            about="Some encoders compute on whole blocks",
            source=LONGFORMER,
        ),
        blocks.helper("layer_tokens", "batch * padded_len", "tokens", "Tokens that pass the layers"),
        blocks.helper(
            "sparse_pairs",
            "sparse_block * (2 * padded_len + 2 * (4 + n_random_blocks) * sparse_block"
            " + (padded_len - 4 * sparse_block) * (5 + n_random_blocks))",
            "pairs",
            "Pairs of a layer with sparse blocks",
            about="The outer blocks see all, those next to them 4 blocks, others 5, and random ones besides",
            source=BIG_BIRD,
        ),
        blocks.helper(
            "chunk_pairs",
            "(7 * sum_reach * padded_len - 4 * sum_reach_squares) / 2",
            "pairs",
            "Pairs of all layers with chunks",
            about="Chunks of two reaches overlap by one: scores 4wn - 4w², values 3wn, half of the sum each",
            source=LONGFORMER,
        ),
        blocks.helper(
            "long_pairs",
            "chunk_pairs if sum_reach else is_sparse * n_layers * sparse_pairs",
            "pairs",
            "Pairs of all layers that do not see everything",
            about="0: every layer sees the whole text, or a window of it",
        ),
    ),
)

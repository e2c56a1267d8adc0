"""Tables of n-grams: some layers look up the last tokens by their hashes, and add to the streams what they find."""

from flopsheet import Line, blocks, compose
from flopsheet_moe.lines import matrix
from flopsheet_moe.qwen4.dimensions import QWEN4

CHANNELS = "n_ngram_layers * n_streams * d_model"
"""Channels of all streams in the layers with a table."""

NGRAMS = (
    matrix(
        "ngram_keys",
        "d_ngram_input",
        "n_streams * d_model",
        "other",
        "Keys of n-grams",
        copies="n_ngram_layers",
        source=QWEN4,
    )
    + matrix(
        "ngram_values", "d_ngram_input", "d_model", "other", "Values of n-grams", copies="n_ngram_layers", source=QWEN4
    )
    + blocks.Block(
        parameters=(
            Line(
                "ngram_embedding",
                "n_ngram_rows * d_ngram",
                "parameters",
                "embedding",
                title="Tables of n-grams",
                about="A lookup of one row for each hash: it costs no matrix product",
                source=QWEN4,
            ),
            Line(
                "ngram_conv",
                compose.times(CHANNELS, "d_ngram_conv"),
                "parameters",
                "conv",
                title="Convolutions of n-grams",
                source=QWEN4,
            ),
            blocks.whole_weights(
                "ngram_norms",
                compose.times("3", CHANNELS),
                "norm",
                "Norms of n-grams",
                about="Of keys, of the streams that they are held against, and of what the convolution reads",
                source=QWEN4,
            ),
        ),
        flops=(
            Line(
                "ngram_conv_flops",
                compose.times("2", "tokens", CHANNELS, "d_ngram_conv"),
                "FLOP",
                "conv",
                title="Convolutions of n-grams",
                source="torch.utils.flop_counter.conv_flop",
                work="other",
            ),
        ),
        memory=(
            Line(
                "ngram_conv_state",
                compose.times("batch", "conv_dtype_bytes", CHANNELS, "ngram_size", "d_ngram_conv - 1"),
                "bytes",
                "state",
                title="Convolution states of n-grams",
                about="The columns between the first and the last tap, which are `ngram_size` tokens apart",
                source="transformers LinearAttentionLayer",
            ),
            Line(
                "ngram_context",
                "8 * batch * n_ngram_layers * (ngram_size - 1)",
                "bytes",
                "state",
                title="Last tokens of n-grams",
                about="Whole numbers of 8 bytes, kept by each layer with a table",
                source="transformers LinearAttentionLayer",
            ),
        ),
        activations=(
            blocks.activation_line(
                "ngrams_kept",
                "tokens * n_ngram_layers * (d_ngram_input + d_model + n_streams * (7 * d_model + 2))",
                "other",
                "What is looked up, keys, values and streams around their norms, gates and convolutions",
                "replicated",
                source=QWEN4,
            ),
        ),
    )
)

"""How many tokens each side reads, and how many query-key pairs its layers compute: helper lines of all others."""

from flopsheet import blocks

PADDED = "transformers models/whisper/modeling_whisper.py: every recording is padded"
BIG_BIRD = "Zaheer et al. 2007.14062, section 2; transformers models/bigbird_pegasus/modeling_bigbird_pegasus.py"
LED = "Beltagy et al. 2004.05150, section 3.1; transformers models/led/modeling_led.py"
PEGASUS_X = "Phang et al. 2208.04347, section 4; transformers models/pegasus_x/modeling_pegasus_x.py"
STREAMS = "ProphetNet, 2001.04063, section 2.2"
LOCAL = "LongT5, 2112.07916, section 3.2; transformers models/longt5/modeling_longt5.py"


LENGTHS = blocks.Block(
    flops=(
        blocks.helper(
            "source_len",
            "has_encoder * (fixed_source_len if fixed_source_len else seq_len)",
            "tokens",
            "Source length",
            source=PADDED,
        ),
        blocks.helper("source_tokens", "batch * source_len", "tokens", "Source tokens"),
        blocks.helper(
            "is_sparse",
            "1 if sparse_block * (5 + 2 * n_random_blocks) < source_len * min(sparse_block, 1) else 0",
            "flag",
            "The source is long enough for sparse blocks",
            source=BIG_BIRD,
        ),
        blocks.helper(
            "encoder_len",
            "round_up(source_len, max(sparse_block, 1) if is_sparse else source_multiple)",
            "tokens",
            "Source length with padding",
            "Some encoders compute on whole blocks",
            LED,
        ),
        blocks.helper("encoder_tokens", "batch * (encoder_len + n_global_tokens)", "tokens", "Encoder tokens"),
        blocks.helper(
            "decoder_tokens",
            "target_tokens * (1 + n_predict_streams)",
            "tokens",
            "Decoder tokens",
            "Target tokens of all streams",
            STREAMS,
        ),
        blocks.helper(
            "head_tokens", "target_tokens * max(n_predict_streams, 1)", "tokens", "Tokens at the head", source=STREAMS
        ),
        blocks.helper(
            "n_global_blocks",
            "floor(source_len / max(global_block, 1)) if global_block else 0",
            "blocks",
            "Global blocks",
            source=LOCAL,
        ),
        blocks.helper(
            "sparse_pairs",
            "sparse_block * (2 * encoder_len + 2 * (4 + n_random_blocks) * sparse_block"
            " + (encoder_len - 4 * sparse_block) * (5 + n_random_blocks))",
            "pairs",
            "Encoder pairs of a layer with sparse blocks",
            "First and last block see all; the second and the last but one 4 blocks, others 5; random blocks besides",
            BIG_BIRD,
        ),
        blocks.helper(
            "square_pairs",
            "sparse_pairs if is_sparse else source_len * source_len",
            "pairs",
            "Encoder pairs of a layer without local blocks",
            "Full square, or sparse blocks",
        ),
        blocks.helper(
            "encoder_full_pairs",
            "round_up(source_len, max(local_block, 1)) * (3 * local_block + n_global_blocks) if local_block"
            " else square_pairs",
            "pairs",
            "Encoder pairs of a layer",
            "Full square; or a block with its two neighbors and the global blocks; or sparse blocks",
            LOCAL,
        ),
        blocks.helper(
            "chunk_pairs",
            "(7 * sum_reach * encoder_len - 4 * sum_reach_squares) / 2",
            "pairs",
            "Encoder pairs of all layers with chunks",
            "Chunks of two reaches overlap by one: scores 4wn - 4w², values 3wn, half of the sum each",
            LED,
        ),
        blocks.helper(
            "block_pairs",
            "encoder_layers * (encoder_len * (token_block + 2 * n_global_tokens) + n_global_tokens * n_global_tokens)"
            " + n_staggered_layers * token_block * (token_block + 2 * n_global_tokens)",
            "pairs",
            "Encoder pairs of all layers with blocks and global tokens",
            "Tokens see their block and the global tokens, these see all; a staggered layer has a block more",
            PEGASUS_X,
        ),
        blocks.helper(
            "pattern_pairs",
            "chunk_pairs if sum_reach else block_pairs",
            "pairs",
            "Encoder pairs of all layers with chunks or blocks",
        ),
        blocks.helper(
            "encoder_reach",
            "min(source_len - 1, encoder_window)",
            "tokens",
            "Tokens that an encoder's window layer sees to either side",
        ),
        blocks.helper(
            "encoder_window_pairs",
            "source_len + encoder_reach * (2 * source_len - encoder_reach - 1) if mask_is_window"
            " else encoder_full_pairs",
            "pairs",
            "Encoder pairs of a window layer",
            source="Counted: s + 2((s-1) + (s-2) + … + (s-W)) for W below s",
        ),
        blocks.helper(
            "target_window_tokens", "min(target_len, decoder_window)", "tokens", "Target tokens inside the window"
        ),
        blocks.helper(
            "target_window_pairs",
            "target_len * target_window_tokens - target_window_tokens * (target_window_tokens - 1) / 2"
            " if mask_is_window else target_pairs",
            "pairs",
            "Target pairs of a window layer",
            source="Counted: sW - W(W-1)/2 for s of at least W",
        ),
    )
)
"""The source is `fixed_source_len` tokens where a type always pads to it."""

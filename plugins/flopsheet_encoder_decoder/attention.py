"""Attention of an encoder-decoder: each side's own, with windows and local blocks, and cross attention."""

from dataclasses import replace
from typing import Any

from flopsheet import Line, blocks

CORES: dict[str, dict[str, Any]] = {
    "encoder_attention_core_flops": {
        "formula": "2 * 2 * batch * encoder_heads * encoder_d_head * (pattern_pairs if sum_reach + token_block"
        " else (encoder_layers - encoder_window_layers) * encoder_full_pairs"
        " + encoder_window_layers * encoder_window_pairs)",
    },
    "decoder_attention_core_flops": {
        "formula": "2 * 2 * batch * decoder_heads * decoder_d_head * ((decoder_layers - decoder_window_layers)"
        " * target_pairs + decoder_window_layers * target_window_pairs) * (1 + 2 * n_predict_streams)",
        "about": "Scores and their product with the values: 2 FLOP each for a pair and channel. A stream that"
        " predicts sees the main one and itself",
        "decode": "2 * 2 * batch * decoder_heads * decoder_d_head * ((1 + n_predict_streams)"
        " * ((decoder_layers - decoder_window_layers) * context + decoder_window_layers * min(context, decoder_window))"
        " + decoder_layers * n_predict_streams)",
    },
    "cross_attention_core_flops": {
        "decode": "2 * 2 * batch * (1 + n_predict_streams) * heard_len"
        " * decoder_layers * decoder_heads * decoder_d_head"
    },
    "decoder_kv_cache": {
        "formula": "2 * batch * kv_dtype_bytes * decoder_kv_heads * decoder_d_head"
        " * ((decoder_layers - decoder_window_layers) * context"
        " + decoder_window_layers * min(context, max(decoder_window - 1, 0)))",
        "about": "Keys and values of each token of the context; a window layer keeps the last `window` - 1, which the"
        " next token still sees",
    },
}
"""What windows, local blocks and streams change in the lines of the common blocks."""

CROSS = blocks.instance(
    blocks.CROSS_ATTENTION,
    "cross_",
    {
        "n_layers": "decoder_layers",
        "n_heads": "decoder_heads",
        "n_kv_heads": "decoder_kv_heads",
        "d_head": "decoder_d_head",
        "d_model": "decoder_d_model",
        "d_source": "d_source",
        "tokens": "heard_tokens",
        "seq_len": "heard_len",
        "target_tokens": "has_encoder * decoder_tokens",
        "target_len": "target_len * (1 + n_predict_streams)",
    },
)


def with_windows(block: blocks.Block) -> blocks.Block:
    """Return lines with the cores and caches that windows, local blocks and streams need."""
    flops, memory = (
        tuple(line._replace(**CORES.get(line.name, {})) for line in lines) for lines in (block.flops, block.memory)
    )
    return replace(block, flops=flops, memory=memory)


STREAM_POSITIONS = blocks.linear(
    "stream_positions",
    "decoder_d_model * n_stream_buckets * decoder_heads",
    group="positional",
    copies="decoder_layers",
    tokens="decoder_tokens",
    bias="n_stream_buckets * decoder_heads",
    title="Relative positions of the streams",
    about="Made from the tokens by a layer of their own",
    source="ProphetNet, 2001.04063; transformers models/prophetnet/modeling_prophetnet.py",
) + blocks.Block(
    parameters=(
        blocks.whole_weights(
            "stream_embedding",
            "n_predict_streams * decoder_d_model",
            "positional",
            "Embedding of the streams",
            source="ProphetNet, 2001.04063; transformers models/prophetnet/modeling_prophetnet.py",
        ),
    )
)
"""What ProphetNet's decoder has next to its main stream."""

GLOBAL_PROJECTIONS = blocks.Block(
    parameters=(
        Line(
            "encoder_global_qkv",
            "3 * n_global_layers * d_model * (encoder_heads * encoder_d_head + encoder_qkv_bias)",
            "parameters",
            "attention",
            title="Queries, keys and values of global tokens",
            about="No FLOP: no token is global unless the caller says so",
            source="Beltagy et al. 2004.05150, section 3.1; transformers models/led/modeling_led.py",
        ),
    )
)
"""What LED's encoder has for tokens that see all others."""

GLOBAL_TOKENS = blocks.Block(
    parameters=(
        blocks.whole_weights(
            "global_tokens",
            "n_global_tokens * d_model",
            "embedding",
            "Global tokens",
            source="Phang et al. 2208.04347, section 4; transformers models/pegasus_x/modeling_pegasus_x.py",
        ),
    ),
    flops=(
        Line(
            "stagger_flops",
            "2 * batch * n_staggered_layers * token_block * 2 * d_model * encoder_d_head"
            " * (encoder_heads + encoder_kv_heads)",
            "FLOP",
            "attention",
            title="Projections of the padding that shifts blocks",
            about="Half a block at each end passes queries, keys, values and output",
            source="transformers models/pegasus_x/modeling_pegasus_x.py, pad_local_tokens",
            work="linear",
            decode="0",
        ),
    ),
)
"""What PEGASUS-X's encoder has: global tokens, and blocks that are shifted in every second layer."""

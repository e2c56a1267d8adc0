"""What an encoder-decoder is described by: its two sides, their tables, and what few types have."""

from flopsheet import Dimension, blocks

SIDES = (
    Dimension(
        "has_encoder",
        "Has an encoder",
        kind="flag",
        default=1,
        about="0: a class of the decoder alone, which has the weights of cross attention and nothing to read by them",
    ),
    Dimension("has_decoder", "Has a decoder", kind="flag", default=1, about="0: a class of the encoder alone"),
    Dimension("d_model", "Model width", keys=("d_model",), about="Width of the residual streams"),
    Dimension("decoder_d_model", "Decoder width", default="d_model", about="Differs in few types"),
    Dimension(
        "encoder_layers",
        "Encoder layers",
        keys=("encoder_layers",),
        minimum=0,
        about="0 where a tower is the encoder: the source is then what it gives",
    ),
    Dimension("encoder_heads", "Encoder heads", keys=("encoder_attention_heads",)),
    Dimension("encoder_kv_heads", "Encoder key/value heads", default="encoder_heads"),
    Dimension("encoder_d_ff", "Encoder MLP width", keys=("encoder_ffn_dim",)),
    Dimension("decoder_layers", "Decoder layers", keys=("decoder_layers",), default="encoder_layers", minimum=0),
    Dimension("decoder_heads", "Decoder heads", keys=("decoder_attention_heads",), default="encoder_heads"),
    Dimension("decoder_kv_heads", "Decoder key/value heads", default="decoder_heads"),
    Dimension("decoder_d_ff", "Decoder MLP width", keys=("decoder_ffn_dim",), default="encoder_d_ff"),
    Dimension("encoder_d_head", "Encoder head size", keys=("d_kv",), default="d_model / encoder_heads"),
    Dimension("decoder_d_head", "Decoder head size", keys=("d_kv",), default="decoder_d_model / decoder_heads"),
)

BIASES = (
    blocks.flag("qkv_bias", "Biases on queries, keys, values"),
    Dimension("k_bias", "Biases on keys", kind="flag", default="qkv_bias", about="Whisper has none"),
    blocks.flag("out_bias", "Bias on the attention output"),
    Dimension("encoder_qkv_bias", "Biases on the encoder's queries and values", kind="flag", default="qkv_bias"),
    Dimension("encoder_k_bias", "Biases on the encoder's keys", kind="flag", default="k_bias"),
    Dimension("encoder_out_bias", "Bias on the encoder's attention output", kind="flag", default="out_bias"),
)

MLP_AND_NORMS = (
    Dimension("mlp_matrices", "MLP matrices", default=2, minimum=2, about="2 plain, 3 gated"),
    Dimension("encoder_mlp_matrices", "Encoder MLP matrices", default="mlp_matrices", minimum=2),
    Dimension("decoder_mlp_matrices", "Decoder MLP matrices", default="mlp_matrices", minimum=2),
    blocks.flag("mlp_bias", "MLP biases", "Experts have them too"),
    Dimension("encoder_mlp_bias", "Encoder MLP biases", kind="flag", default="mlp_bias"),
    Dimension("norm_vectors", "Vectors per norm", default=1, minimum=0, about="RMSNorm 1, LayerNorm 2"),
    Dimension("encoder_norms", "Norms per encoder layer", default=2, minimum=0),
    Dimension("decoder_norms", "Norms per decoder layer", default=3, minimum=0),
    Dimension("encoder_final_norms", "Encoder norms outside the layers", default=1, minimum=0),
    Dimension("decoder_final_norms", "Decoder norms outside the layers", default=1, minimum=0),
)

EXPERTS = (
    blocks.optional("encoder_moe_layers", "Encoder layers with experts"),
    blocks.optional("decoder_moe_layers", "Decoder layers with experts"),
    blocks.optional("n_experts", "Routed experts", keys=("num_experts",)),
    Dimension("top_k", "Experts per token", default=1),
    blocks.flag("has_router_bias", "Router bias", keys=("router_bias",)),
)

POSITIONS = (
    blocks.optional(
        "max_positions",
        "Longest sequence",
        "What each side was made for; 0 where nothing limits it",
        unit="tokens",
        keys=("max_position_embeddings",),
    ),
    blocks.optional("n_position_rows", "Learned positions", "Rows of each table", unit="rows"),
    Dimension("encoder_position_rows", "Encoder positions", unit="rows", default="n_position_rows", minimum=0),
    Dimension("decoder_position_rows", "Decoder positions", unit="rows", default="n_position_rows", minimum=0),
    blocks.optional("n_position_buckets", "Relative position buckets", keys=("relative_attention_num_buckets",)),
    Dimension("encoder_position_tables", "Encoder relative position tables", default=1, minimum=0),
    Dimension("decoder_position_tables", "Decoder relative position tables", default=1, minimum=0),
)

SOURCE = (
    blocks.optional(
        "fixed_source_len",
        "Fixed source length",
        "Whisper pads every recording to it, whatever the workload says; 0: the source is seq_len tokens",
        unit="tokens",
    ),
)

PAGE = (
    blocks.optional(
        "n_page_weights",
        "Weights that read a page",
        "Convolutions over its picture with biases, and relative places of its words: no counted FLOP",
    ),
)

WINDOWS = (
    blocks.optional("encoder_window_layers", "Encoder window layers"),
    blocks.optional("encoder_window", "Encoder window", "To either side", unit="tokens"),
    blocks.optional("decoder_window_layers", "Decoder window layers"),
    blocks.optional("decoder_window", "Decoder window", "Back, with the token", unit="tokens"),
    blocks.optional(
        "local_block",
        "Tokens per local block",
        "The encoder's tokens see their block and its neighbors; 0: they see all tokens",
        unit="tokens",
    ),
    blocks.optional(
        "global_block",
        "Tokens per global block",
        "The encoder's tokens see the sum of each such block too; 0: there are none",
        unit="tokens",
    ),
)

SPARSE = (
    Dimension("source_multiple", "Source padded to a multiple of", unit="tokens", default=1, about="LED: its window"),
    blocks.optional(
        "sum_reach",
        "Tokens seen to either side, all chunked layers",
        "LED's windows by halves, summed over the layers; 0: no layer has chunks",
        unit="tokens",
    ),
    blocks.optional("sum_reach_squares", "Their squares, all chunked layers"),
    blocks.optional("n_global_layers", "Encoder layers with global projections"),
    blocks.optional("sparse_block", "Tokens per sparse block", "BigBird; 0: none", unit="tokens"),
    blocks.optional("n_random_blocks", "Random blocks per block"),
    blocks.optional("n_global_tokens", "Global tokens", "PEGASUS-X; they come before the source"),
    blocks.optional(
        "token_block",
        "Tokens per block that sees itself",
        "PEGASUS-X: itself and the global tokens; 0: none",
        unit="tokens",
    ),
    blocks.optional("n_staggered_layers", "Staggered layers", "Their blocks are shifted by half"),
)

STREAMS = (
    blocks.optional(
        "n_predict_streams",
        "Future tokens predicted",
        "ProphetNet's decoder has a stream for each besides the main one; 0: the next token alone",
    ),
    blocks.optional("n_stream_buckets", "Relative position buckets of the streams"),
)

DIMENSIONS = SIDES + BIASES + MLP_AND_NORMS + EXPERTS + POSITIONS + SOURCE + PAGE + WINDOWS + SPARSE + STREAMS

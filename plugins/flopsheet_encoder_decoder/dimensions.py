"""What an encoder-decoder is described by: its two sides, their tables, and what few types have."""

from flopsheet import Dimension

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
    Dimension("qkv_bias", "Biases on queries, keys, values", kind="flag", default=0),
    Dimension("k_bias", "Biases on keys", kind="flag", default="qkv_bias", about="Whisper has none"),
    Dimension("out_bias", "Bias on the attention output", kind="flag", default=0),
    Dimension("encoder_qkv_bias", "Biases on the encoder's queries and values", kind="flag", default="qkv_bias"),
    Dimension("encoder_k_bias", "Biases on the encoder's keys", kind="flag", default="k_bias"),
    Dimension("encoder_out_bias", "Bias on the encoder's attention output", kind="flag", default="out_bias"),
)

MLP_AND_NORMS = (
    Dimension("mlp_matrices", "MLP matrices", default=2, minimum=2, about="2 plain, 3 gated"),
    Dimension("encoder_mlp_matrices", "Encoder MLP matrices", default="mlp_matrices", minimum=2),
    Dimension("decoder_mlp_matrices", "Decoder MLP matrices", default="mlp_matrices", minimum=2),
    Dimension("mlp_bias", "MLP biases", kind="flag", default=0, about="Experts have them too"),
    Dimension("encoder_mlp_bias", "Encoder MLP biases", kind="flag", default="mlp_bias"),
    Dimension("norm_vectors", "Vectors per norm", default=1, minimum=0, about="RMSNorm 1, LayerNorm 2"),
    Dimension("encoder_norms", "Norms per encoder layer", default=2, minimum=0),
    Dimension("decoder_norms", "Norms per decoder layer", default=3, minimum=0),
    Dimension("encoder_final_norms", "Encoder norms outside the layers", default=1, minimum=0),
    Dimension("decoder_final_norms", "Decoder norms outside the layers", default=1, minimum=0),
)

EXPERTS = (
    Dimension("encoder_moe_layers", "Encoder layers with experts", default=0, minimum=0),
    Dimension("decoder_moe_layers", "Decoder layers with experts", default=0, minimum=0),
    Dimension("n_experts", "Routed experts", keys=("num_experts",), default=0, minimum=0),
    Dimension("top_k", "Experts per token", default=1),
    Dimension("has_router_bias", "Router bias", kind="flag", keys=("router_bias",), default=0),
)

POSITIONS = (
    Dimension(
        "max_positions",
        "Longest sequence",
        unit="tokens",
        keys=("max_position_embeddings",),
        default=0,
        minimum=0,
        about="What each side was made for; 0 where nothing limits it",
    ),
    Dimension("n_position_rows", "Learned positions", unit="rows", default=0, minimum=0, about="Rows of each table"),
    Dimension("encoder_position_rows", "Encoder positions", unit="rows", default="n_position_rows", minimum=0),
    Dimension("decoder_position_rows", "Decoder positions", unit="rows", default="n_position_rows", minimum=0),
    Dimension(
        "n_position_buckets",
        "Relative position buckets",
        keys=("relative_attention_num_buckets",),
        default=0,
        minimum=0,
    ),
    Dimension("encoder_position_tables", "Encoder relative position tables", default=1, minimum=0),
    Dimension("decoder_position_tables", "Decoder relative position tables", default=1, minimum=0),
)

SOURCE = (
    Dimension(
        "fixed_source_len",
        "Fixed source length",
        unit="tokens",
        default=0,
        minimum=0,
        about="Whisper pads every recording to it, whatever the workload says; 0: the source is seq_len tokens",
    ),
)

PAGE = (
    Dimension(
        "n_page_weights",
        "Weights that read a page",
        default=0,
        minimum=0,
        about="Convolutions over its picture with biases, and relative places of its words: no counted FLOP",
    ),
)

WINDOWS = (
    Dimension("encoder_window_layers", "Encoder window layers", default=0, minimum=0),
    Dimension("encoder_window", "Encoder window", unit="tokens", default=0, minimum=0, about="To either side"),
    Dimension("decoder_window_layers", "Decoder window layers", default=0, minimum=0),
    Dimension("decoder_window", "Decoder window", unit="tokens", default=0, minimum=0, about="Back, with the token"),
    Dimension(
        "local_block",
        "Tokens per local block",
        unit="tokens",
        default=0,
        minimum=0,
        about="The encoder's tokens see their block and its neighbors; 0: they see all tokens",
    ),
    Dimension(
        "global_block",
        "Tokens per global block",
        unit="tokens",
        default=0,
        minimum=0,
        about="The encoder's tokens see the sum of each such block too; 0: there are none",
    ),
)

SPARSE = (
    Dimension("source_multiple", "Source padded to a multiple of", unit="tokens", default=1, about="LED: its window"),
    Dimension(
        "sum_reach",
        "Tokens seen to either side, all chunked layers",
        unit="tokens",
        default=0,
        minimum=0,
        about="LED's windows by halves, summed over the layers; 0: no layer has chunks",
    ),
    Dimension("sum_reach_squares", "Their squares, all chunked layers", default=0, minimum=0),
    Dimension("n_global_layers", "Encoder layers with global projections", default=0, minimum=0),
    Dimension("sparse_block", "Tokens per sparse block", unit="tokens", default=0, minimum=0, about="BigBird; 0: none"),
    Dimension("n_random_blocks", "Random blocks per block", default=0, minimum=0),
    Dimension("n_global_tokens", "Global tokens", default=0, minimum=0, about="PEGASUS-X; they come before the source"),
    Dimension(
        "token_block",
        "Tokens per block that sees itself",
        unit="tokens",
        default=0,
        minimum=0,
        about="PEGASUS-X: itself and the global tokens; 0: none",
    ),
    Dimension("n_staggered_layers", "Staggered layers", default=0, minimum=0, about="Their blocks are shifted by half"),
)

STREAMS = (
    Dimension(
        "n_predict_streams",
        "Future tokens predicted",
        default=0,
        minimum=0,
        about="ProphetNet's decoder has a stream for each besides the main one; 0: the next token alone",
    ),
    Dimension("n_stream_buckets", "Relative position buckets of the streams", default=0, minimum=0),
)

DIMENSIONS = SIDES + BIASES + MLP_AND_NORMS + EXPERTS + POSITIONS + SOURCE + PAGE + WINDOWS + SPARSE + STREAMS

"""What an encoder that hears has next to attention and MLP: convolutions over sound, and relative positions."""

from flopsheet import Dimension, Line, blocks

WHISPER = "Radford et al. 2212.04356, section 2.2; transformers models/whisper/modeling_whisper.py"
CONFORMER = "Gulati et al. 2005.08100, section 2; transformers models/parakeet/modeling_parakeet.py"
RELATIVE = "Dai et al. 1901.02860, section 3.3; transformers models/parakeet/modeling_parakeet.py"
JOINED = "transformers models/cohere_asr/modeling_cohere_asr.py, proj"

DIMENSIONS = (
    blocks.optional("stem_weights", "Convolutions over the sound: weights", "0: the source is text"),
    blocks.optional(
        "stem_products",
        "Convolutions over the sound: products",
        "Multiply-adds for one source position: early convolutions work on more positions than there are in the end",
        kind="ratio",
    ),
    blocks.optional(
        "stem_edge_products",
        "Convolutions over the sound: products at the edge",
        "Multiply-adds that a recording takes beyond those, where convolutions need more than their positions",
        kind="ratio",
    ),
    blocks.optional("stem_linear_weights", "Linear layers over the sound: weights", "Each source position passes them"),
    blocks.optional("stem_vectors", "Sound: vectors", "Numbers of norms and biases before the encoder's layers"),
    blocks.optional("encoder_conv_weights", "Encoder convolutions per layer: weights", "Of a conformer's convolutions"),
    blocks.optional("encoder_layer_vectors", "Encoder vectors per layer", "Numbers that no other line of a layer has"),
    blocks.optional(
        "encoder_position_weights",
        "Weights of relative positions per encoder layer",
        "Of the matrix that each distance between two positions passes",
    ),
    blocks.flag(
        "encoder_scores_positions",
        "The encoder scores relative positions",
        "Each query is multiplied with the vectors of positions relative to it",
    ),
    blocks.flag(
        "encoder_scores_distances",
        "Scores are of all distances",
        "1: of the 2s - 1 distances, shifted into place; 0: of the s positions",
    ),
    blocks.flag(
        "encoder_distances_once", "Distances pass once for a batch", "0: in each sequence, as some classes repeat them"
    ),
    blocks.optional("bridge_weights", "Weights between encoder and decoder", "Each source position passes them"),
    blocks.optional("bridge_vectors", "Vectors between encoder and decoder", "Biases and norms of what joins the two"),
    Dimension("d_source", "Width that cross attention reads", keys=("cross_attention_hidden_size",), default="d_model"),
)

_LINES = blocks.Block(
    parameters=(
        blocks.whole_weights("stem_conv", "stem_weights", "conv", "Convolutions over the sound", source=WHISPER),
        blocks.whole_weights(
            "encoder_conv", "encoder_layers * encoder_conv_weights", "conv", "Encoder convolutions", source=CONFORMER
        ),
        blocks.whole_weights(
            "sound_vectors",
            "stem_vectors + encoder_layers * encoder_layer_vectors + bridge_vectors",
            "other",
            "Norms, biases and other vectors around the sound",
            source=CONFORMER,
        ),
    ),
    flops=(
        Line(
            "stem_conv_flops",
            "2 * batch * (stem_products * source_len + stem_edge_products * min(1, source_len))",
            "FLOP",
            "conv",
            title="Convolutions over the sound",
            about="Of the shortest recording that has so many positions",
            source=WHISPER,
            work="other",
            decode="0",
        ),
        Line(
            "encoder_conv_flops",
            "2 * encoder_tokens * encoder_layers * encoder_conv_weights",
            "FLOP",
            "conv",
            title="Encoder convolutions",
            source=CONFORMER,
            work="other",
            decode="0",
        ),
        Line(
            "encoder_distances_flops",
            "2 * (1 if encoder_distances_once else batch) * max(0, 2 * source_len - 1) * encoder_layers"
            " * encoder_position_weights",
            "FLOP",
            "positional",
            title="Encoder relative positions",
            about="Each of the 2s - 1 distances passes a matrix",
            source=RELATIVE,
            work="linear",
            decode="0",
        ),
        Line(
            "encoder_position_core_flops",
            "2 * encoder_scores_positions * encoder_tokens * encoder_layers * encoder_heads * encoder_d_head"
            " * max(0, 2 * source_len - 1 if encoder_scores_distances else source_len)",
            "FLOP",
            "positional",
            title="Encoder scores of relative positions",
            source=RELATIVE,
            work="attention_core",
            decode="0",
        ),
    ),
    activations=(
        blocks.activation_line(
            "encoder_conv_kept",
            "6 * min(1, encoder_conv_weights) * encoder_tokens * encoder_layers * d_model",
            "conv",
            "Inputs of a conformer's convolutions, gate and activation",
            "replicated",
            source=f"{CONFORMER}; counted in what torch saves",
        ),
        blocks.activation_line(
            "encoder_positions_kept",
            "min(1, encoder_position_weights) * encoder_layers * encoder_heads * encoder_d_head"
            " * (encoder_tokens + (1 if encoder_distances_once else batch) * max(0, 2 * source_len - 1))",
            "positional",
            "Queries that relative positions are scored with, and projected positions",
            source=f"{RELATIVE}; counted in what torch saves",
        ),
        blocks.activation_line(
            "encoder_keyed_positions_kept",
            "encoder_scores_positions * (1 - encoder_scores_distances) * encoder_layers * encoder_d_head"
            " * source_len * source_len",
            "positional",
            "Position vectors of all pairs, which each layer looks up",
            source=f"{RELATIVE}; counted in what torch saves",
        )._replace(about="SpeechT5 looks them up once for all layers, and keeps less"),
    ),
)

SOUND = (
    blocks.Block(DIMENSIONS)
    + _LINES
    + blocks.Block(
        parameters=(
            Line(
                "encoder_distances",
                "encoder_layers * encoder_position_weights",
                "parameters",
                "positional",
                title="Encoder relative positions",
                source=RELATIVE,
            ),
        )
    )
    + blocks.linear(
        "stem_linear",
        "stem_linear_weights",
        group="conv",
        copies="1",
        tokens="source_tokens",
        decode="0",
        title="Linear layers over the sound",
        source=CONFORMER,
        shard="replicated",
    )
    + blocks.linear(
        "bridge",
        "bridge_weights",
        group="cross_attention",
        copies="1",
        tokens="source_tokens",
        decode="0",
        title="Between encoder and decoder",
        source=JOINED,
    )
)
"""Of an encoder that reads text all of these are 0."""

"""The lines of an encoder-decoder: two stacks, cross attention, tables and head."""

from dataclasses import replace

from flopsheet import Line, blocks, compose
from flopsheet_encoder_decoder.adapter import ADAPTER
from flopsheet_encoder_decoder.attention import CROSS, GLOBAL_PROJECTIONS, GLOBAL_TOKENS, STREAM_POSITIONS, with_windows
from flopsheet_encoder_decoder.dimensions import DIMENSIONS
from flopsheet_encoder_decoder.experts import EXPERTS
from flopsheet_encoder_decoder.lengths import LENGTHS
from flopsheet_encoder_decoder.sound import SOUND
from flopsheet_encoder_decoder.tables import ENDS, HEAD, OWN_TABLES, PAGE

GLOBAL = "LongT5, 2112.07916, section 3.2 (transient global attention)"
PARTS = blocks.SELF_ATTENTION + blocks.LAYER_NORMS + blocks.FINAL_NORM + blocks.POSITIONS + blocks.RELATIVE_POSITIONS

SIDES = {
    "encoder": {
        "tokens": "encoder_tokens",
        "seq_len": "source_len",
        "qkv_bias": "encoder_qkv_bias",
        "k_bias": "encoder_k_bias",
        "out_bias": "encoder_out_bias",
        "mlp_matrices": "encoder_mlp_matrices",
        "mlp_bias": "encoder_mlp_bias",
    },
    "decoder": {
        "mlp_matrices": "decoder_mlp_matrices",
        "tokens": "decoder_tokens",
        "seq_len": "target_len",
        "pairs": "target_pairs",
        "d_model": "decoder_d_model",
    },
}


def _side(side: str, decode: str = "") -> blocks.Block:
    """Return the self-attention, MLPs, experts, norms and positions of one side; `decode` is "0" for the encoder's."""
    own = ("heads", "kv_heads", "d_head", "d_ff", "moe_layers", "final_norms", "position_rows", "position_tables")
    names = {name if name.startswith(("d_", "final")) else f"n_{name}": f"{side}_{name}" for name in own}
    names |= {
        "n_layers": f"{side}_layers",
        "norms_per_layer": f"{side}_norms",
        "fused_qkv": "0",
        "fused_mlp_in": "0",
    } | SIDES[side]
    dense = names | {"n_layers": compose.minus(f"{side}_layers", f"{side}_moe_layers")}
    block = blocks.instance(PARTS, f"{side}_", names) + blocks.instance(blocks.MLP, f"{side}_", dense)
    block = with_windows(block + blocks.instance(EXPERTS, f"{side}_", names))
    return replace(block, flops=tuple(line._replace(decode=decode or line.decode) for line in block.flops))


GLOBAL_BLOCKS = blocks.Block(
    flops=(
        Line(
            "global_sums_flops",
            "2 * batch * encoder_layers * source_len * n_global_blocks * d_model",
            "FLOP",
            "attention",
            title="Sums of the global blocks",
            about="A product with a matrix of ones and zeros",
            source=GLOBAL,
            work="attention_core",
            decode="0",
        ),
        Line(
            "global_kv_flops",
            "2 * 2 * batch * encoder_layers * n_global_blocks * d_model * encoder_kv_heads * encoder_d_head",
            "FLOP",
            "attention",
            title="Keys and values of the global blocks",
            about="Through the weights of the tokens' keys and values",
            source=GLOBAL,
            work="linear",
            decode="0",
        ),
    )
)

ENCODER, DECODER = _side("encoder", "0"), _side("decoder")
STACK = (
    blocks.Block(DIMENSIONS)
    + LENGTHS
    + replace(ENCODER, memory=())
    + DECODER
    + ADAPTER
    + with_windows(CROSS)
    + GLOBAL_BLOCKS
    + GLOBAL_PROJECTIONS
    + GLOBAL_TOKENS
    + STREAM_POSITIONS
    + SOUND
    + PAGE
    + blocks.EMBEDDING
    + OWN_TABLES
    + blocks.Block(blocks.HEAD.dimensions)
    + HEAD
    + ENDS
)

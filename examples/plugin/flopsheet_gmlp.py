"""gMLP: a language model without attention, whose tokens mix by a learned matrix, counted by flopsheet."""

from flopsheet import Architecture, Dimension, Family, Line, Rule, blocks, hookimpl

PAPER = "Liu et al. 2105.08050, section 2"
MIXING = "n_layers * max_positions * (max_positions + 1)"
CORE = "2 * batch * pairs * n_layers * d_gate"
CACHE = "batch * kv_dtype_bytes * n_layers * context * d_gate"
SPATIAL = blocks.Block(
    dimensions=(
        Dimension("n_layers", "Layers", keys=("num_hidden_layers",)),
        Dimension("d_model", "Model width", keys=("hidden_size",)),
        Dimension("d_ff", "Width before the gate", keys=("intermediate_size",), default="6 * d_model"),
        Dimension("d_gate", "Width after the gate", default="d_ff / 2"),
        Dimension("max_positions", "Longest sequence", unit="tokens", keys=("max_position_embeddings",)),
    ),
    parameters=(
        Line("spatial", MIXING, "parameters", title="Matrix over positions", source=PAPER, shard="replicated"),
        Line("gate_norms", "n_layers * norm_vectors * d_gate", "parameters", "norm", "Norms of gates", source=PAPER),
    ),
    flops=(Line("spatial_flops", CORE, "FLOP", title="Mixing of positions", source=PAPER, work="attention_core"),),
    memory=(Line("gate_cache", CACHE, "bytes", "kv_cache", "Gates kept for decoding", source=PAPER),),
    activations=(
        blocks.activation_line(
            "channels_input_kept", "tokens * n_layers * d_model", "mlp", "Inputs of the channels", "replicated"
        ),
        blocks.activation_line(
            "channels_kept", "tokens * n_layers * (2 * d_ff + 3 * d_gate)", "mlp", "Channels around the gate"
        ),
    ),
)
UP = blocks.linear("channels_up", "d_model * d_ff", bias="d_ff", group="mlp", title="First projection", source=PAPER)
OUT = {"group": "mlp", "title": "Second projection", "source": PAPER}
DOWN = blocks.linear("channels_down", "d_gate * d_model", bias="d_model", **OUT)
STACK = UP + SPATIAL + DOWN + blocks.EMBEDDING + blocks.LAYER_NORMS + blocks.FINAL_NORM + blocks.HEAD
GMLP = Architecture("gmlp", "gMLP", "Layers of MLPs whose gate mixes the tokens", STACK.dimensions)
CLASSES = {"GmlpForCausalLM": {}, "GmlpModel": {"has_head": 0}}
NORMS = {"norms_per_layer": 1, "norm_vectors": 2}
SAID = {"classes": CLASSES, "values": NORMS, "defaults": {"tie_word_embeddings": True}}
FAMILY = Family("gmlp", "gmlp", irrelevant=("spatial_init",), **SAID)
TWO_N = "2 * tokens * (parameters - token_embedding - lm_head)"
RULE = Rule("two_n", "Forward FLOP: 2·N", TWO_N, "flops_forward - lm_head_flops", "FLOP", "Kaplan et al. 2001.08361")

flopsheet_api = "1.0"
flopsheet_architectures = hookimpl(lambda: [GMLP])
flopsheet_families = hookimpl(lambda: [FAMILY])
flopsheet_block = hookimpl(lambda: STACK)
flopsheet_rules = hookimpl(lambda: [RULE])

"""RWKV-4: a recurrent language model without attention, counted by flopsheet."""

from flopsheet import Architecture, Dimension, Family, Line, Rule, blocks, hookimpl

PAPER = "Peng et al. 2305.13048"
MIXER = blocks.Block(
    dimensions=(
        Dimension("n_layers", "Layers", keys=("num_hidden_layers",)),
        Dimension("d_model", "Model width", keys=("hidden_size",)),
        Dimension("d_mixer", "Time mixing width", keys=("attention_hidden_size",), default="d_model"),
        Dimension("d_ff", "Channel mixing width", keys=("intermediate_size",), default="4 * d_model"),
    ),
    parameters=(Line("mixing_vectors", "n_layers * (2 * d_mixer + 5 * d_model)", "parameters", "ssm", source=PAPER),),
    flops=(Line("recurrence_flops", "10 * tokens * n_layers * d_mixer", "FLOP", "ssm", source=PAPER, work="scan"),),
    memory=(Line("states", "batch * state_dtype_bytes * n_layers * (3 * d_mixer + 2 * d_model)", "bytes", "state"),),
)
TIME = blocks.linear("time_mixing", "4 * d_model * d_mixer", group="ssm", source=PAPER)
CHANNEL = blocks.linear("channel_mixing", "d_model * (2 * d_ff + d_model)", group="mlp", source=PAPER)
STACK = MIXER + TIME + CHANNEL + blocks.EMBEDDING + blocks.LAYER_NORMS + blocks.FINAL_NORM + blocks.HEAD
RWKV = Architecture("rwkv", "RWKV-4", "Layers of time mixing and channel mixing", STACK.dimensions)
FAMILY = Family(
    "rwkv",
    "rwkv",
    classes={"RwkvForCausalLM": {}, "RwkvModel": {"has_head": 0}},
    values={"norm_vectors": 2, "final_norms": 2},
    defaults={"vocab_size": 50277, "hidden_size": 4096, "num_hidden_layers": 32},
    irrelevant=("context_length", "rescale_every"),
)
COUNT = "2 * vocab_size * d_model + 13 * n_layers * d_model * d_model + d_model * (11 * n_layers + 4)"
RULE = Rule("rwkv_paper", "2VD + 13D²L + D(11L + 4)", COUNT, "parameters", "parameters", PAPER)

flopsheet_architectures = hookimpl(lambda: [RWKV])
flopsheet_families = hookimpl(lambda: [FAMILY])
flopsheet_parameters = hookimpl(lambda: STACK.parameters)
flopsheet_flops = hookimpl(lambda: STACK.flops)
flopsheet_memory = hookimpl(lambda: STACK.memory)
flopsheet_rules = hookimpl(lambda: [RULE])

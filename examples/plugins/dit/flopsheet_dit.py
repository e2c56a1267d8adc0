"""DiT: a diffusion transformer, which reads the patches of an image in one pass, counted by flopsheet."""

from flopsheet import Architecture, Dimension, Family, Line, blocks, hookimpl

PAPER = "Peebles and Xie 2212.09748, section 3"
CORE = "4 * batch * n_layers * n_patches * n_patches * d_model"
SIZES = blocks.Block(
    (
        Dimension("n_layers", "Layers", keys=("num_hidden_layers",)),
        Dimension("d_model", "Model width", keys=("hidden_size",)),
        Dimension("n_heads", "Attention heads", keys=("num_attention_heads",)),
        Dimension("mlp_ratio", "MLP width over model width", keys=("mlp_ratio",), default=4),
        Dimension("image_size", "Side of the latent image", "latents", keys=("input_size",)),
        Dimension("patch_size", "Side of a patch", "latents", keys=("patch_size",)),
        Dimension("in_channels", "Channels of the latent image", keys=("in_channels",), default=4),
        Dimension("n_classes", "Classes", keys=("num_classes",), default=1000),
        Dimension("d_time", "Width of the time's frequencies", default=256),
        Dimension(
            "n_patches", "Patches of an image", "tokens", default="image_size / patch_size * (image_size / patch_size)"
        ),
        Dimension("patch_weights", "Numbers of a patch", default="in_channels * patch_size * patch_size"),
    ),
    parameters=(
        Line("patches", "patch_weights * d_model + d_model", "parameters", title="Patch embedding", source=PAPER),
        Line(
            "positions", "n_patches * d_model", "parameters", "positional", "Sine positions", source=PAPER, active="0"
        ),
        Line("classes", "(n_classes + 1) * d_model", "parameters", "embedding", "Classes, and none", source=PAPER),
    ),
    flops=(
        Line(
            "patches_flops",
            "2 * tokens * patch_weights * d_model",
            "FLOP",
            title="Patch embedding",
            source=PAPER,
            work="other",
        ),
        Line("core_flops", CORE, "FLOP", "attention", "Attention core", source=PAPER, work="attention_core"),
    ),
    activations=(
        blocks.activation_line(
            "layers_kept", "tokens * n_layers * d_model", "other", "Inputs of the layers", "replicated", "input"
        ),
        blocks.activation_line(
            "norms_kept", "tokens * n_layers * 4 * d_model", "other", "Norms and scaled inputs", "replicated"
        ),
        blocks.activation_line(
            "heads_kept", "tokens * n_layers * 4 * d_model", "attention", "Queries, keys, values, output"
        ),
        blocks.activation_line(
            "mlp_kept", "tokens * n_layers * 2 * mlp_ratio * d_model", "mlp", "Channels around GELU"
        ),
    ),
)


def _layer(name, weights, group, title, **more):
    """Return a linear layer with a bias for each column."""
    return blocks.linear(name, weights, group=group, title=title, source=PAPER, **more)


PER_IMAGE = {"tokens": "batch", "copies": "1"}
ONCE = {"copies": "1"}
STACK = (
    SIZES
    + _layer("qkv", "d_model * 3 * d_model", "attention", "Queries, keys and values", bias="3 * d_model")
    + _layer("out", "d_model * d_model", "attention", "Output of attention", bias="d_model")
    + _layer("mlp_up", "d_model * mlp_ratio * d_model", "mlp", "MLP, in", bias="mlp_ratio * d_model")
    + _layer("mlp_down", "mlp_ratio * d_model * d_model", "mlp", "MLP, out", bias="d_model")
    + _layer("scales", "d_model * 6 * d_model", "other", "Scales and shifts", bias="6 * d_model", tokens="batch")
    + _layer("time_in", "d_time * d_model", "embedding", "Time, in", bias="d_model", **PER_IMAGE)
    + _layer("time_out", "d_model * d_model", "embedding", "Time, out", bias="d_model", **PER_IMAGE)
    + _layer("last_scales", "d_model * 2 * d_model", "other", "Scales of the output", bias="2 * d_model", **PER_IMAGE)
    + _layer("last", "d_model * 2 * patch_weights", "other", "Noise and variance", bias="2 * patch_weights", **ONCE)
)
DIT = Architecture(
    "dit",
    "Diffusion transformer",
    "Attention over the patches of an image, scaled and shifted by its time and class",
    STACK.dimensions,
    tokens="batch * n_patches",
    decodes="0",
    checks={
        "1 if floor(image_size / patch_size) * patch_size == image_size else 0": "an image is some whole patches",
        "1 if floor(d_model / n_heads) * n_heads == d_model else 0": "the width must be a multiple of the heads",
    },
)

flopsheet_api = "1.0"
flopsheet_architectures = hookimpl(lambda: [DIT])
flopsheet_families = hookimpl(lambda: [Family("dit", "dit", classes={"DiT": {}}, source=PAPER)])
flopsheet_block = hookimpl(lambda: STACK)

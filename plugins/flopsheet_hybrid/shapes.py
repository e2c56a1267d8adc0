"""What a hybrid model is made of: its dimensions, and its blocks, each with a count of its own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from flopsheet import Dimension, Line, blocks, compose

POSITIONS = tuple(dimension for dimension in blocks.POSITIONS.dimensions if dimension.name == "max_positions")
COUNTS = (
    Dimension("n_layers", "Layers", keys=("num_hidden_layers",), about="Blocks of the stack"),
    Dimension("n_attention_layers", "Attention layers", default=0, minimum=0, about="With a cache of keys and values"),
    Dimension("n_latent_layers", "Latent attention layers", default=0, minimum=0),
    Dimension("n_mamba_layers", "Mamba layers", default=0, minimum=0),
    Dimension("n_mamba2_layers", "Mamba-2 layers", default=0, minimum=0),
    Dimension("n_delta_layers", "Delta layers", default=0, minimum=0, about="Layers with a gated delta rule"),
    Dimension("n_lightning_layers", "Lightning attention layers", default=0, minimum=0),
    Dimension("n_recurrent_layers", "Recurrent layers", default=0, minimum=0, about="Layers with an RG-LRU"),
    Dimension("n_conv_layers", "Convolution layers", default=0, minimum=0, about="Layers that mix by it alone"),
    Dimension("n_mlstm_layers", "mLSTM layers", default=0, minimum=0),
)
SIZES = (
    Dimension("d_model", "Model width", keys=("hidden_size",), about="Width of the residual stream"),
    Dimension("n_heads", "Query heads", keys=("num_attention_heads",), default=1),
    Dimension("n_kv_heads", "Key/value heads", keys=("num_key_value_heads",), default="n_heads"),
    Dimension("d_head", "Head size", keys=("head_dim",), default="floor(d_model / n_heads)"),
    Dimension("n_attention_gates", "Gates on attention", default=0, minimum=0, about="Numbers per token and layer"),
    Dimension("has_gate_bias", "Biases of the gates on attention", kind="flag", default=0),
)
MIXERS = (
    Dimension("expand", "Widening of the mixer", kind="ratio", keys=("mamba_expand",), default=2, minimum=0),
    Dimension("d_inner", "Inner width", keys=("mamba_d_ssm",), default="floor(expand * d_model)"),
    Dimension("d_state", "State size", keys=("mamba_d_state", "ssm_state_size"), default=1),
    Dimension("n_ssm_heads", "State heads", keys=("mamba_n_heads", "mamba_num_heads", "n_mamba_heads"), default=1),
    Dimension(
        "d_ssm_head",
        "State head size",
        keys=("mamba_d_head", "mamba_head_dim", "mamba_headdim"),
        default="floor(d_inner / n_ssm_heads)",
    ),
    Dimension("n_groups", "Groups of B and C", keys=("mamba_n_groups", "mamba_ngroups", "n_groups"), default=1),
    Dimension("dt_rank", "Rank of the step size", keys=("mamba_dt_rank",), default="ceil(d_model / 16)"),
    Dimension(
        "d_conv",
        "Convolution width",
        keys=("mamba_d_conv", "conv_kernel", "linear_conv_kernel_dim", "conv1d_width", "conv_L_cache"),
        default=4,
    ),
    Dimension(
        "chunk",
        "Chunk of the scan",
        unit="tokens",
        keys=("mamba_chunk_size", "chunk_size", "block_size"),
        default=256,
    ),
    Dimension(
        "conv_bias",
        "Convolution bias",
        kind="flag",
        keys=("mamba_conv_bias", "use_conv_bias", "conv_bias"),
        default=1,
    ),
    Dimension("proj_bias", "Biases on the projections", kind="flag", keys=("mamba_proj_bias",), default=0),
    Dimension("out_proj_bias", "Bias on the output projection", kind="flag", default="proj_bias"),
    Dimension("mamba_norm_width", "Inner norm weights", default=0, minimum=0, about="Of step size, B and C, per layer"),
    Dimension("mamba_by_head", "Step size, B and C by head", kind="flag", default=0, about="As in Zamba"),
    Dimension("n_gated_norms", "Layers with a gated norm", default="n_mamba2_layers", minimum=0),
)
LAYERS = (
    Dimension("n_experts", "Routed experts", keys=("num_local_experts", "n_routed_experts", "num_experts"), default=1),
    Dimension("n_moe_layers", "Expert layers", default=0, minimum=0),
    Dimension("n_mlp_layers", "MLP layers", default="n_layers - n_moe_layers", minimum=0),
    Dimension("top_k", "Experts per token", keys=("num_experts_per_tok",), default=1),
    Dimension("d_expert_latent", "Latent width of experts", keys=("moe_latent_size",), default=0, minimum=0),
    Dimension("has_latent_norm", "Norm of the experts' latent", kind="flag", default=0),
    Dimension("d_expert_in", "Width that experts read", default="d_expert_latent if d_expert_latent else d_model"),
)


def change_line(block: blocks.Block, name: str, formula: str) -> blocks.Block:
    """Return a block in which one parameter line has another formula."""
    lines = (line._replace(formula=formula) if line.name == name else line for line in block.parameters)
    return replace(block, parameters=tuple(lines))


def count_layers(block: blocks.Block, prefix: str, count: str, **names: str) -> blocks.Block:
    """Return an instance of a block with its own count of layers, and the block's dimensions."""
    return replace(blocks.instance(block, prefix, {"n_layers": count, **names}), dimensions=block.dimensions)


def by_head(block: blocks.Block) -> blocks.Block:
    """Return Mamba's block in which products by head, as Zamba has them, are no linear layers."""
    parts: list[Line] = []
    for line in block.flops:
        parts += _by_head(line) if line.name in ("mamba_ssm_x_flops", "mamba_ssm_dt_flops") else [line]
    return replace(block, flops=tuple(parts))


def _by_head(line: Line) -> list[Line]:
    heads: dict[str, Any] = {"name": f"{line.name}_by_head", "title": f"{line.label} by head", "work": "other"}
    about = "One matrix per head: no linear layer of one weight"
    return [
        line._replace(formula=compose.times("1 - mamba_by_head", line.formula)),
        line._replace(formula=compose.times("mamba_by_head", line.formula), about=about, source=ZAMBA, **heads),
    ]


def experts() -> blocks.Block:
    """Return the experts, which read a latent vector where a model has one."""
    latent = blocks.instance(blocks.EXPERTS, "", {"d_model": "d_expert_in"})
    sections: dict[str, Any] = {
        name: tuple(
            new if new.group == "experts" and new.shard != "replicated" else old
            for old, new in zip(getattr(blocks.EXPERTS, name), getattr(latent, name), strict=True)
        )
        for name in ("parameters", "flops", "activations")
    }
    return replace(blocks.EXPERTS, **sections)


KIMI = "Kimi K3: moonshotai/Kimi-K3, modeling_kimi_linear.py; its checkpoint's tensors"
ZAMBA = "transformers models/zamba/modeling_zamba.py, ZambaMambaMixer"
MAMBA2 = change_line(
    change_line(blocks.MAMBA2, "ssm_norm", "n_gated_norms * d_inner"),
    "ssm_out_bias",
    "n_layers * out_proj_bias * d_model",
)
RESIDUALS = blocks.linear(
    "residual_queries",
    "d_model",
    group="other",
    copies="n_residual_sites",
    uses="n_residual_reads",
    title="Queries over earlier layers",
    about="A vector for each place where a layer chooses among the residual streams of earlier blocks of layers",
    source=KIMI,
    shard="replicated",
) + blocks.Block(
    dimensions=(
        Dimension("n_residual_sites", "Places that choose among residual streams", default=0, minimum=0),
        Dimension(
            "n_residual_reads",
            "Residual streams chosen among",
            default=0,
            minimum=0,
            about="By a token, in all these places together",
        ),
    ),
    parameters=(
        Line(
            "residual_norms",
            "n_residual_sites * d_model",
            "parameters",
            "norm",
            title="Norms of residual streams",
            source=KIMI,
            shard="replicated",
        ),
    ),
    flops=(
        Line(
            "residual_core_flops",
            "2 * tokens * n_residual_reads * d_model",
            "FLOP",
            "other",
            title="Sums of residual streams",
            about="A product of their weights with the streams",
            source=KIMI,
            work="other",
        ),
    ),
)
EXTRAS = (
    blocks.Block(
        activations=(
            blocks.activation_line(
                "attention_gate_kept",
                "2 * tokens * (n_attention_layers + n_latent_layers) * n_attention_gates",
                "attention",
                "Gates",
            ),
        )
    )
    + blocks.linear(
        "attention_gate",
        "d_model * n_attention_gates",
        group="attention",
        sides="d_model + n_attention_gates",
        rows="n_attention_gates",
        copies="n_attention_layers + n_latent_layers",
        bias="has_gate_bias * n_attention_gates",
        title="Gate on attention",
        source="Qiu et al. 2505.06708; transformers models/qwen3_next/modeling_qwen3_next.py",
    )
    + blocks.linear(
        "latent_experts",
        "2 * d_model * d_expert_latent",
        group="shared_experts",
        sides="2 * (d_model + d_expert_latent)",
        rows="d_model + d_expert_latent",
        copies="n_moe_layers",
        bias="shared_bias * (d_expert_latent + d_model) if d_expert_latent else 0",
        title="Projections to and from the experts' latent",
        about="Every token passes them",
        source="transformers models/nemotron_h/modeling_nemotron_h.py, NemotronHMoE",
        shard="replicated",
    )
    + blocks.Block(
        parameters=(
            Line(
                "mamba_norms",
                "n_mamba_layers * mamba_norm_width",
                "parameters",
                "norm",
                title="Mamba norms of step size, B and C",
                source="Lieber et al. 2403.19887 (Jamba), section 6.4",
                shard="replicated",
            ),
            Line(
                "latent_experts_norm",
                "n_moe_layers * has_latent_norm * d_expert_latent",
                "parameters",
                "norm",
                title="Norms of the experts' latent",
                source=KIMI,
                shard="replicated",
            ),
        ),
    )
)
STACK = (
    blocks.Block(dimensions=(*COUNTS, *SIZES, *MIXERS, *LAYERS, *POSITIONS))
    + count_layers(blocks.ATTENTION, "", "n_attention_layers")
    + blocks.LATENT_ATTENTION
    + by_head(count_layers(blocks.MAMBA1, "mamba_", "n_mamba_layers"))
    + count_layers(MAMBA2, "mamba2_", "n_mamba2_layers")
    + blocks.DELTA
    + blocks.LIGHTNING
    + blocks.RGLRU
    + blocks.SHORT_CONV
    + blocks.MLSTM
    + count_layers(blocks.MLP, "", "n_mlp_layers")
    + experts()
    + blocks.SHARED_TRANSFORMER
    + EXTRAS
    + RESIDUALS
    + blocks.EMBEDDING
    + blocks.LAYER_NORMS
    + blocks.FINAL_NORM
    + blocks.HEAD
)

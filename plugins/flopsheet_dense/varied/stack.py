"""The lines of a decoder whose layers differ: heads and widths are summed over the layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet import Dimension, Line, blocks, compose

if TYPE_CHECKING:
    from flopsheet import Group

PUZZLE = "Bercovich et al. 2411.19146 (Puzzle); nvidia/Llama-3_3-Nemotron-Super-49B-v1, modeling_decilm.py"
OPENELM = "Mehta et al. 2404.14619 (OpenELM), section 2.1; apple/OpenELM-270M, modeling_openelm.py"
GQA = "Ainslie et al. 2305.13245"

DIMENSIONS = (
    Dimension("n_layers", "Layers", keys=("num_hidden_layers",), about="Blocks of the stack"),
    Dimension("d_model", "Model width", keys=("hidden_size",), about="Width of the residual stream"),
    Dimension("n_attention_layers", "Attention layers", default="n_layers", minimum=0, source=PUZZLE),
    blocks.optional(
        "n_linear_attentions", "Square layers in place of attention", "One matrix as wide as the model", source=PUZZLE
    ),
    Dimension("sum_heads", "Query heads, all layers", minimum=0, source=OPENELM),
    Dimension("sum_kv_heads", "Key/value heads, all layers", minimum=0, source=PUZZLE),
    Dimension("d_head", "Head size", keys=("head_dim",)),
    blocks.flag("qkv_bias", "Biases on queries, keys, values"),
    blocks.flag("out_bias", "Bias on the attention output"),
    blocks.optional("qk_norm_width", "Query and key norm weights", "Per layer; 0: no norm"),
    Dimension("n_mlp_layers", "MLP layers", default="n_layers", minimum=0, source=PUZZLE),
    blocks.optional("n_linear_mlps", "Square layers in place of MLPs", source=PUZZLE),
    Dimension("sum_d_ff", "MLP width, all layers", minimum=0, source=PUZZLE),
    Dimension("mlp_matrices", "MLP matrices", default=3, minimum=2, about="2 plain, 3 gated"),
    blocks.flag("mlp_bias", "MLP biases"),
)


def _linear(
    name: str,
    weights: str,
    title: str,
    group: Group = "attention",
    bias: str = "",
    *,
    columns: str,
    rows: str,
    row: bool = False,
) -> blocks.Block:
    sides = compose.plus(columns, rows)
    return blocks.linear(
        name, weights, group=group, copies="1", bias=bias, sides=sides, rows=rows, row=row, title=title, source=GQA
    )


ATTENTION = (
    _linear(
        "attention_q",
        "d_model * sum_heads * d_head",
        "Queries",
        bias="qkv_bias * sum_heads * d_head",
        columns="n_attention_layers * d_model",
        rows="sum_heads * d_head",
    )
    + _linear(
        "attention_kv",
        "2 * d_model * sum_kv_heads * d_head",
        "Keys and values",
        bias="2 * qkv_bias * sum_kv_heads * d_head",
        columns="2 * n_attention_layers * d_model",
        rows="2 * sum_kv_heads * d_head",
    )
    + _linear(
        "attention_out",
        "sum_heads * d_head * d_model",
        "Attention output",
        bias="out_bias * n_attention_layers * d_model",
        columns="sum_heads * d_head",
        rows="n_attention_layers * d_model",
        row=True,
    )
    + blocks.linear(
        "attention_square",
        "d_model * d_model",
        group="attention",
        sides="2 * d_model",
        rows="d_model",
        copies="n_linear_attentions",
        title="Square layers in place of attention",
        source=PUZZLE,
    )
    + blocks.Block(
        parameters=(
            blocks.whole_weights(
                "qk_norm",
                "n_attention_layers * qk_norm_width",
                "norm",
                "Query and key norms",
                source="Henry et al. 2010.04245",
            ),
        ),
        flops=(
            Line(
                "attention_core_flops",
                "2 * 2 * batch * pairs * sum_heads * d_head",
                "FLOP",
                "attention",
                title="Attention core",
                about="Scores and their product with the values: 2 FLOP each for a pair and channel",
                source="Full square: torch.utils.flop_counter.bmm_flop. Causal pairs counted one by one.",
                work="attention_core",
            ),
        ),
        memory=(
            Line(
                "kv_cache",
                "2 * batch * kv_dtype_bytes * sum_kv_heads * d_head * context",
                "bytes",
                "kv_cache",
                title="Key/value cache",
                about="Keys and values of each token of the context",
                source="Shazeer 1911.02150, section 2.4",
            ),
        ),
        activations=(
            blocks.activation_line(
                "attention_input_kept",
                "tokens * (n_attention_layers + n_linear_attentions) * d_model",
                "attention",
                "Inputs of attention",
                "replicated",
            ),
            blocks.activation_line(
                "attention_heads_kept",
                "2 * tokens * (sum_heads + sum_kv_heads) * d_head",
                "attention",
                "Queries, keys, values and what the heads give",
            ),
            blocks.activation_line(
                "qk_norm_kept",
                "tokens * min(qk_norm_width, 1) * (sum_heads + sum_kv_heads) * d_head",
                "norm",
                "Inputs of query and key norms",
            ),
            blocks.activation_line(
                "attention_scores_kept",
                "batch * seq_len * seq_len * sum_heads",
                "attention",
                "Attention weights",
                when="core",
            ),
            blocks.activation_line(
                "mlp_input_kept",
                "tokens * (n_mlp_layers + n_linear_mlps) * d_model",
                "mlp",
                "Inputs of MLPs",
                "replicated",
            ),
            blocks.activation_line(
                "mlp_hidden_kept",
                "tokens * mlp_matrices * sum_d_ff",
                "mlp",
                "Inputs and outputs of the activation, and gates",
            ),
            blocks.activation_line(
                "layer_norms_kept",
                "tokens * (n_attention_layers + n_linear_attentions + n_mlp_layers + n_linear_mlps) * d_model",
                "norm",
                "Inputs of norms",
                "replicated",
            ),
            blocks.activation_line(
                "layers_kept", "tokens * n_layers * d_model", "other", "Inputs of the layers", "replicated", "input"
            ),
        ),
    )
)

MLP = (
    _linear(
        "mlp_in",
        "(mlp_matrices - 1) * d_model * sum_d_ff",
        "MLP in",
        "mlp",
        bias="mlp_bias * (mlp_matrices - 1) * sum_d_ff",
        columns="(mlp_matrices - 1) * n_mlp_layers * d_model",
        rows="(mlp_matrices - 1) * sum_d_ff",
    )
    + _linear(
        "mlp_out",
        "sum_d_ff * d_model",
        "MLP out",
        "mlp",
        bias="mlp_bias * n_mlp_layers * d_model",
        columns="sum_d_ff",
        rows="n_mlp_layers * d_model",
        row=True,
    )
    + blocks.linear(
        "mlp_square",
        "d_model * d_model",
        group="mlp",
        sides="2 * d_model",
        rows="d_model",
        copies="n_linear_mlps",
        title="Square layers in place of MLPs",
        source=PUZZLE,
    )
)

NORMS = blocks.Block(
    dimensions=(Dimension("norm_vectors", "Vectors per norm", default=1, minimum=0, about="RMSNorm 1, LayerNorm 2"),),
    parameters=(
        blocks.whole_weights(
            "layer_norms",
            "(n_attention_layers + n_linear_attentions + n_mlp_layers + n_linear_mlps) * norm_vectors * d_model",
            "norm",
            "Norms of the layers",
            about="One before each part that a layer has",
            source=PUZZLE,
        ),
    ),
)

POSITIONS = tuple(dimension for dimension in blocks.POSITIONS.dimensions if dimension.name == "max_positions")
STACK = (
    blocks.Block(dimensions=(*DIMENSIONS, *POSITIONS))
    + ATTENTION
    + MLP
    + blocks.EMBEDDING
    + NORMS
    + blocks.FINAL_NORM
    + blocks.HEAD
)

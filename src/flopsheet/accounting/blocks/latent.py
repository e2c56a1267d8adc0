"""Multi-head latent attention."""

from functools import partial

from flopsheet.accounting.blocks.attention import COUNTED, scores
from flopsheet.accounting.blocks.block import Block, activation_line, matrix, norm_line
from flopsheet.accounting.blocks.kinds import flag, optional
from flopsheet.accounting.line import Line

MLA = "DeepSeek-V2, 2405.04434, section 2.1"

_latent = partial(matrix, group="attention", copies="n_latent_layers", source=MLA)

LATENT_ATTENTION = (
    Block(
        dimensions=(
            optional("n_latent_layers", "Latent attention layers"),
            optional("q_rank", "Query rank", keys=("q_lora_rank",), about="0: no low-rank queries"),
            optional("kv_rank", "Key/value rank", keys=("kv_lora_rank",)),
            optional("d_head_nope", "Head size without positions", keys=("qk_nope_head_dim",)),
            optional("d_head_rope", "Head size with positions", keys=("qk_rope_head_dim",)),
            optional("d_head_v", "Value head size", keys=("v_head_dim",)),
            flag("latent_bias", "Biases in latent attention"),
        )
    )
    + _latent(
        "latent_q_down",
        "d_model",
        "q_rank",
        sides="min(q_rank, 1) * (d_model + q_rank)",
        bias="latent_bias * q_rank",
        title="Queries down to their rank",
        shard="replicated",
    )
    + _latent(
        "latent_q_up", "(q_rank if q_rank else d_model)", "n_heads * (d_head_nope + d_head_rope)", title="Queries"
    )
    + _latent(
        "latent_kv_down",
        "d_model",
        "kv_rank + d_head_rope",
        bias="latent_bias * (kv_rank + d_head_rope)",
        title="Keys and values down to their rank",
        shard="replicated",
    )
    + _latent("latent_kv_up", "kv_rank", "n_heads * (d_head_nope + d_head_v)", title="Keys and values")
    + _latent(
        "latent_out", "n_heads * d_head_v", "d_model", bias="latent_bias * d_model", row=True, title="Attention output"
    )
    + Block(
        parameters=(
            norm_line(
                "latent_norm",
                "n_latent_layers * (q_rank + kv_rank)",
                "Norms of the latent queries, keys and values",
                MLA,
            ),
        ),
        flops=(
            Line(
                "latent_core_flops",
                "2 * batch * pairs * n_latent_layers * n_heads * (d_head_nope + d_head_rope + d_head_v)",
                "FLOP",
                "attention",
                title="Latent attention core",
                about="Scores over the two parts of the keys, and their product with the values. A decode step reads"
                " the cached latent, the projections from it absorbed into queries and outputs: scores over `kv_rank`"
                " and the position key, values of `kv_rank`",
                source=COUNTED,
                work="attention_core",
                decode="2 * batch * context * n_latent_layers * n_heads * (2 * kv_rank + d_head_rope)",
            ),
        ),
        memory=(
            Line(
                "latent_cache",
                "batch * kv_dtype_bytes * n_latent_layers * (kv_rank + d_head_rope) * context",
                "bytes",
                "kv_cache",
                title="Latent cache",
                about="One latent vector and one position key per token and layer, shared by all heads",
                source=MLA,
            ),
        ),
        activations=(
            activation_line(
                "latent_input_kept",
                "tokens * n_latent_layers * (d_model + 2 * (q_rank + kv_rank) + d_head_rope)",
                "attention",
                "Inputs of latent attention, and its latents before and after their norms",
                "replicated",
            ),
            activation_line(
                "latent_heads_kept",
                "2 * tokens * n_latent_layers * n_heads * (d_head_nope + d_head_rope + d_head_v)",
                "attention",
                "Queries, keys, values and what the heads give",
            ),
            scores("batch * seq_len * seq_len * n_latent_layers * n_heads", "latent_scores_kept"),
        ),
    )
)
"""Multi-head latent attention: keys and values pass through a low rank, and only that is cached."""

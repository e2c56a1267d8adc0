"""Which group of the ledger a tensor belongs to, by its name.

Names follow no rule, so this is a convention: totals are exact, the split by group shows where to look.
"""

from __future__ import annotations

import re
from functools import cache

RULES = (
    ("positional", r"relative_attention_bias|rel(ative)?_pos|rel_embeddings|position_bias|pos_bias"),
    (
        "positional",
        r"(^|\.)(wpe|pos_emb\w*|position_embeddings?|embed_positions|positions_embed|embeddings\.position)\b",
    ),
    ("norm", r"[Nn]orm|(^|\.)ln\d?(_\w+)?\."),
    ("router", r"router|shared_expert_gate|moe_statics|e_score_correction_bias|expert_bias"),
    ("router", r"(^|\.)(block_sparse_moe|mlp|moe|feed_forward|ffn)\.gate\.|(^|\.)gate\.(weight|wg\.weight)$"),
    ("shared_experts", r"shared_(experts?|mlp|moe)\b"),
    ("experts", r"experts?\b|(^|\.)block_sparse_moe\.(in|out)put_linear"),
    (
        "lm_head",
        r"^(lm_head|embed_out|output_projection|proj_out|cls\.|decoder\.(weight|bias)|generator_\w+|vocab_\w+)",
    ),
    ("lm_head", r"^(head\.|lm_head_transform|predictions\.)|(^|\.)(output_embeddings|lm_head)\."),
    ("cross_attention", r"encoder_attn|EncDecAttention|cross_?attn|cross_?attention"),
    ("conv", r"conv1d|conv\d?\b|conv_\d[dD]"),
    ("other", r"pooler|discriminator_predictions|project_(in|out)\b|embeddings_project|embedding_hidden_mapping_in"),
    (
        "ssm",
        r"mamba|mlstm|ssm|A_log|dt_bias|linear_attn|rg_lru|recurrent_block|mixer\.(in_proj|out_proj|x_proj|dt_proj)",
    ),
    ("attention", r"(^|\.)(q|k|v|o|qkv|kv|out)_proj\b|\b(query|key|value|query_key_value|c_attn|Wqkv|qkv)\b"),
    ("mlp", r"mixer\.(up|down|gate)_proj\b"),
    ("ssm", r"mixer|temporal_block"),
    ("attention", r"attn|attention|SelfAttention|\b[qkv]_lin|\bout_lin|_a_proj|_b_proj"),
    ("embedding", r"embed|(^|\.)(wte|wp|shared)\.|word_embeddings|tok_embeddings"),
    (
        "mlp",
        r"mlp|ffn|feed_?forward|\bfc\d?\b|fc_(in|out)|DenseReluDense|intermediate|\bdense|output|\bw[i123o]\b|lin\d",
    ),
    ("mlp", r"(up|down|gate|gate_up)_proj|ff\."),
)
"""Patterns of names, the first that is found wins."""


@cache
def group_of(name: str) -> str:
    """Return the group of a tensor by its name; `other` where no rule knows it."""
    name = name.replace("norm_attn_norm.", "")  # DBRX's name of a layer's first half
    return next((group for group, pattern in RULES if re.search(pattern, name)), "other")

"""Configs of a type at its class defaults, with what its models say beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.configs.classes import class_table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.configs.classes import ClassTable

_LAYER = {"attention": {"n_heads_in_group": 8}, "ffn": {"ffn_mult": 5.25}}
_WIDTHS = {"hidden_size": 8192, "num_hidden_layers": 2, "num_attention_heads": 64, "vocab_size": 128256}
_DRAFT = {"hidden_size": 4096, "intermediate_size": 14336, "num_attention_heads": 32, "vocab_size": 128256}
_DRAFTS = {
    **dict.fromkeys(("Eagle3LlamaForCausalLM", "LlamaEagle3ForCausalLM", "LlamaForCausalLMEagle3"), (1, {})),
    **dict.fromkeys(("DFlashDraftModel", "DSparkDraftModel", "DominoDraftModel"), (5, {"target_layer_ids": [1, 9]})),
    "PEagleDraftModel": (4, {}),
}
_INDEXER = {"indexer_n_heads": 4, "indexer_kv_heads": 1, "indexer_head_dim": 256, "indexer_budget": 2048}
OPEN: Mapping[str, Mapping[str, object]] = {
    "dbrx": {"attn_config": {"kv_n_heads": 8, "rope_theta": 500000.0}},
    "deci": {**_WIDTHS, "intermediate_size": 28672, "num_key_value_heads_per_layer": [4, 1]},
    "deepseek": {"n_routed_experts": 64, "num_experts_per_tok": 6},
    "deepseek_v2": {"num_experts_per_tok": 6},
    "dots1": {"n_shared_experts": 2, "n_routed_experts": 128, "num_experts_per_tok": 6},
    "esm": {"vocab_size": 33},
    "hunyuan_v1_dense": {"head_dim": 128},
    "hunyuan_v1_moe": {"head_dim": 128},
    "ministral": {"head_dim": 128},
    "nemotron": {"num_key_value_heads": 8},
    "nemotron-nas": {**_WIDTHS, "block_configs": [_LAYER, _LAYER]},
    "openelm": {
        "model_dim": 1280,
        "num_transformer_layers": 2,
        "head_dim": 64,
        "vocab_size": 32000,
        "num_query_heads": [12, 20],
        "num_kv_heads": [3, 5],
        "ffn_multipliers": [0.5, 4.0],
        "ffn_dim_divisor": 256,
        "share_input_output_layers": True,
    },
    "qwen3_omni_moe": {
        "thinker_config": {"text_config": {"head_dim": 128}},
        "talker_config": {"spatial_merge_size": 2, "text_config": {"shared_expert_intermediate_size": 768}},
    },
    "qwen3_omni_moe_text": {"head_dim": 128},
    "qwen3_omni_moe_thinker": {"text_config": {"head_dim": 128}},
    "qwen4_exp_text": {**_INDEXER, "indexer_compress_ratio": 32, "ple_layer_ids": [2, 3], "eos_token_id": 248044},
    "lfm2_moe": {"layer_types": ["conv", "full_attention"] * 16},
    **{name: {"attn_type_list": [*([0] * 7), 1] * 4} for name in ("minimax_m1", "minimax_text_01")},
    "dots_ocr": {
        "text_config": {"model_type": "qwen2", "hidden_size": 1536, "num_attention_heads": 12, "num_key_value_heads": 2}
    },
    "minicpmv": {"text_config": {"model_type": "qwen2"}, "version": 2.6},
    "minimax_m3": {"text_config": {"model_type": "minimax_m3_vl_text"}},
    "kimi_k3": {"text_config": {"model_type": "kimi_linear", "v_head_dim": 128}},
    **{
        name: {"architectures": [name], **_DRAFT, "num_hidden_layers": layers, "dflash_config": options}
        for name, (layers, options) in _DRAFTS.items()
    },
}
"""Fields that a class leaves open and that its models say."""


def has_defaults(model_type: str) -> bool:
    """Tell whether a class declares what a type's configs may leave out."""
    return class_table(model_type) is not None or model_type in OPEN


def default_config(model_type: str) -> dict[str, object]:
    """Return a config of the type at its class defaults, with what the class leaves open."""
    table, text = class_table(model_type), text_type(model_type)
    defaults = {key: value for key, value in table.defaults.items() if value is not None} if table else {}
    part = {"text_config": {**default_config(text), **_absent(table)}} if text else {}
    return {**defaults, **OPEN.get(model_type, {}), **part, "model_type": model_type}


def _absent(table: ClassTable | None) -> Mapping[str, object]:
    """Return the fields of the language model's config that a wrapper's class gives where it is left out."""
    return table.parts.get("text_config", {}).get("absent", {}) if table else {}


def text_type(model_type: str) -> str:
    """Return the type of the language model inside a wrapper, or nothing."""
    table = class_table(model_type)
    return table.text if table else ""

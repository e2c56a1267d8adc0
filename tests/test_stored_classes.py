"""Quantized checkpoints of classes that transformers builds: every matrix by its real name and shape, to the byte."""

import re

import pytest
import stored

import flopsheet
from flopsheet.verify import meta

SMALL = {"num_hidden_layers": 4, "hidden_size": 256, "num_attention_heads": 8, "vocab_size": 1024}
MOE = {"moe_intermediate_size": 128, "num_experts_per_tok": 2}
CONFIGS = {
    "llama": {"intermediate_size": 512, "num_key_value_heads": 4, "tie_word_embeddings": False},
    "qwen3": {"intermediate_size": 512, "num_key_value_heads": 2, "head_dim": 64, "tie_word_embeddings": True},
    "phi3": {"intermediate_size": 512, "num_key_value_heads": 4, "pad_token_id": 0},
    "qwen3_moe": {**MOE, "num_experts": 4, "num_key_value_heads": 4, "intermediate_size": 512},
    "qwen2_moe": {
        **MOE,
        "num_experts": 4,
        "num_key_value_heads": 4,
        "shared_expert_intermediate_size": 128,
        "decoder_sparse_step": 2,
        "intermediate_size": 512,
    },
    "deepseek_v3": {
        **MOE,
        "n_routed_experts": 4,
        "n_group": 1,
        "topk_group": 1,
        "q_lora_rank": 96,
        "kv_lora_rank": 64,
        "intermediate_size": 512,
        "first_k_dense_replace": 1,
        "num_key_value_heads": 8,
    },
    "qwen3_next": {
        **MOE,
        "num_experts": 4,
        "num_key_value_heads": 2,
        "head_dim": 64,
        "shared_expert_intermediate_size": 128,
        "full_attention_interval": 4,
        "linear_num_key_heads": 4,
        "linear_num_value_heads": 8,
    },
    "llama4_text": {
        "num_local_experts": 4,
        "num_key_value_heads": 4,
        "intermediate_size": 128,
        "intermediate_size_mlp": 512,
        "head_dim": 32,
        "interleave_moe_layer_step": 2,
        "no_rope_layers": [1, 1, 1, 0],
    },
    "gpt_neox": {"intermediate_size": 512},
    "gemma3_text": {"intermediate_size": 512, "num_key_value_heads": 4, "head_dim": 64},
    "nemotron_h": {
        "hybrid_override_pattern": "M*-E",
        "num_key_value_heads": 2,
        "head_dim": 64,
        "intermediate_size": 512,
        "n_routed_experts": 4,
        "moe_intermediate_size": 128,
        "moe_shared_expert_intermediate_size": 128,
        "num_experts_per_tok": 2,
        "mamba_num_heads": 8,
        "mamba_head_dim": 64,
        "ssm_state_size": 16,
        "n_groups": 2,
    },
}
STACKS = {"gpt_neox": "gpt_neox.layers"}
ATTENTION = {"gpt_neox": "*attention.*", "nemotron_h": "*mixer.[qkvo]_proj"}
ROUTERS = re.compile(r"shared_expert_gate$|\.router$|mlp\.gate$|mixer\.gate$")
LISTS = {
    "head": ["lm_head"],
    "attention": ["lm_head", "ATTENTION"],
    "second layer": ["lm_head", "STACK.1.*"],
    "last layers": ["lm_head", "STACK.2*", "STACK.3*"],
    "down": ["lm_head", "*down_proj"],
    "shared experts": ["lm_head", "*.shared_expert*"],
}


def config_of(model_type):
    """Return a small config of a type."""
    return {"model_type": model_type, **SMALL, **CONFIGS[model_type]}


def class_of(model_type):
    """Return the class of a small config, on the meta device."""
    from transformers.models.auto.modeling_auto import (  # noqa: PLC0415 - other tests need no transformers
        MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
    )

    return meta.build(config_of(model_type), MODEL_FOR_CAUSAL_LM_MAPPING_NAMES[model_type])


JOINED = {"qwen3_next": 9}
"""How many matrices of a class hold two lines: each line then has scales of its own, a few bytes too many."""
SCALES = 8
NAMED = [(model_type, key) for model_type in CONFIGS for key in LISTS if (model_type, key) != ("gpt_neox", "down")]
"""Types and lists that can name one of their modules."""


@pytest.mark.parametrize(("model_type", "key"), NAMED)
def test_modelopt_leaves_out_what_its_globs_name(model_type, key):
    """NVFP4: each glob against each module's full name, as ModelOpt and vLLM do."""
    model = class_of(model_type)
    names = {"STACK": STACKS.get(model_type, "model.layers"), "ATTENTION": ATTENTION.get(model_type, "*self_attn*")}
    listed = [re.sub("STACK|ATTENTION", lambda found: names[found[0]], entry) for entry in LISTS[key]]

    def is_plain(name):
        return bool(ROUTERS.search(name)) or any(stored.fits(pattern, name) for pattern in listed)

    counted = flopsheet.evaluate(
        config_of(model_type)
        | {"quantization_config": {"quant_method": "modelopt", "quant_algo": "NVFP4", "ignore": listed}}
    )
    assert counted.problems == []
    more = counted.totals["weights_bytes"] - stored.stored_size(model, stored.nvfp4, is_plain)
    assert 0 <= more <= SCALES * JOINED.get(model_type, 0)


@pytest.mark.parametrize("model_type", CONFIGS)
def test_fp8_has_partial_blocks_at_edges(model_type):
    """Ranks and heads that are no multiple of 128 have blocks of their own."""
    model = class_of(model_type)
    counted = flopsheet.evaluate(config_of(model_type) | {"quantization_config": {"quant_method": "fp8"}})

    def is_plain(name):
        return bool(ROUTERS.search(name)) or name in ("lm_head", "embed_out")

    assert counted.problems == []
    more = counted.totals["weights_bytes"] - stored.stored_size(model, stored.fp8_blocks, is_plain)
    assert 0 <= more <= SCALES * JOINED.get(model_type, 0)

"""Each GGUF architecture against the class of transformers that it is converted from, on the meta device."""

import re

import pytest
from gguf_files import gguf

import flopsheet

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

SIZES = {
    "vocab_size": 512,
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 128,
    "bos_token_id": None,
    "eos_token_id": None,
    "pad_token_id": None,
}
KEYS = {
    "context_length": "max_position_embeddings",
    "block_count": "num_hidden_layers",
    "embedding_length": "hidden_size",
    "feed_forward_length": "intermediate_size",
    "attention.head_count": "num_attention_heads",
    "attention.head_count_kv": "num_key_value_heads",
}
HEAD = {"attention.key_length": 32, "attention.value_length": 32}
WINDOW = {"attention.sliding_window": 64}
EXPERTS = {"expert_count": 4, "expert_used_count": 2}
MOE = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32}
DEEPSEEK = {
    "num_key_value_heads": 4,
    "kv_lora_rank": 32,
    "qk_rope_head_dim": 8,
    "qk_nope_head_dim": 16,
    "v_head_dim": 12,
    "n_routed_experts": 8,
    "num_experts_per_tok": 2,
    "n_shared_experts": 2,
    "moe_intermediate_size": 24,
    "first_k_dense_replace": 1,
}
MLA = {
    "attention.key_length": 40,
    "attention.value_length": 32,
    "attention.key_length_mla": 24,
    "attention.value_length_mla": 12,
    "attention.kv_lora_rank": 32,
    "rope.dimension_count": 8,
    "expert_count": 8,
    "expert_used_count": 2,
    "expert_shared_count": 2,
    "expert_feed_forward_length": 24,
    "leading_dense_block_count": 1,
}
TYPES = {
    "llama": ("Llama", "llama", {"attention_bias": True}, {}),
    "mixtral": ("Mixtral", "llama", {"num_local_experts": 4, "num_experts_per_tok": 2}, EXPERTS),
    "qwen2": ("Qwen2", "qwen2", {"tie_word_embeddings": True}, {}),
    "qwen3": ("Qwen3", "qwen3", {"head_dim": 32}, HEAD),
    "qwen2_moe": (
        "Qwen2Moe",
        "qwen2moe",
        {**MOE, "shared_expert_intermediate_size": 48},
        {**EXPERTS, "expert_feed_forward_length": 32, "expert_shared_feed_forward_length": 48},
    ),
    "qwen3_moe": (
        "Qwen3Moe",
        "qwen3moe",
        {**MOE, "head_dim": 32},
        {**EXPERTS, **HEAD, "expert_feed_forward_length": 32},
    ),
    "gemma": ("Gemma", "gemma", {"head_dim": 32}, HEAD),
    "gemma2": ("Gemma2", "gemma2", {"head_dim": 32, "sliding_window": 64}, {**HEAD, **WINDOW}),
    "phi3": ("Phi3", "phi3", {}, WINDOW),
    "gpt_neox": ("GPTNeoX", "gptneox", {}, {"use_parallel_residual": 1}),
    "starcoder2": ("Starcoder2", "starcoder2", {}, {}),
    "stablelm": ("StableLm", "stablelm", {"use_qkv_bias": True}, {}),
    "cohere": ("Cohere", "command-r", {}, {}),
    "olmo2": ("Olmo2", "olmo2", {}, {}),
    "granite": ("Granite", "granite", {}, {}),
    "smollm3": ("SmolLM3", "smollm3", {}, {}),
    "gpt_oss": (
        "GptOss",
        "gpt-oss",
        {"head_dim": 32, "num_local_experts": 4, "num_experts_per_tok": 2},
        {**EXPERTS, **HEAD, **WINDOW, "expert_feed_forward_length": 96},
    ),
    "deepseek_v2": (
        "DeepseekV2",
        "deepseek2",
        {**DEEPSEEK, "q_lora_rank": 48},
        {**MLA, "attention.q_lora_rank": 48},
    ),
    "deepseek_v2 without a rank of queries": ("DeepseekV2", "deepseek2", {**DEEPSEEK, "q_lora_rank": None}, MLA),
    "deepseek_v3": (
        "DeepseekV3",
        "deepseek2",
        {**DEEPSEEK, "q_lora_rank": 48, "n_group": 2, "topk_group": 1},
        {**MLA, "attention.q_lora_rank": 48, "expert_group_count": 2, "expert_group_used_count": 1},
    ),
}
"""Class of transformers, architecture of GGUF, fields of the config, and metadata that say the same."""
NAMES = (
    (r"^(model|gpt_neox)\.(embed_tokens|embed_in)\.weight$", "token_embd.weight"),
    (r"^(lm_head|embed_out)\.weight$", "output.weight"),
    (r"^\w+\.layers\.(\d+)\.\w+\.q_proj\.(\w+)$", r"blk.\1.attn_q.\2"),
)
"""The names that say something; of all others only the shape counts."""


def renamed(name):
    """Return what llama.cpp calls a tensor."""
    for pattern, new in NAMES:
        name = re.sub(pattern, new, name)
    return name


@pytest.mark.parametrize(("kind", "architecture", "fields", "metadata"), TYPES.values(), ids=TYPES)
def test_an_architecture_has_the_parameters_of_its_class(tmp_path, kind, architecture, fields, metadata):
    """The metadata alone give them, and the tensors confirm them."""
    sizes = {key: value for key, value in SIZES.items() if kind != "GPTNeoX" or key != "num_key_value_heads"}
    config = getattr(transformers, f"{kind}Config")(**{**sizes, **fields})
    with torch.device("meta"):
        model = getattr(transformers, f"{kind}ForCausalLM")(config)
    named = {key: getattr(config, field) for key, field in KEYS.items() if getattr(config, field, None) is not None}
    keys = {f"{architecture}.{key}": value for key, value in {**named, **metadata}.items()}
    tensors = {renamed(name): (tuple(reversed(one.shape)), 0) for name, one in model.named_parameters()}
    (tmp_path / "m.gguf").write_bytes(gguf({"general.architecture": architecture, **keys}, tensors))
    counted = flopsheet.evaluate(tmp_path / "m.gguf")
    assert counted.problems == []
    assert counted.totals["parameters"] == model.num_parameters()

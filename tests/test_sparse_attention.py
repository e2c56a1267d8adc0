"""Sparse attention reads what its indexer chose: pairs counted one by one."""

import pytest

import flopsheet

HEADS, LAYERS, TOP_K = 4, 3, 5
DEEPSEEK = {
    "architectures": ["DeepseekV32ForCausalLM"],
    "model_type": "deepseek_v32",
    "hidden_size": 64,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS,
    "num_key_value_heads": HEADS,
    "n_routed_experts": 4,
    "num_experts_per_tok": 2,
    "n_group": 1,
    "topk_group": 1,
    "q_lora_rank": 16,
    "kv_lora_rank": 20,
    "qk_nope_head_dim": 8,
    "qk_rope_head_dim": 4,
    "v_head_dim": 10,
    "index_n_heads": 2,
    "index_head_dim": 8,
    "index_topk": TOP_K,
}
BLOCK, BLOCKS = 4, 2
MINIMAX = {
    "model_type": "minimax_m3_vl_text",
    "num_hidden_layers": 4,
    "num_attention_heads": HEADS,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "layer_types": ["full_attention", *["minimax_m3_sparse"] * 3],
    "index_topk_blocks": BLOCKS,
    "index_block_size": BLOCK,
}


def lines(config, length, mask="causal"):
    """Return the lines of a config by name, at a sequence and a context of so many tokens."""
    model = flopsheet.evaluate(config, seq_len=length, context=length, mask=mask)
    assert model.status == "ok"
    return {line["name"]: line["value"] for line in model.lines}


@pytest.mark.parametrize("length", [3, TOP_K, TOP_K + 1, 40])
def test_a_token_reads_the_tokens_that_the_indexer_chose(length):
    """Each reads all tokens up to itself, or `index_topk` of them; the indexer scores them all."""
    counted = lines(DEEPSEEK, length)
    read = sum(min(seen, TOP_K) for seen in range(1, length + 1))
    scored = sum(range(1, length + 1))
    assert counted["latent_core_flops"] == 2 * LAYERS * HEADS * (8 + 4 + 10) * read
    assert counted["index_core_flops"] == 2 * LAYERS * (2 * 8 + 2) * scored
    assert counted["flops_forward_causal"] == counted["flops_forward"]


@pytest.mark.parametrize("length", [3, TOP_K, 40])
def test_a_decode_step_reads_what_the_indexer_chose(length):
    """Scores and values are those of the cached latent; the indexer scores the whole context."""
    counted = lines(DEEPSEEK, length)
    assert counted["latent_core_flops_decode"] == 2 * LAYERS * HEADS * (2 * 20 + 4) * min(length, TOP_K)
    assert counted["index_core_flops_decode"] == 2 * LAYERS * (2 * 8 + 2) * length


def test_under_the_full_mask_every_pair_is_counted():
    """Eager attention computes the square and masks it, which is what counters see."""
    counted = lines(DEEPSEEK, 9, mask="full")
    assert counted["latent_core_flops"] == 2 * LAYERS * HEADS * (8 + 4 + 10) * 81


@pytest.mark.parametrize(("model_type", "step"), [("deepseek_v32", 241_768_071_168), ("glm_moe_dsa", 188_316_647_424)])
def test_decode_steps_of_long_contexts(model_type, step):
    """Counted by hand for DeepSeek-V3.2 and GLM-5 at 131,072 tokens."""
    assert flopsheet.evaluate({"model_type": model_type}, context=131_072).totals["flops_decode_step"] == step


def test_a_decode_step_reads_the_latents_that_were_chosen_and_every_key_of_the_indexer():
    """By hand for DeepSeek-V3.2 at 131,072 tokens in fp8, 1.1 of 5.6 GB (2512.02556, section 2.1, and its config).

    It has 61 layers, one indexer key of 128 channels, a latent of 512 and a position key of 64; index_topk is 2,048.
    """
    model = flopsheet.evaluate({"model_type": "deepseek_v32"}, context=131_072, kv_dtype_bytes=1)
    result = {line["name"]: line["value"] for line in model.lines}
    assert result["latent_cache"] == 61 * (512 + 64) * 131_072
    assert result["latent_cache_decode"] == 61 * (512 + 64) * 2_048
    assert result["index_cache"] == 61 * 128 * 131_072
    assert "index_cache_decode" not in result


def read_by(seen):
    """Return the tokens that a token reads of those that it may: whole blocks, and its own as far as itself."""
    blocks = -(-seen // BLOCK)
    return seen if blocks <= BLOCKS else (BLOCKS - 1) * BLOCK + seen - (blocks - 1) * BLOCK


@pytest.mark.parametrize("length", [3, 8, 9, 12, 13, 30])
def test_a_token_reads_the_blocks_that_the_indexer_chose(length):
    """MiniMax-M3 chooses blocks, always its own among them; its full layers read everything."""
    counted = lines(MINIMAX, length)
    read = sum(range(1, length + 1)) + 3 * sum(read_by(seen) for seen in range(1, length + 1))
    assert counted["attention_core_flops"] == 2 * 2 * HEADS * 8 * read
    assert counted["attention_core_flops_decode"] == 2 * 2 * HEADS * 8 * (length + 3 * read_by(length))
    assert counted["kv_cache"] == 2 * 2 * 2 * 8 * 4 * length
    assert counted["kv_cache_decode"] == 2 * 2 * 2 * 8 * (length + 3 * read_by(length))


def test_a_decode_step_of_pooled_entries_reads_those_that_were_chosen():
    """DeepSeek-V4-Flash at 131,072 tokens in fp8 (transformers DeepseekV4Config).

    Sparse layers read 512 entries of 512 channels, and 128 channels of every entry for the choice of them.
    """
    model = flopsheet.evaluate({"model_type": "deepseek_v4"}, context=131_072, kv_dtype_bytes=1)
    result = {line["name"]: line["value"] for line in model.lines}
    sparse, pooled = (model.dimensions[name] for name in ("n_sparse_layers", "n_pooled_layers"))
    assert result["pooled_cache"] == sparse * (512 + 128) * 32_768 + pooled * 512 * 1_024
    assert result["pooled_cache_decode"] == sparse * (512 * 512 + 128 * 32_768) + pooled * 512 * 1_024


@pytest.mark.parametrize("config", [DEEPSEEK, MINIMAX, {"model_type": "deepseek_v4"}], ids=["V3.2", "M3", "V4"])
def test_the_note_says_what_a_training_step_counts(config):
    """The indexer has no gradient from the language model's loss."""
    notes = flopsheet.evaluate(config).notes
    assert any("gives the indexer no gradient" in note for note in notes)

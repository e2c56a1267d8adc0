"""GLM-5 Next: linear attention, pools that an indexer chooses, several residual streams, and what is cached."""

import pytest

import flopsheet

LINEAR, INDEXED = "linear_attention", "indexed_attention"
POOL, TOP_K = 4, 8
SMALL = {
    "model_type": "glm5_next_text",
    "architectures": ["Glm5NextTextModel"],
    "hidden_size": 32,
    "num_hidden_layers": 5,
    "num_attention_heads": 4,
    "num_key_value_heads": 4,
    "q_lora_rank": 12,
    "kv_lora_rank": 20,
    "qk_nope_head_dim": 8,
    "v_head_dim": 10,
    "index_n_heads": 3,
    "index_head_dim": 6,
    "index_topk": TOP_K,
    "index_kpool": POOL,
    "linear_num_heads": 2,
    "linear_head_dim": 16,
    "linear_conv_kernel_dim": 3,
    "hc_mult": 2,
    "n_routed_experts": 4,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 24,
    "intermediate_size": 40,
    "vocab_size": 50,
    "pad_token_id": 0,
    "max_position_embeddings": 256,
    "layer_types": [LINEAR, INDEXED, INDEXED, LINEAR, INDEXED],
    "indexer_types": ["full", "full", "shared", "full", "full"],
}
FLASH = {
    "model_type": "glm5_next",
    "architectures": ["Glm5NextForConditionalGeneration"],
    "text_config": {"num_hidden_layers": 45, "hidden_size": 4096},
    "vision_config": {"out_hidden_size": 4096},
}
ONE_BYTE = dict.fromkeys(("kv_dtype_bytes", "state_dtype_bytes", "conv_dtype_bytes"), 1)


def shown(length=23, mask="full", **fields):
    """Evaluate the small config with fields changed, at a sequence and a context of so many tokens."""
    return flopsheet.evaluate(SMALL | fields, seq_len=length, context=length, mask=mask, **ONE_BYTE)


def lines(*args, **fields):
    """Return the lines of the small config by name."""
    model = shown(*args, **fields)
    assert (model.status, model.problems) == ("ok", [])
    return {line["name"]: line["value"] for line in model.lines}


def read_by(seen, *, rest=True):
    """Return how many of the tokens that it may see a token reads: whole pools, and what is left after the last."""
    return min(seen // POOL * POOL, TOP_K) + (seen % POOL if rest else 0)


def test_flash_has_the_parameters_of_its_class():
    """GLM-5.3-Flash with its tower, built by transformers 5.24.0 on the meta device from its class's defaults."""
    model = flopsheet.evaluate(FLASH)
    assert (model.status, model.totals["parameters"]) == ("ok", 313_890_443_774)
    assert (model.dimensions["n_delta_layers"], model.dimensions["n_index_layers"]) == (34, 11)


def test_a_config_of_text_alone_is_that_of_its_language_model():
    """The fields of `text_config` may stand at the top: transformers builds the same of both."""
    top = {name: value for name, value in SMALL.items() if name != "model_type"} | {"architectures": None}
    flat, nested = (
        flopsheet.evaluate({"model_type": "glm5_next", **fields}).totals["parameters"]
        for fields in (top, {"text_config": SMALL})
    )
    assert flat == nested


@pytest.mark.parametrize(("length", "products"), [(23, 4_881_100), (64, 11_270_144)])
def test_products_are_those_that_torch_counts(length, products):
    """All products of matrices, those of scans in chunks; torch 2.13.0 with eager attention, on the CPU."""
    counted = lines(length)
    cores = ("delta_scan_flops_torch", "latent_core_flops", "index_core_flops", "stream_mix_flops")
    assert counted["flops_forward_linear"] + sum(counted[name] for name in cores) == products
    assert shown(length).totals["parameters"] == 69_034


@pytest.mark.parametrize(("length", "kept"), [(23, (1380, 598)), (64, (3840, 1664))])
def test_caches_hold_what_the_class_keeps(length, kept):
    """Elements of transformers' cache: latents, keys of indexers with weights and a mark each, and constant states."""
    counted = lines(length)
    assert (counted["latent_cache"], counted["index_cache"]) == kept
    assert (counted["delta_state"], counted["delta_conv_state"]) == (1024, 576)


@pytest.mark.parametrize("rest", [True, False])
@pytest.mark.parametrize("length", [3, 4, 8, 11, 12, 30])
def test_a_token_reads_the_pools_that_the_indexer_chose(length, rest):
    """Pools that end behind it, and the tokens after the last; the indexer scores every such pool."""
    counted = lines(length, "causal", index_kpool_always_select_tail=rest)
    tokens = range(1, length + 1)
    assert counted["latent_core_flops"] == 2 * 3 * 4 * (8 + 10) * sum(read_by(seen, rest=rest) for seen in tokens)
    assert counted["index_core_flops"] == 2 * 2 * (3 * 6 + 3) * sum(seen // POOL for seen in tokens)
    assert counted["latent_core_flops_decode"] == 2 * 3 * 4 * 2 * 20 * read_by(length, rest=rest)
    assert counted["index_core_flops_decode"] == 2 * 2 * (3 * 6 + 3) * (length // POOL)
    assert counted["latent_cache_decode"] == 3 * 20 * read_by(length, rest=rest)


def test_a_table_of_older_configs_says_the_heads_of_linear_attention():
    """It wins over the fields of the config, as in the class."""
    table = {"head_dim": 8, "num_heads": 3, "short_conv_kernel_size": 2}
    named = {"linear_head_dim": 8, "linear_num_heads": 3, "linear_conv_kernel_dim": 2}
    assert lines(linear_attn_config=table) == lines(**named)


def test_older_names_of_layers_are_read():
    """The class reads full attention as that with an indexer, as all of its attention is."""
    older = ["mamba", "full_attention", "deepseek_sparse_attention", LINEAR, INDEXED]
    assert lines(layer_types=older) == lines()


@pytest.mark.parametrize(
    "indexers", [["full"] * 4 + ["shared"], ["full", "shared", "full", "full", "full"], ["full"] * 2 + ["shared"] * 3]
)
def test_choices_that_no_layer_passes_on_are_told(indexers):
    """A layer passes its own choice to the next one, and no other's."""
    said = any("the class can be built but not run" in note for note in shown(indexer_types=indexers).notes)
    assert said is True
    assert not any("not run" in note for note in shown().notes)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"layer_types": [LINEAR] * 4 + ["attention"]}, "kinds that are not understood: full_attention"),
        ({"index_kpool": 3}, "index_topk must be a multiple of index_kpool"),
        ({"qk_rope_head_dim": 4}, "qk_rope_head_dim must be 0"),
        ({"num_key_value_heads": 2}, "num_key_value_heads must be num_attention_heads"),
        ({"num_experts_per_tok": 5}, "a token cannot use more experts than there are"),
    ],
)
def test_what_the_class_refuses_is_an_error(fields, reason):
    """Fields that contradict each other, with the reason."""
    model = shown(**fields)
    assert model.status == "error"
    assert reason in " ".join(model.problems)

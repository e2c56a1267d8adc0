"""Configs that contradict themselves: errors where the class cannot run, counted as it builds them where it can."""

import pytest
from samples import caveats

import flopsheet

ONE_HEAD = {"encoder_attention_heads": 1, "decoder_attention_heads": 1}
DEEPSEEK = {
    "model_type": "deepseek_v3",
    "num_hidden_layers": 4,
    "num_attention_heads": 8,
    "num_key_value_heads": 8,
    "n_routed_experts": 16,
    "num_experts_per_tok": 4,
    "n_group": 4,
    "topk_group": 2,
}
XLSTM = {"model_type": "xlstm", "hidden_size": 64, "num_hidden_layers": 2, "num_heads": 4}
BAMBA = {"model_type": "bamba", "hidden_size": 64, "num_attention_heads": 4, "num_key_value_heads": 2}
ERRORS = {
    "more groups chosen than there are": (DEEPSEEK | {"topk_group": 5}, "topk_group must not be more than n_group"),
    "no groups": (DEEPSEEK | {"n_group": 0}, "n_group must be at least 1"),
    "experts that do not divide": (DEEPSEEK | {"n_group": 3}, "must divide into n_group groups"),
    "groups of one expert": (DEEPSEEK | {"n_group": 16}, "a group must have two experts"),
    "one expert": (
        DEEPSEEK | {"n_routed_experts": 1, "n_group": 1, "topk_group": 1, "num_experts_per_tok": 1},
        "a group must have two experts",
    ),
    "layers between layers without positions": (
        {"model_type": "llama4_text", "no_rope_layer_interval": 0, "layer_types": ["full_attention"] * 48},
        "no_rope_layer_interval = 0",
    ),
    "padding that is no token": ({"model_type": "longformer", "pad_token_id": -1}, "pad_token_id must be a token"),
    "tiles that no ratio has": (
        {"model_type": "mllama", "vision_config": {"max_num_tiles": 3}},
        "max_num_tiles must be 4",
    ),
    "a list of no layer": ({"model_type": "nemotron_h", "layers_block_type": []}, "n_layers = 0 is out of range"),
    "no keys": (
        {"model_type": "falcon", "new_decoder_architecture": True, "num_kv_heads": 0},
        "n_kv_heads = 0 is out of range",
    ),
    "padding beyond the decoder's words": (
        {"model_type": "marian", "decoder_vocab_size": 132},
        "outside the vocabulary of decoder_vocab_size = 132",
    ),
    "heads that are not the inner width": (
        {"model_type": "zamba2", "hidden_size": 24, "mamba_expand": 1, "n_mamba_heads": 5},
        "5 heads of 4 channels are not the 24",
    ),
    "more experts than groups offer": (DEEPSEEK | {"topk_group": 1, "num_experts_per_tok": 5}, "more experts than"),
    "fewer keys than latent heads": (DEEPSEEK | {"num_key_value_heads": 4}, "num_key_value_heads must be"),
    "two widths": (XLSTM | {"embedding_dim": 128}, "embedding_dim and hidden_size are one width"),
    "two depths": (XLSTM | {"num_blocks": 4}, "num_blocks and num_hidden_layers are one depth"),
    "state heads that do not divide": (
        BAMBA | {"mamba_n_heads": 7, "mamba_d_head": "auto"},
        "mamba_n_heads must divide",
    ),
    "no number of experts a token": (
        {"model_type": "deepseek_v2", "first_k_dense_replace": 1},
        "num_experts_per_tok is missing or 0",
    ),
    "a divisor that is null": ({"model_type": "granitemoe", "logits_scaling": None}, "logits_scaling is null"),
    "odd heads that sines turn": (
        {"model_type": "roformer", "hidden_size": 8, "num_attention_heads": 8},
        "heads must have an even number of channels",
    ),
    "padding outside a table of sounds": (
        {"model_type": "roc_bert", "shape_vocab_size": 1, "pad_token_id": 1},
        "outside the vocabulary of shape_vocab_size = 1",
    ),
    "a window without sides": ({"model_type": "longformer", "attention_window": 2}, "attention_window = 2"),
    "routers of layers that are not there": (
        {"model_type": "jamba", "num_hidden_layers": 1, "attn_layer_offset": 0, "output_router_logits": True},
        "routers that output_router_logits asks for",
    ),
    "a factor that is null": (
        {"model_type": "falcon_h1", "embedding_multiplier": None},
        "embedding_multiplier is null or missing",
    ),
    "a tower's blocks beyond its positions": (
        {"model_type": "granite_speech", "encoder_config": {"context_size": 300, "max_pos_emb": 200}},
        "encoder_config: context_size must be at least 1 and at most max_pos_emb",
    ),
    "a square output that heads do not fill": (
        {"model_type": "helium", "hidden_size": 96, "num_attention_heads": 2, "head_dim": 16},
        "heads x head_dim must be hidden_size",
    ),
    "a table of sines too narrow": ({"model_type": "m2m_100", "d_model": 2} | ONE_HEAD, "d_model must be at least 4"),
    "a word for the rotary positions of window layers": (
        {"model_type": "gemma3_text", "rope_parameters": {"full_attention": {}, "sliding_attention": "odd"}},
        "rope_parameters.sliding_attention = 'odd' is not a table",
    ),
    "experts without a width": (
        {"model_type": "gemma4_text", "enable_moe_block": True, "num_experts": 4, "top_k_experts": 1},
        "moe_intermediate_size is missing",
    ),
    "a table of queries without any": (
        {"model_type": "aria", "projector_patch_to_query_dict": {}},
        "projector_patch_to_query_dict must name a number",
    ),
    "no distance between positions": (
        {"model_type": "mt5", "relative_attention_max_distance": 0},
        "relative_attention_max_distance = 0 is out of range",
    ),
    "a padding token outside the layers' own vocabulary": (
        {"model_type": "gemma4_text", "vocab_size_per_layer_input": 50, "pad_token_id": 70},
        "is outside the vocabulary of vocab_size_per_layer_input = 50",
    ),
    "a padding token that is a text": (
        {"model_type": "rwkv", "pad_token_id": "7"},
        "pad_token_id = '7' has a wrong type",
    ),
    "a window of less than nothing": ({"model_type": "mistral", "sliding_window": -1}, "window = -1 is out of range"),
    "an encoder that should decode": (
        {"model_type": "t5gemma", "architectures": ["T5GemmaEncoderModel"]},
        "is_encoder_decoder contradicts the class",
    ),
    "a piece of sound that ends within a position": (
        {"model_type": "vibevoice_asr", "acoustic_tokenizer_chunk_size": 5000},
        "must be a multiple of the samples of a position",
    ),
    "sections that do not fill half a head": (
        {"model_type": "cosmos3_edge_text", "rope_parameters": {"mrope_section": [24, 20, 24]}},
        "mrope_section = [24, 20, 24]",
    ),
    "fewer groups than are chosen, where one score chooses them": (
        {"model_type": "deepseek_v2", "num_experts_per_tok": 4, "n_group": 2, "topk_group": 3},
        "topk_group must not be more than n_group",
    ),
    "positions that count from no padding": (
        {"model_type": "kosmos-2", "text_config": {"pad_token_id": None}},
        "pad_token_id is null or missing",
    ),
    "streams whose positions count from no padding": (
        {"model_type": "prophetnet", "pad_token_id": None},
        "pad_token_id is null or missing",
    ),
    "weights of the second softmax without a spread": (
        {"model_type": "diffllama", "lambda_std_dev": None},
        "lambda_std_dev is null or missing",
    ),
    "a stretch of positions that no class turns": (
        {"model_type": "opt", "rope_scaling": {"type": "linear"}},
        "factor is missing, which rope_type = 'linear' needs",
    ),
    "rows of patches that have no first": (
        {"model_type": "pix2struct", "vision_config": {"seq_len": 1}},
        "seq_len must be at least 2",
    ),
    "a captioner whose text looks at no picture": (
        {"model_type": "blip", "text_config": {"is_decoder": False}},
        "text_config.is_decoder must be true",
    ),
    "an answerer that is wider than its tower": (
        {
            "model_type": "blip",
            "architectures": ["BlipForQuestionAnswering"],
            "text_config": {"hidden_size": 64},
        },
        "vision_config.hidden_size must be text_config.hidden_size",
    ),
    "a picture smaller than its patch": (
        {"model_type": "blip", "vision_config": {"image_size": 8}},
        "vision_config.image_size must be at least its patch_size",
    ),
    "layers that look at images and do not divide the depth": (
        {"model_type": "idefics", "cross_layer_interval": 3},
        "cross_layer_interval must divide num_hidden_layers",
    ),
    "a bias tied to a shorter one": (
        {"model_type": "udop", "relative_attention_num_buckets": 14},
        "relative_attention_num_buckets must be at least 32",
    ),
    "a tower without heads": (
        {"model_type": "qwen3_asr", "audio_config": {"encoder_attention_heads": 0}},
        "audio_config: encoder_attention_heads = 0 is out of range",
    ),
    "an odd window": ({"model_type": "led", "attention_window": 511}, "attention_window = 511"),
    "a window for other layers": ({"model_type": "led", "attention_window": [512] * 3}, "attention_window names 3"),
    "Mamba heads that do not divide": ({"model_type": "zamba", "n_mamba_heads": 3}, "n_mamba_heads must divide"),
    "no width": ({"model_type": "mamba", "intermediate_size": None}, "intermediate_size = null is not a width"),
    "fewer layers than the class's own": (
        {"model_type": "zamba", "num_hidden_layers": 2},
        "the class's own list has 3",
    ),
    "a shared block of one layer": (
        {"model_type": "zamba", "num_hidden_layers": 2, "layers_block_type": ["linear_attention", "hybrid"]},
        "one hybrid layer has no other",
    ),
    "no layers": ({"model_type": "nemotron_h", "hybrid_override_pattern": ""}, "n_layers = 0 is out of range"),
    "odd heads of LFM2": (
        {"model_type": "lfm2", "hidden_size": 48, "num_attention_heads": 16, "num_key_value_heads": 16},
        "heads must have an even number of channels",
    ),
    "odd heads of three channels": (
        {"model_type": "cohere2", "hidden_size": 48, "num_attention_heads": 16, "num_key_value_heads": 16},
        "heads must have an even number of channels",
    ),
    "odd heads that a mixture's window layers turn": (
        {"model_type": "cohere2_moe", "head_dim": 5},
        "heads must have an even number of channels",
    ),
    "channels that groups do not divide": (
        {"model_type": "janus", "vq_config": {"base_channels": 40}},
        "vq_config: base_channels must be a multiple of the 32 groups",
    ),
    "more shared heads of a resampler than heads": (
        {"model_type": "idefics2", "perceiver_config": {"num_key_value_heads": 6, "resampler_n_heads": 2}},
        "perceiver_config: num_key_value_heads is more than resampler_n_heads",
    ),
    "more heads of a tower than channels": (
        {"model_type": "florence2", "vision_config": {"embed_dim": [2, 8, 12, 16]}},
        "num_heads must be at least 1 and at most embed_dim",
    ),
    "adapters of other heads": (
        {"model_type": "zamba2", "use_shared_attention_adapter": True, "num_key_value_heads": 4},
        "num_key_value_heads must be num_attention_heads: each adapter",
    ),
    "odd heads that memory turns": (
        {"model_type": "zamba2", "use_mem_rope": True, "hidden_size": 48, "n_mamba_heads": 8, "mamba_ngroups": 1},
        "heads must have an even number of channels",
    ),
    "odd blocks that are moved by half": (
        {"model_type": "pegasus_x", "block_size": 15, "stagger_local_blocks": True},
        "block_size must be even",
    ),
    "keys that are not split so": (
        {"model_type": "falcon", "multi_query": False, "num_kv_heads": 3},
        "num_kv_heads must be num_attention_heads",
    ),
    "norms that are not built": (
        {"model_type": "falcon", "new_decoder_architecture": True, "parallel_attn": None},
        "looks for norms that it does not build",
    ),
    "a norm that is not built": (
        {"model_type": "falcon", "num_ln_in_parallel_attn": 2},
        "looks for norms that it does not build",
    ),
    "an input beyond the last": (
        {"model_type": "gemma3n_text", "altup_num_inputs": 1, "altup_active_idx": 5},
        "altup_active_idx must be less",
    ),
    "too few buckets": (
        {"model_type": "longt5", "relative_attention_num_buckets": 3},
        "relative_attention_num_buckets",
    ),
    "gates that do not divide": (
        {"model_type": "recurrent_gemma", "lru_width": 2561},
        "num_attention_heads must divide lru_width",
    ),
    "an odd part of a head": ({"model_type": "gptj", "rotary_dim": 5}, "rotary_dim must be even"),
    "a norm of another width": (
        {"model_type": "bitnet", "hidden_size": 56, "num_attention_heads": 3, "num_key_value_heads": 3},
        "num_attention_heads * head_dim must be hidden_size",
    ),
    "routers of dense layers": (
        {"model_type": "qwen3_next", "num_hidden_layers": 1, "mlp_only_layers": [0], "output_router_logits": True},
        "routers that output_router_logits asks for",
    ),
    "a base of compressed layers without a logarithm": (
        {"model_type": "deepseek_v4", "compress_rope_theta": 0},
        "compress_rope_theta = 0 is not a positive number",
    ),
    "no kinds for its layers": (
        {"model_type": "deepseek_v4", "compress_ratios": []},
        "the length of layer_types is 0, num_hidden_layers says 43",
    ),
    "more kinds than layers and predictions": (
        {"model_type": "step3p5", "num_hidden_layers": 2, "layer_types": ["full_attention"] * 4},
        "the length of layer_types is 4, num_hidden_layers says 2",
    ),
    "an unknown projection": ({"model_type": "t5", "feed_forward_proj": "odd"}, "feed_forward_proj = 'odd'"),
}


@pytest.mark.parametrize(("config", "reason"), ERRORS.values(), ids=ERRORS)
def test_what_contradicts_itself_is_an_error(config, reason):
    """The sentence names the fields."""
    model = flopsheet.evaluate(config)
    assert model.status == "error"
    assert any(reason in problem for problem in model.problems)


def test_the_models_themselves_are_fine():
    """Without the contradiction they are counted."""
    assert [flopsheet.evaluate(config).status for config in (DEEPSEEK, XLSTM)] == ["ok", "ok"]


def test_a_group_of_one_expert_is_fine_where_its_best_score_chooses_it():
    """DeepSeek-V2 takes the best score of a group, DeepSeek-V3 the sum of the best two."""
    groups = {"n_routed_experts": 4, "num_experts_per_tok": 1, "n_group": 4, "topk_group": 1}
    config = {"model_type": "deepseek_v2", "topk_method": "group_limited_greedy", **groups}
    assert caveats(flopsheet.evaluate(config)) == []


NOTED = {
    "a tower of another width than the text": (
        {"model_type": "glmga", "vision_config": {"out_hidden_size": 64}},
        "the output of vision_config is not as wide as the text: the class runs text",
    ),
    "patches that a merger cannot join": (
        {"model_type": "aya_vision", "vision_config": {"image_size": 56, "patch_size": 30}},
        "downsample_factor does not divide the patches of a side",
    ),
    "heads of a tower that cannot be turned": (
        {"model_type": "qwen3_vl", "vision_config": {"hidden_size": 48, "num_heads": 8}},
        "ask for heads whose size is a multiple of 4: the class runs text",
    ),
    "key/value heads of a tower that do not divide its heads": (
        {"model_type": "gemma4", "vision_config": {"num_attention_heads": 4, "num_key_value_heads": 5}},
        "its key/value heads do not divide its heads",
    ),
    "tiles larger than what a picture may be": (
        {"model_type": "llava_next", "image_grid_pinpoints": [[56, 112], [112, 56]]},
        "image_grid_pinpoints hold a side that is smaller than a tile",
    ),
    "layers of a tower that it does not have": (
        {"model_type": "mllama", "vision_config": {"num_hidden_layers": 4}},
        "intermediate_layers_indices name layers that it does not have",
    ),
    "clips that a merger cannot join": (
        {"model_type": "moss_transcribe_diarize", "audio_merge_size": 7},
        "audio_merge_size does not divide audio_config.max_source_positions",
    ),
    "pooling that leaves another number": (
        {"model_type": "gemma3", "mm_tokens_per_image": 200},
        "mm_tokens_per_image is not what pooling leaves",
    ),
    "no window for masks": ({"model_type": "step3p5", "sliding_window": None}, "sliding_window is missing or null"),
    "dense layers beyond the depth": (DEEPSEEK | {"first_k_dense_replace": 99}, "first_k_dense_replace is beyond"),
    "no number of experts a token, and no experts": (
        {"model_type": "deepseek_v2", "first_k_dense_replace": 99},
        "first_k_dense_replace is beyond",
    ),
    "heads of an older Zamba 2": (
        {"model_type": "zamba2", "mamba_headdim": 64},
        "8 heads of 64 channels are not the 5120 of mamba_expand x hidden_size: the class can be built but not run",
    ),
    "a cache of other heads": (XLSTM | {"hidden_size": 32}, "with a cache the class can be built but not run"),
    "windows of one token": (
        {"model_type": "mistral", "sliding_window": 1},
        "keeps every token in the cache of layers whose window is one token",
    ),
    "a pattern of another length": (
        {"model_type": "nemotron_h", "num_hidden_layers": 4, "hybrid_override_pattern": "M-M*M"},
        "the pattern names 5 layers, num_hidden_layers says 4",
    ),
    "a width that heads do not divide": (
        {"model_type": "olmo2", "hidden_size": 66, "num_attention_heads": 4, "num_key_value_heads": 2},
        "hidden_size = 66 is not a multiple of num_attention_heads = 4",
    ),
}


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        ({"model_type": "llama", "head_dim": 1}, "a head of one channel"),
        ({"model_type": "persimmon", "hidden_size": 128}, "one channel of 2 is turned"),
    ],
)
def test_one_channel_that_is_turned_is_approximate(config, reason):
    """Rotary positions make two of it in the class: what it computes and keeps is more than the config says."""
    model = flopsheet.evaluate(config)
    assert model.status == "approximate"
    assert reason in model.problems[0]


def test_a_decoder_of_two_vocabularies_is_approximate():
    """Marian's decoder alone reads the target's words, and its head gives the source's."""
    words = {"vocab_size": 95, "decoder_vocab_size": 131, "share_encoder_decoder_embeddings": False, "pad_token_id": 0}
    config = {"model_type": "marian", "architectures": ["MarianForCausalLM"], "tie_word_embeddings": False, **words}
    assert "vocab_size = 95 words" in flopsheet.evaluate(config).problems[0]
    assert caveats(flopsheet.evaluate(config | {"architectures": ["MarianMTModel"]})) == []


def test_a_window_of_one_token_bounds_no_cache():
    """As in transformers, which keeps the last 1 - 1 of all tokens, and so all of them."""
    narrow, wide = (
        flopsheet.evaluate({"model_type": "mistral", "sliding_window": window}, context=64) for window in (1, None)
    )
    assert narrow.totals["kv_cache_bytes"] == wide.totals["kv_cache_bytes"] > 0


@pytest.mark.parametrize(("config", "note"), NOTED.values(), ids=NOTED)
def test_what_the_class_builds_its_own_way_is_counted_so(config, note):
    """A note says how."""
    model = flopsheet.evaluate(config)
    assert caveats(model) == []
    assert any(note in text for text in model.notes)


@pytest.mark.parametrize("named", ["LlamaForCausalLM", {"a": 1}, ["BertModel"], ["NoSuchModel"], [3]], ids=repr)
def test_a_class_that_is_not_the_types_is_a_problem(named):
    """A text in place of a list, another family's class, an unknown one."""
    assert flopsheet.evaluate({"model_type": "llama", "architectures": named}).status == "approximate"

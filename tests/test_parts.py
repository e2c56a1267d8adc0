"""Parts besides the text: voices, codecs and what reads proteins, as transformers 5.23.0 builds them."""

import pytest

import flopsheet

QWEN2 = {"model_type": "qwen2_5_omni", "architectures": ["Qwen2_5OmniForConditionalGeneration"]}
QWEN3 = {
    "model_type": "qwen3_omni_moe",
    "architectures": ["Qwen3OmniMoeForConditionalGeneration"],
    "thinker_config": {"text_config": {"head_dim": 128}},
    "talker_config": {"spatial_merge_size": 2, "text_config": {"shared_expert_intermediate_size": 768}},
}
"""The class's default heads have 73 channels, which rotary positions cannot turn."""
SMALL_VOICE = {
    "dit_config": {"num_hidden_layers": 3, "enc_res2net_scale": 4, "head_dim": 32},
    "bigvgan_config": {
        "upsample_initial_channel": 512,
        "upsample_rates": [5, 3],
        "upsample_kernel_sizes": [11, 7],
        "resblock_kernel_sizes": [3, 5],
        "resblock_dilation_sizes": [[1, 3, 5], [1, 3, 5]],
    },
}
SMALL_TALKER = {
    "spatial_merge_size": 2,
    "thinker_hidden_size": 100,
    "text_config": {
        "shared_expert_intermediate_size": 7,
        "num_experts": 16,
        "attention_bias": True,
        "head_dim": 32,
    },
    "code_predictor_config": {"num_code_groups": 16, "num_hidden_layers": 2, "attention_bias": True},
}
SMALL_WAVES = {
    "num_hidden_layers": 2,
    "upsample_rates": [4, 3],
    "upsampling_ratios": [2],
    "attention_bias": True,
    "num_key_value_heads": 8,
}
BUILT = {
    "qwen2_5_omni, another voice": (
        QWEN2
        | {
            "token2wav_config": SMALL_VOICE,
            "talker_config": {"num_hidden_layers": 5, "embedding_size": 100, "vocab_size": 9000},
            "thinker_config": {"tie_word_embeddings": True, "text_config": {"num_hidden_layers": 3}},
        },
        6_219_664_048,
    ),
    "qwen3_omni_moe": (QWEN3, 22_180_717_105),
    "qwen3_omni_moe, silent": (QWEN3 | {"enable_audio_output": False}, 18_620_183_664),
    "qwen3_omni_moe, another voice": (
        QWEN3 | {"talker_config": SMALL_TALKER, "code2wav_config": SMALL_WAVES},
        19_236_589_681,
    ),
    "evolla, without a head": ({"model_type": "evolla", "architectures": ["EvollaModel"]}, 9_865_450_768),
}


@pytest.mark.parametrize("name", BUILT)
def test_parameters_of_a_model_with_all_its_parts(name):
    """Language model, towers and the parts beside them have the parameters of the whole class."""
    config, parameters = BUILT[name]
    model = flopsheet.evaluate(config)
    assert (model.status, model.problems) == ("ok", [])
    assert model.totals["parameters"] == parameters


def test_a_voice_costs_no_forward_pass_and_says_so():
    """A forward pass is the thinker's, with or without what speaks; the difference is weights."""
    loud, silent = flopsheet.evaluate(QWEN3), flopsheet.evaluate(QWEN3 | {"enable_audio_output": False})
    assert loud.totals["flops_forward"] == silent.totals["flops_forward"]
    assert loud.totals["parameters_active"] == silent.totals["parameters_active"]
    assert loud.totals["parameters"] - silent.totals["parameters"] == loud.numbers["part_weights"] > 0
    assert any("no counted FLOP" in note for note in loud.notes)
    assert not any("no counted FLOP" in note for note in silent.notes)


def test_a_talker_without_its_shared_expert_is_refused():
    """The class has no default for its width."""
    model = flopsheet.evaluate(QWEN3 | {"talker_config": {}})
    assert model.status == "error"
    assert "shared_expert_intermediate_size" in model.problems[0]


def test_a_field_of_a_thinker_that_nothing_reads_makes_the_model_approximate():
    """Fields of the thinker count as the model's own."""
    model = flopsheet.evaluate(QWEN2 | {"thinker_config": {"experts_for_hearing": 3}})
    assert model.status == "approximate"
    assert "experts_for_hearing" in model.problems[0]


def test_adapters_of_parts_are_refused():
    """The linear layers of a codec are one sum."""
    config = {"model_type": "kyutai_speech_to_text", "architectures": ["KyutaiSpeechToTextForConditionalGeneration"]}
    model = flopsheet.evaluate(config, lora_rank=4)
    assert model.status == "error"
    assert "parts besides the text" in model.problems[0]


def test_dense_decoders_have_no_parts():
    """What two types of sound and proteins need is no dimension of every dense model."""
    assert "n_part_weights" not in flopsheet.evaluate({"model_type": "llama"}).dimensions

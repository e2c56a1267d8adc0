"""Encoder-decoders: what their configs say in words, steps and parts, and what windows and fixed sources change."""

import json
from pathlib import Path

import pytest

import flopsheet
from flopsheet.configs.reading import read_config
from flopsheet.host.loading import load

SMALL = {"d_model": 8, "encoder_layers": 2, "decoder_layers": 3, "encoder_attention_heads": 2}
SMALL |= {"decoder_attention_heads": 2, "encoder_ffn_dim": 12, "decoder_ffn_dim": 12, "vocab_size": 30}
WHISPER = SMALL | {
    "model_type": "whisper",
    "pad_token_id": 0,
    "num_mel_bins": 5,
    "max_source_positions": 20,
    "max_target_positions": 6,
}
T5 = {"d_model": 8, "d_kv": 4, "num_heads": 2, "num_layers": 4, "num_decoder_layers": 2, "d_ff": 12, "vocab_size": 30}
SIDE = {"hidden_size": 8, "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 4, "intermediate_size": 12}
SIDE |= {"num_hidden_layers": 3, "vocab_size": 30, "sliding_window": 3}


def t5gemma(**side):
    """Return a small T5Gemma config; `side` changes its decoder."""
    return {"model_type": "t5gemma", "encoder": SIDE, "decoder": SIDE | side}


def test_whispers_source_is_always_the_same():
    """Every recording is padded: neither FLOP of the encoder nor the cross cache follow the workload's seq_len."""
    plain = flopsheet.evaluate(WHISPER, target_len=4, context=5)
    longer = flopsheet.evaluate(WHISPER, target_len=4, context=5, seq_len=999)
    assert plain.status == "ok"
    assert "the source is always 20 positions" in plain.notes[0]
    assert plain.totals["flops_forward"] == longer.totals["flops_forward"]
    assert plain.totals["kv_cache_bytes"] == longer.totals["kv_cache_bytes"] == 2 * 2 * 3 * 8 * (5 + 20)


def test_whispers_defaults_are_its_own_lengths():
    """The source is as long as the encoder's table, target and context as the decoder's."""
    result = flopsheet.evaluate(WHISPER).dimensions
    assert (result["seq_len"], result["target_len"], result["context"]) == (20, 6, 6)


def test_whispers_convolutions_are_no_matrix_products():
    """Two frames make a position: 3 · mel · d over the frames, 3 · d · d over the positions."""
    totals = flopsheet.evaluate(WHISPER).totals
    assert totals["flops_forward"] - totals["flops_forward_matmul"] == 2 * 40 * 3 * 5 * 8 + 2 * 20 * 3 * 8 * 8


@pytest.mark.parametrize(
    ("config", "layers"),
    [
        ({"num_sparse_encoder_layers": 2}, 2),
        ({"num_sparse_encoder_layers": 4}, 4),
        ({"num_sparse_encoder_layers": 3}, 4),
        ({"num_sparse_encoder_layers": 1}, 1),
        ({"num_sparse_encoder_layers": 0}, 1),
        ({"num_sparse_encoder_layers": 9}, 0),
        ({"num_sparse_encoder_layers": 2, "encoder_sparse_step": 1}, 4),
    ],
)
def test_switch_begins_with_the_second_layer(config, layers):
    """Every n-th layer from the second on has experts; a step of its own overrides the number of them."""
    result = flopsheet.evaluate(T5 | {"model_type": "switch_transformers", "num_sparse_decoder_layers": 1, **config})
    assert result.dimensions["encoder_moe_layers"] == layers


@pytest.mark.parametrize(("step", "layers"), [(1, 3), (2, 1), (3, 1), (4, 0), (0, 0)])
def test_nllb_takes_every_nth_layer(step, layers):
    """Layers are counted from one, and two experts a token are active."""
    config = SMALL | {"model_type": "nllb-moe", "num_experts": 4, "encoder_sparse_step": 9, "decoder_sparse_step": step}
    result = flopsheet.evaluate(config)
    assert result.dimensions["decoder_moe_layers"] == layers
    idle = layers * 2 * (2 * 8 * 12 + 12 + 8)
    assert result.totals["parameters"] - result.totals["parameters_active"] == idle


@pytest.mark.parametrize(
    ("config", "problem"),
    [
        (T5 | {"model_type": "longt5", "encoder_attention_type": "dilated"}, "encoder_attention_type = 'dilated'"),
        (SMALL | {"model_type": "bigbird_pegasus", "attention_type": "other"}, "attention_type = 'other'"),
        (SMALL | {"model_type": "marian", "pad_token_id": 0, "decoder_vocab_size": 7}, "decoder_vocab_size = 7"),
        (SMALL | {"model_type": "mvp", "use_prompt": True}, "field use_prompt = True"),
        (t5gemma(new_experts=4), "field decoder.new_experts = 4"),
    ],
)
def test_what_is_not_understood_is_said(config, problem):
    """A kind, a list or a field that nothing reads makes the count approximate."""
    result = flopsheet.evaluate(config)
    assert result.status == "approximate"
    assert any(problem in text for text in result.problems)


def pairs(length, seen):
    """Count the query-key pairs of one sequence."""
    return sum(seen(query, key) for query in range(length) for key in range(length))


@pytest.mark.parametrize("length", [1, 2, 3, 4, 9])
def test_windows_are_counted_pair_by_pair(length):
    """The encoder looks to either side, the decoder back; two of three layers have windows."""
    result = flopsheet.evaluate(t5gemma(), seq_len=length, target_len=length, mask="window")
    lines = {line["name"]: line["value"] for line in result.lines}
    around = pairs(length, lambda query, key: abs(query - key) <= 3)
    back = pairs(length, lambda query, key: 0 <= query - key < 3)
    causal = pairs(length, lambda query, key: key <= query)
    assert lines["encoder_attention_core_flops"] == 4 * 8 * (2 * around + length * length)
    assert lines["decoder_attention_core_flops"] == 4 * 8 * (2 * back + causal)


def test_a_mask_changes_no_encoder_and_no_square():
    """Only the decoder is causal; matrix products are full squares under every mask."""
    full, causal = (flopsheet.evaluate(t5gemma(), seq_len=9, target_len=9, mask=mask) for mask in ("full", "causal"))
    assert full.totals["flops_forward_matmul"] == causal.totals["flops_forward_matmul"] == full.totals["flops_forward"]
    assert full.totals["flops_forward"] - causal.totals["flops_forward"] == 4 * 8 * 3 * (81 - 45)
    assert causal.totals["flops_forward_causal"] == causal.totals["flops_forward"]


def test_window_layers_cache_one_less_than_their_window():
    """Keys and values of one head: the window in two layers, the context in one, and the source in three."""
    result = flopsheet.evaluate(t5gemma(), context=10, seq_len=7, kv_dtype_bytes=1)
    assert result.totals["kv_cache_bytes"] == 2 * 4 * (2 * 2 + 10 + 3 * 7)


def test_untied_sides_store_their_own_tables():
    """Untied, BART's relatives have the shared table, one for each side, and the head."""
    tied, untied = (
        flopsheet.evaluate(SMALL | {"model_type": "mbart", "tie_word_embeddings": tie}).totals for tie in (True, False)
    )
    assert untied["parameters"] - tied["parameters"] == 3 * 30 * 8


BART = SMALL | {"model_type": "bart", "max_position_embeddings": 16}
CONVOLUTIONS = {"tiny/moonshine": 2_677_920, "tiny/cohere_asr": 379_200, "tiny/speecht5": 235_200}
CONVOLUTIONS |= {"tiny/speech_to_text": 154_112}
CONVOLUTIONS |= {"tiny/seamless_m4t0": 1043136, "tiny/seamless_m4t_v26": 1116864}
"""FLOP of convolutions as torch's counter sees them, of the recording that makes the record's source positions."""


def record(name):
    """Return a record of the truth table."""
    records = json.loads((Path(__file__).parent / "data" / "truth_encdec.json").read_text("utf-8"))
    return next(record for record in records if record["id"] == name)


@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_convolutions_over_sound_cost_what_torch_measures(name):
    """Early ones work on more positions than the encoder has, and need some beyond the edge."""
    result = record(name)
    lengths = {key: value for key, value in result["flops_forward"][0].items() if key.endswith("_len")}
    totals = flopsheet.evaluate(result["config"], **lengths).totals
    assert totals["flops_forward"] - totals["flops_forward_matmul"] == CONVOLUTIONS[name]


def test_a_decoder_alone_reads_no_source():
    """Its cross attention keeps its weights and costs nothing; the prompt is its prefill, with the head once."""
    model = flopsheet.evaluate(BART | {"architectures": ["BartForCausalLM"]}, seq_len=10, context=10)
    assert model.groups["parameters"]["cross_attention"] == 3 * (4 * 8 * 8 + 4 * 8)
    assert model.groups["flops"]["cross_attention"] == 0
    assert model.totals["flops_forward"] - model.totals["flops_prefill"] == 2 * 9 * 8 * 30
    assert model.totals["kv_cache_bytes"] == 2 * 2 * 3 * 8 * 10


@pytest.mark.parametrize(
    ("model_type", "whole"),
    [
        ("pp_formulanet_text", "PPFormulaNetForConditionalGeneration"),
        ("pix2struct_text_model", "Pix2StructForConditionalGeneration"),
    ],
)
def test_a_decoder_of_a_tower_s_output_is_approximate_alone(model_type, whole):
    """Without its class's name its cross attention is counted, whose source only the whole model's tower gives."""
    alone = flopsheet.evaluate({"model_type": model_type})
    assert (alone.status, "cross attention" in alone.problems[0]) == ("approximate", True)
    inside = flopsheet.evaluate({"model_type": model_type.partition("_text")[0], "architectures": [whole]})
    assert (inside.status, inside.problems) == ("ok", [])


def test_a_formula_decoder_alone_costs_what_torch_measures():
    """PPFormulaNetTextModel on 8 tokens: its cross attention keeps its weights and is passed over."""
    sizes = {"d_model": 64, "decoder_ffn_dim": 128, "decoder_layers": 2, "decoder_attention_heads": 4}
    named = {"model_type": "pp_formulanet_text", "architectures": ["PPFormulaNetTextModel"], "vocab_size": 100}
    model = flopsheet.evaluate(named | sizes, seq_len=8)
    totals = [model.totals[name] for name in ("parameters", "flops_forward_matmul", "flops_forward_linear")]
    assert (model.status, totals) == ("ok", [271_104, 1_081_344, 1_048_576])


def test_an_encoder_alone_says_nothing_of_a_head():
    """It has none that could be tied; the whole model says how its head is counted."""
    untied = T5 | {"model_type": "t5", "tie_word_embeddings": False}
    encoder = flopsheet.evaluate(untied | {"architectures": ["T5EncoderModel"]})
    assert not any("head" in note for note in encoder.notes)
    assert any("the head is counted as weights of its own" in note for note in flopsheet.evaluate(untied).notes)


def test_an_encoder_alone_writes_nothing():
    """It has no decode step, no cache and no head."""
    model = flopsheet.evaluate(T5 | {"model_type": "t5", "architectures": ["T5EncoderModel"]}, seq_len=10)
    assert model.status == "ok"
    assert model.totals["flops_decode_step"] == model.totals["kv_cache_bytes"] == 0
    assert model.totals["parameters"] == 30 * 8 + 32 * 2 + 4 * (4 * 8 * 8 + 2 * 8 * 12 + 2 * 8) + 8


def test_an_encoder_that_is_told_to_decode_is_not_ok():
    """LongT5's class then builds a decoder."""
    config = T5 | {"model_type": "longt5", "architectures": ["LongT5EncoderModel"], "is_decoder": True}
    assert flopsheet.evaluate(config).status == "approximate"


def test_a_nested_encoder_of_another_type_is_refused():
    """The field and the type that is counted are named."""
    model = flopsheet.evaluate({"model_type": "cohere_asr", "encoder_config": {"model_type": "whisper"}})
    assert model.status == "error"
    assert "encoder_config" in model.problems[0]
    assert "parakeet_encoder" in model.problems[0]


def test_a_field_of_a_nested_encoder_that_nothing_reads_is_told():
    """It has the prefix of its config."""
    model = flopsheet.evaluate({"model_type": "cohere_asr", "encoder_config": {"num_taps": 3}})
    assert model.status == "approximate"
    assert "encoder_num_taps = 3" in model.problems[0]


WORDS = {"hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 12, "vocab_size": 30}
WRITER = WORDS | {"model_type": "bert", "is_decoder": True, "add_cross_attention": True}


def composite(**sides):
    """Return a small composite of two BERTs; `sides` replaces one."""
    return {"model_type": "encoder-decoder", "encoder": WORDS | {"model_type": "bert"}, "decoder": WRITER, **sides}


def test_sides_of_a_composite_need_not_be_as_wide():
    """A matrix with a bias leads from the encoder's width to the decoder's."""
    model = flopsheet.evaluate(composite(encoder=WORDS | {"model_type": "bert", "hidden_size": 16}))
    assert model.status == "ok"
    assert (model.dimensions["bridge_weights"], model.dimensions["bridge_vectors"]) == (16 * 8, 8)


@pytest.mark.parametrize(
    ("sides", "status", "word"),
    [
        ({"decoder": WRITER | {"add_cross_attention": False}}, "approximate", "add_cross_attention"),
        ({"decoder": WRITER | {"model_type": "gpt2"}}, "error", "gpt2"),
        ({"encoder": 7}, "error", "encoder = 7"),
        ({"encoder": WORDS | {"model_type": "bert", "depth": 3}}, "approximate", "encoder_depth"),
    ],
)
def test_composites_that_are_not_counted_say_why(sides, status, word):
    """The side and what is wrong with it are named."""
    model = flopsheet.evaluate(composite(**sides))
    assert model.status == status
    assert word in model.problems[0]


def test_quantized_stacks_are_counted():
    """The rows and columns of both stacks' matrices are known, fused or not."""
    stored = {"quantization_config": {"quant_method": "bitsandbytes", "load_in_4bit": True}}
    model = read_config(load(), {"model_type": "t5", **stored})
    assert model.problems == ()
    assert "4.50137 bits per weight of linear layers, except for 50% of MLP" in model.notes[-1]

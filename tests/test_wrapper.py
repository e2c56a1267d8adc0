from __future__ import annotations

import flopsheet

LLAMA = {
    "model_type": "llama",
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "vocab_size": 100,
}
WRAPPED = {
    "model_type": "some-vision-language-model",
    "architectures": ["SomeForConditionalGeneration"],
    "text_config": LLAMA,
    "vision_config": {"model_type": "siglip", "hidden_size": 32},
}


def test_the_language_model_of_a_wrapper_is_counted():
    """A wrapper's text_config is counted as the language model that it is."""
    assert flopsheet.evaluate(WRAPPED).totals["parameters"] == flopsheet.evaluate(LLAMA).totals["parameters"]


def test_a_wrapper_is_approximate_and_names_what_is_not_counted():
    """The towers beside the language model are named, and the status is approximate."""
    model = flopsheet.evaluate(WRAPPED)
    assert model.status == "approximate"
    assert any("vision" in problem and "not counted" in problem for problem in model.problems)


def test_a_wrapper_of_an_unknown_language_model_is_an_error():
    """A wrapper around a type that nobody reads is refused."""
    wrapped = WRAPPED | {"text_config": LLAMA | {"model_type": "no-such-type"}}
    assert flopsheet.evaluate(wrapped).status == "error"


def test_a_tied_head_of_the_wrapper_counts_for_the_language_model():
    """tie_word_embeddings beside text_config holds for the language model."""
    tied = flopsheet.evaluate(WRAPPED | {"tie_word_embeddings": True})
    assert tied.totals["parameters"] == flopsheet.evaluate(WRAPPED).totals["parameters"] - 64 * 100


FLAT = {name: value for name, value in LLAMA.items() if name != "model_type"}
VISION = {"depth": 2, "hidden_size": 32, "num_heads": 4, "out_hidden_size": 64, "intermediate_size": 48}
QWEN = FLAT | {"model_type": "qwen2_5_vl", "num_key_value_heads": 2, "vision_config": VISION}


def test_the_fields_of_an_older_wrapper_are_its_language_models():
    """Qwen2.5-VL was published with the fields of its language model beside the vision tower."""
    flat = flopsheet.evaluate(QWEN | {"tie_word_embeddings": False, "vision_start_token_id": 7})
    nested = {"model_type": "qwen2_5_vl", "text_config": FLAT | {"num_key_value_heads": 2}, "vision_config": VISION}
    assert (flat.status, flat.problems) == ("ok", [])
    assert flat.totals == flopsheet.evaluate(nested).totals


def test_a_language_model_that_contradicts_its_wrapper_is_told():
    """The wrapper's class builds the head, so what the wrapper says of it counts."""
    text = LLAMA | {"tie_word_embeddings": False}
    model = flopsheet.evaluate(WRAPPED | {"text_config": text, "tie_word_embeddings": True})
    assert model.dimensions["tied_head"] == 1
    assert any("contradicts the wrapper" in problem for problem in model.problems)


def test_the_class_of_the_wrapper_ties_the_head_where_nobody_says_so():
    """Qwen2-VL's language model declares no tie of its own; its wrapper does."""
    assert flopsheet.evaluate(QWEN | {"model_type": "qwen2_vl"}).dimensions["tied_head"] == 0

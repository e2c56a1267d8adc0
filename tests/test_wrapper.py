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

"""Encoders: attention to both sides, layers that share weights, heads by class."""

import flopsheet

BERT = {"model_type": "bert", "architectures": ["BertForMaskedLM"], "hidden_size": 64, "num_attention_heads": 4}
BERT |= {"num_hidden_layers": 3, "intermediate_size": 128, "vocab_size": 1000, "max_position_embeddings": 32}
ALBERT = BERT | {"model_type": "albert", "architectures": ["AlbertModel"], "embedding_size": 16}
MODERN = BERT | {
    "model_type": "modernbert",
    "architectures": ["ModernBertModel"],
    "local_attention": 8,
    "pad_token_id": 0,
}


def total(config, name="parameters", **workload):
    """Return a total of a config that must be exact."""
    model = flopsheet.evaluate(config, **workload)
    assert (model.status, model.problems) == ("ok", [])
    return model.totals[name]


def test_an_encoder_sees_the_full_square_under_every_mask():
    """A causal mask is the workload's word, not the encoder's; nothing is cached."""
    full, causal = (total(BERT, "flops_forward", seq_len=32, mask=mask) for mask in ("full", "causal"))
    assert full == causal == total(BERT, "flops_forward_causal", seq_len=32)
    assert total(BERT, "kv_cache_bytes") == 0


def test_an_encoder_used_as_a_decoder_is_causal_and_caches():
    """BertLMHeadModel with is_decoder sees only what was before, and keeps keys and values."""
    decoder = BERT | {"architectures": ["BertLMHeadModel"], "is_decoder": True}
    saved = total(decoder, "flops_forward", seq_len=32) - total(decoder, "flops_forward", seq_len=32, mask="causal")
    assert saved == 4 * 3 * 64 * (32 * 32 - 32 * 33 // 2)
    assert total(decoder, "kv_cache_bytes", context=10) == 2 * 3 * 64 * 10 * 2


def test_rembert_ties_nothing():
    """RemBERT's class keeps two tables of tokens, whatever the config says, even where they are as wide."""
    rembert = {"model_type": "rembert", "input_embedding_size": 3, "output_embedding_size": 3, "vocab_size": 199}
    rembert |= {"num_hidden_layers": 32}
    assert total(rembert | {"tie_word_embeddings": True}) == total(rembert | {"tie_word_embeddings": False})


def test_windows_reach_to_both_sides():
    """ModernBERT's local layers see four tokens on each side and themselves."""
    seen = sum(min(place, 4) + 1 + min(31 - place, 4) for place in range(32))
    saved = total(MODERN, "flops_forward", seq_len=32) - total(MODERN, "flops_forward", seq_len=32, mask="window")
    assert saved == 4 * 64 * 2 * (32 * 32 - seen)


def test_shared_layers_are_stored_once_and_used_often():
    """ALBERT with more layers has no more parameters, and costs more."""
    deep = ALBERT | {"num_hidden_layers": 6}
    assert total(deep) == total(ALBERT)
    assert total(deep, "flops_forward") > total(ALBERT, "flops_forward")


def test_a_classifier_counts_the_labels():
    """Every label is a row and a bias; without names there are two."""
    two = BERT | {"architectures": ["BertForSequenceClassification"]}
    three = two | {"id2label": {"0": "no", "1": "yes", "2": "perhaps"}}
    assert total(three) - total(two) == 64 + 1


def test_an_unknown_class_is_approximate():
    """Its heads are not known."""
    model = flopsheet.evaluate(BERT | {"architectures": ["BertForSomething"]})
    assert model.status == "approximate"
    assert "BertForSomething is not known" in model.problems[0]


def test_answers_of_roformer_have_two_ends_whatever_the_labels():
    """Its class sets `num_labels` to 2: the first and the last word of an answer."""
    two = BERT | {"model_type": "roformer", "architectures": ["RoFormerForQuestionAnswering"]}
    assert total(two | {"id2label": {"0": "no", "1": "yes", "2": "perhaps"}}) == total(two)

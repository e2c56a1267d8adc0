"""Drafts of speculative decoding: named by their class, counted without what belongs to the model that they serve."""

import pytest

import flopsheet

LAYERS = {
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "num_hidden_layers": 1,
    "vocab_size": 128256,
    "max_position_embeddings": 2048,
}
EAGLE = {"model_type": "llama", "architectures": ["LlamaForCausalLMEagle3"], **LAYERS, "draft_vocab_size": 32000}
STATES, WIDE, OUT, MLP = 3 * 4096 * 4096, 8192 * (4096 + 2 * 1024), 4096 * 4096, 3 * 4096 * 14336
"""What joins three states; queries, keys and values of a token next to a state; the layer's other matrices."""


@pytest.mark.parametrize("name", ["LlamaForCausalLMEagle3", "Eagle3LlamaForCausalLM", "LlamaEagle3ForCausalLM"])
def test_eagle3_is_its_layer_and_its_small_head(name):
    """The draft of Llama 3 8B has the weights of its published checkpoint, which holds no token table."""
    model = flopsheet.evaluate({**EAGLE, "architectures": [name]})
    assert (model.status, model.problems) == ("ok", [])
    assert model.totals["parameters"] == STATES + WIDE + OUT + MLP + 4096 * 32000 + 4 * 4096 == 424_689_664


def test_a_draft_says_that_it_is_one():
    """A note says that the token table is another model's."""
    assert any("a draft alone" in note for note in flopsheet.evaluate(EAGLE).notes)


def test_norms_and_widths_of_states_are_counted():
    """`fc_norm` norms each state, whose width may be another than the draft's."""
    plain, normed = (
        flopsheet.evaluate(EAGLE),
        flopsheet.evaluate({**EAGLE, "fc_norm": True, "target_hidden_size": 5120}),
    )
    assert normed.totals["parameters"] - plain.totals["parameters"] == 3 * 1024 * 4096 + 3 * 5120


def test_only_one_layer_of_eagle3_can_be_built():
    """Its class builds one layer whatever the field says, so another number is an error."""
    assert flopsheet.evaluate({**EAGLE, "num_hidden_layers": 2}).status == "error"


def test_dflash_borrows_table_and_head():
    """The draft of Qwen3-8B has 1.05B weights: five layers of Qwen3, what joins five states, and no vocabulary."""
    own = {"hidden_size": 4096, "intermediate_size": 12288, "head_dim": 128, "num_hidden_layers": 5}
    options = {"dflash_config": {"mask_token_id": 151669, "target_layer_ids": [1, 9, 17, 25, 33]}, "block_size": 16}
    config = {"model_type": "qwen3", "architectures": ["DFlashDraftModel"], **LAYERS, **own, **options}
    model = flopsheet.evaluate(config)
    attention, mlp = 4096 * (2 * 4096 + 2 * 1024), 3 * 4096 * 12288
    expected = 5 * (attention + mlp + 2 * 4096 + 2 * 128) + 5 * 4096 * 4096 + 2 * 4096
    assert (model.status, model.totals["parameters"]) == ("approximate", expected)
    assert expected == 1_048_626_432

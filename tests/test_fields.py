"""Which fields of a config are understood, and what is said of the others."""

import pytest

from flopsheet import Architecture, Dimension, Family
from flopsheet.configs.fields import irrelevant, understood, unread

TOY = Architecture("toy", "Toy", "One matrix", (Dimension("width", "Width", keys=("hidden_size", "n_embd")),))
FAMILY = Family(
    "toy",
    "toy",
    classes={"ToyModel": {"depth": "2 * n_deep"}},
    values={"inner": "expand * width", "norms": 2},
    defaults={"gated": False, "expand": 2, "shape": [1, 2]},
    irrelevant=("color",),
)


def problems(**config):
    """Return what is said of a config's fields."""
    return unread(config, understood(TOY, FAMILY), FAMILY)


UNDERSTOOD = {
    "key of a dimension": {"hidden_size": 64},
    "second key of a dimension": {"n_embd": 64},
    "named in a formula": {"expand": 4},
    "named in a class's formula": {"n_deep": 3},
    "irrelevant to the family": {"color": "blue"},
    "irrelevant to all": {"initializer_range": 0.02, "use_cache": True, "eos_token_id": [1, 2]},
    "at its class default": {"gated": False},
    "list at its class default": {"shape": [1, 2]},
    "null": {"adapter": None},
    "empty text": {"adapter": ""},
    "empty list": {"adapter": []},
    "empty table": {"adapter": {}},
    "private": {"_name_or_path": "somewhere"},
}


@pytest.mark.parametrize("config", UNDERSTOOD.values(), ids=UNDERSTOOD)
def test_fields_without_a_problem(config):
    """A field is declared, irrelevant, at its default, or asks for nothing."""
    assert problems(**config) == []


UNREAD = {
    "unknown number": ({"adapter_rank": 8}, "adapter_rank = 8"),
    "unknown flag": ({"use_adapter": True}, "use_adapter = True"),
    "unknown flag that is off": ({"use_adapter": False}, "use_adapter = False"),
    "zero": ({"n_adapters": 0}, "n_adapters = 0"),
    "beside its class default": ({"gated": True}, "gated = True"),
    "text": ({"kind": "odd"}, "kind = 'odd'"),
    "table": ({"adapter": {"rank": 8}}, "adapter = {'rank': 8}"),
}


@pytest.mark.parametrize(("config", "said"), UNREAD.values(), ids=UNREAD)
def test_fields_that_nothing_reads(config, said):
    """The problem shows the field with its value."""
    assert problems(**config) == [f"field {said} is not understood: it may change the count"]


def test_every_unread_field_is_told_in_order():
    """One problem a field, as the config lists them."""
    assert [text.split()[1] for text in problems(zebra=1, hidden_size=2, ape=3)] == ["zebra", "ape"]


def test_long_values_are_cut():
    """A text of 40,000 characters does not fill the report."""
    (problem,) = problems(adapter="x" * 40_000)
    assert len(problem) < 150


def test_what_changes_a_count_is_not_irrelevant():
    """Fields that some architecture reads must not be waved through for all of them."""
    counted = {
        *("hidden_size", "num_hidden_layers", "head_dim", "tie_word_embeddings", "attention_bias", "sliding_window"),
        *("num_experts", "use_bias", "layer_types", "hidden_size_per_layer_input", "num_nextn_predict_layers"),
    }
    assert not irrelevant() & counted

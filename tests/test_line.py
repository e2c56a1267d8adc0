"""The nouns: what plugins write down."""

import pytest

from flopsheet import Architecture, Dimension, Family, Line, Reading, Rule
from flopsheet.accounting.line import GROUPS, write_group


@pytest.mark.parametrize(
    ("title", "label"),
    [("Queries", "Queries"), ("", "Attention q")],
    ids=["given", "from the name"],
)
def test_label(title, label):
    """A line has a title for people even where its author gave none."""
    assert Line("attention_q", "1", "parameters", title=title).label == label


@pytest.mark.parametrize(
    "noun",
    [
        Dimension("width", "Width"),
        Line("matrix", "width", "parameters"),
        Rule("rule", "Rule", "width", "parameters", "parameters", "Anybody"),
        Architecture("toy", "Toy", "One matrix", ()),
        Family("toy", "toy"),
    ],
    ids=lambda noun: type(noun).__name__,
)
def test_nouns_are_frozen(noun):
    """Nobody changes another plugin's data by accident."""
    with pytest.raises(AttributeError):
        setattr(noun, next(iter(type(noun).__annotations__)), "another")


def test_readings_are_of_their_own():
    """Two readings share no list: each `read` fills its own."""
    first, second = Reading(), Reading()
    first.notes.append("a note")
    first.keys.add("a_key")
    assert (second.notes, second.keys) == ([], set())


def test_every_group_says_what_it_means():
    """Groups are shown to people, so each has its sentence."""
    assert all(GROUPS.values())
    assert list(GROUPS)[:3] == ["embedding", "positional", "attention"]
    assert "kv_cache" in GROUPS


@pytest.mark.parametrize(
    ("group", "said"),
    [("mlp", "MLP"), ("kv_cache", "KV cache"), ("shared_experts", "shared experts"), ("zebra", "zebra")],
)
def test_groups_are_said_as_people_write_them(group, said):
    """Acronyms stand in capitals, in subtotals as on cards; a plugin's own group stays as it is."""
    assert write_group(group) == said

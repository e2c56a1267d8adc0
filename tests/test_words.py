"""Names in formula texts, found and replaced without reading the formula."""

from flopsheet.accounting.words import rename, words


def test_words_are_whole_names():
    """Digits and underscores belong to names; numbers are none."""
    assert words("2 * d_model + max(n_1, 1e6)") == {"d_model", "max", "n_1"}


def test_rename_leaves_longer_names_alone():
    """`d_ff` is no part of `d_ff_2`."""
    assert rename("d_ff * d_ff_2", {"d_ff": "width"}) == "width * d_ff_2"


def test_rename_is_done_at_once():
    """Names can be swapped, since a replaced name is not replaced again."""
    assert rename("a * b", {"a": "b", "b": "a"}) == "b * a"

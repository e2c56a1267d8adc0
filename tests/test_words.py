"""Names in formula texts, found and replaced without reading the formula; and names that may have been meant."""

import pytest

from flopsheet.accounting.words import names_like, rename, words


def test_words_are_whole_names():
    """Digits and underscores belong to names; numbers are none."""
    assert words("2 * d_model + max(n_1, 1e6)") == {"d_model", "max", "n_1"}


def test_rename_leaves_longer_names_alone():
    """`d_ff` is no part of `d_ff_2`."""
    assert rename("d_ff * d_ff_2", {"d_ff": "width"}) == "width * d_ff_2"


def test_rename_is_done_at_once():
    """Names can be swapped, since a replaced name is not replaced again."""
    assert rename("a * b", {"a": "b", "b": "a"}) == "b * a"


LIKE = {
    "swapped letters": ("d_modle", "; did you mean 'd_model'?"),
    "another case": ("D-Model", "; did you mean 'd_model'?"),
    "beginning": ("n_l", "; did you mean 'n_layers'?"),
    "several beginnings": ("h100", "; did you mean 'h100-pcie' or 'h100-sxm'?"),
    "too short": ("d", ""),
    "unlike": ("zzz", ""),
}


@pytest.mark.parametrize(("name", "text"), LIKE.values(), ids=LIKE)
def test_names_like(name, text):
    """A suggestion stands only where a name begins so, or is near."""
    assert names_like(name, ["d_model", "n_layers", "h100-pcie", "h100-sxm"]) == text

"""Names that may have been meant by one that nothing knows."""

import pytest

from livesheets.suggestions import names_like

LIKE = {
    "swapped letters": ("d_modle", "; did you mean 'd_model'?"),
    "another case": ("D-Model", "; did you mean 'd_model'?"),
    "beginning": ("n_l", "; did you mean 'n_layers'?"),
    "several beginnings": ("h100", "; did you mean 'h100-pcie' or 'h100-sxm'?"),
    "too short": ("d", ""),
    "unlike": ("zzz", ""),
    "three letters of seven": ("gau", ""),
}


@pytest.mark.parametrize(("name", "text"), LIKE.values(), ids=LIKE)
def test_names_like(name, text):
    """A suggestion stands only where a name begins so, or is near."""
    assert names_like(name, ["d_model", "n_layers", "h100-pcie", "h100-sxm", "pegasus"]) == text

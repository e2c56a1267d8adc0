"""Required plugin packages of a portfolio."""

import pytest

from flopsheet.configs.require import unmet


def test_what_is_installed_is_met():
    """A name alone, and a version that fits."""
    assert unmet(["pluggy", "pluggy>=1.0", "flopsheet"]) == []


UNMET = {
    "no-such-package>=1": "no-such-package>=1 is not installed; pip install 'no-such-package>=1'",
    "pluggy<0.1": "pluggy<0.1 is required, ",
    "pluggy >> 3": "'pluggy >> 3' is not a requirement: ",
}


@pytest.mark.parametrize(("text", "problem"), UNMET.items(), ids=UNMET)
def test_what_is_missing_is_told(text, problem):
    """One sentence each, with what to do."""
    (said,) = unmet([text])
    assert said.startswith(problem)

from __future__ import annotations

from pathlib import Path

import pytest
from pages.coverage import (
    APPROXIMATE,
    EXACT,
    UNSUPPORTED,
    _unclaimed,
    coverage,
    most_used,
    page,
    summary,
)

from flopsheet.host.loading import load

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def covered() -> dict:
    """Give what is covered, by model_type."""
    return {one.model_type: one for one in coverage(load())}


def test_the_committed_page_is_the_generated_one():
    """docs/coverage.md says what the code does."""
    assert (ROOT / "docs" / "coverage.md").read_text("utf-8") == page(), "run `make docs`"


def test_readme_sums_the_coverage_up(covered):
    """README repeats the line that counts the types."""
    assert summary(list(covered.values())) in " ".join((ROOT / "README.md").read_text("utf-8").split())


@pytest.mark.parametrize("model_type", ["llama", "gpt2", "mixtral", "deepseek_v3", "mamba", "mamba2", "t5", "bart"])
def test_types_that_are_exact_are_listed_so(covered, model_type):
    """A supported type stands as exact, with its architecture and plugin."""
    assert covered[model_type].status == EXACT
    assert covered[model_type].architecture
    assert covered[model_type].plugin


def test_every_exact_type_is_claimed_by_a_plugin(covered):
    """No type is called exact without a family."""
    families = load().families
    assert all(one.model_type in families for one in covered.values() if one.status == EXACT)


def test_every_type_that_is_not_exact_says_why(covered):
    """Each is counted with a reservation, or left unclaimed for a reason, and only those have one.

    Every unclaimed type has its reason in the table, and so may one of which only the language model is counted.
    """
    assert [one.model_type for one in covered.values() if bool(one.reservation) == (one.status == EXACT)] == []
    unclaimed = {one.model_type for one in covered.values() if one.status == UNSUPPORTED}
    approximate = {one.model_type for one in covered.values() if one.status == APPROXIMATE}
    assert unclaimed <= set(_unclaimed()) <= unclaimed | approximate


def test_the_most_used_types_come_first(covered):
    """The page begins with the types of use.toml, each once and each known; the others follow by name."""
    first = most_used()
    assert list(covered)[: len(first)] == list(first)
    assert list(covered)[len(first) :] == sorted(covered.keys() - set(first))

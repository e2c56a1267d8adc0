"""Real checkpoints: the bytes that their indexes name against those that are counted."""

import tomllib
from pathlib import Path

import pytest

import flopsheet

KEPT = tomllib.loads((Path(__file__).parent / "data" / "checkpoints.toml").read_text("utf-8"))


@pytest.mark.parametrize("name", KEPT)
def test_a_checkpoint_is_counted_to_the_byte(name):
    """The bytes of the weights, with what is known to be stored besides, are those of the index."""
    kept = KEPT[name]
    width = {key: kept[key] for key in ("weight_dtype_bytes",) if key in kept}
    model = flopsheet.evaluate(kept["config"], **width)
    besides = sum(one["bytes"] for one in kept.get("besides", ()))
    assert model.totals["weights_bytes"] + besides == kept["total_size"]
    assert model.status == kept["status"], model.problems
    assert kept.get("approximate", "") in "; ".join(model.problems)


def test_there_are_many_and_few_are_approximate():
    """What is approximate of them says why."""
    approximate = [name for name in KEPT if KEPT[name]["status"] != "ok"]
    assert len(KEPT) >= 75
    assert len(approximate) <= len(KEPT) // 10
    assert all(KEPT[name]["approximate"] for name in approximate)

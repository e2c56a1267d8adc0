"""Real configs of public repositories, fine-tunes and types of their own among them.

Each is kept as facts: its repository, and those fields alone without which status or parameters would be others.
"""

import json
from collections import Counter
from pathlib import Path

import pytest

import flopsheet

KEPT = json.loads((Path(__file__).parent / "data" / "real.json").read_text("utf-8"))


@pytest.mark.parametrize("name", KEPT)
def test_a_real_config_is_counted(name):
    """Status and parameters are those that were compared: with the class, where `class` names it."""
    kept = KEPT[name]
    model = flopsheet.evaluate(kept["config"])
    assert model.status == kept["status"], model.problems
    assert (model.totals or {}).get("parameters") == kept.get("parameters")
    said = model.model.errors if kept["status"] == "error" else model.problems
    assert kept.get("why", "") in "; ".join(said)


@pytest.mark.parametrize("name", [name for name in KEPT if "class" in KEPT[name]])
def test_kept_counts_are_those_of_transformers(name):
    """The class, built on the meta device, has the parameters that are kept."""
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from flopsheet.verify import meta  # noqa: PLC0415 - absent where the kept numbers alone are compared

    kept = KEPT[name]
    built = meta.build(kept["config"], (kept["config"].get("architectures") or [kept["class"]])[0])
    assert sum(tensor.count for tensor in meta.tensors(built)) == kept["parameters"]


def test_most_are_ok():
    """What is not says why."""
    counts = Counter(kept["status"] for kept in KEPT.values())
    assert len(KEPT) >= 300
    assert counts["ok"] >= 0.75 * len(KEPT)
    assert all(kept["why"] for kept in KEPT.values() if kept["status"] != "ok")

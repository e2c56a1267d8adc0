"""What tensor and expert parallelism split: the lines' `shard` against transformers' own plans."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

import flopsheet

FILE = Path(__file__).parent / "data" / "shards.json"
KEPT = json.loads(FILE.read_text())
"""Of types whose plan in transformers 5.23 is complete: parameters of two layers, by what the plan does with them."""


def counted(model_type):
    """Return the parameters of a config of two layers by the `shard` of their lines."""
    result = Counter()
    model = flopsheet.evaluate({"model_type": model_type, "num_hidden_layers": 2})
    assert model.status == "ok", model.problems
    for entry in model.ledger.entries:
        if entry.section == "parameters" and entry.role == "line":
            result[entry.line.shard] += model.numbers[entry.line.name]
    return +result


def planned(model_type):
    """Return the parameters of the same model by its class's plan: a bias of a row-parallel matrix is whole."""
    import torch  # noqa: PLC0415 - absent where the kept numbers alone are compared
    from transformers import AutoConfig, AutoModelForCausalLM  # noqa: PLC0415 - as above

    config = AutoConfig.for_model(model_type, num_hidden_layers=2)
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config)
    styles = {f"{model.base_model_prefix}.{name}": style for name, style in config.base_model_tp_plan.items()}
    styles |= getattr(model, "_tp_plan", None) or {}
    patterns = [(re.compile(re.escape(name).replace(r"\*", r"\d+") + r"(\.\w+)?"), styles[name]) for name in styles]
    result = Counter()
    for name, weight in model.named_parameters():
        style = next((style for pattern, style in patterns if pattern.fullmatch(name)), "replicated")
        whole = style.startswith("replicated") or (style.startswith("rowwise") and name.endswith("bias"))
        result["expert" if ".experts." in name else "replicated" if whole else "tensor"] += weight.numel()
    return result


@pytest.mark.parametrize("model_type", KEPT)
def test_lines_are_split_as_the_plan_of_the_class_says(model_type):
    """Every weight is split, sent to an expert's rank, or whole, to the parameter."""
    assert counted(model_type) == KEPT[model_type]


@pytest.mark.parametrize("model_type", KEPT)
def test_kept_plans_are_those_of_transformers(model_type):
    """The numbers that are kept come from the installed transformers."""
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    assert planned(model_type) == KEPT[model_type]

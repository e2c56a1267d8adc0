"""Quantized checkpoints as their repositories publish them: every list of modules, to the byte of every tensor.

Configs and lists: ai-dynamo/aiconfigurator at 095f58a5, aic-core/src/aiconfigurator_core/model_configs; ranges of
layers are written in braces.
"""

import pytest
from published import KEPT, config_of, derived

import flopsheet

SMALL = ("nvidia/Llama-3.1-70B-Instruct-FP8", "nvidia/Qwen3.6-27B-NVFP4", "nvidia/Gemma-4-31B-IT-NVFP4")
JOINED = 512
"""Bytes of scales that matrices share which two lines count."""
BITS = {
    "moonshotai/Kimi-K2.5": 4.5,
    "moonshotai/Kimi-K3": 4.25,
    "nvidia/Kimi-K2.5-NVFP4": 4.5,
    "nvidia/Kimi-K2.6-NVFP4": 4.5,
    "nvidia/Kimi-K2.7-Code-NVFP4": 4.5,
    "stepfun-ai/Step-3.7-Flash-FP8": 8,
}
"""Bits of a quantized weight, where transformers has no class to count the tensors of."""


@pytest.mark.parametrize("name", [name for name in KEPT if "bytes" in KEPT[name]])
def test_bytes_are_those_of_the_tensors(name):
    """Experts, attention, indexers and heads each have the width that the lists give them."""
    model = flopsheet.evaluate(config_of(KEPT[name]))
    assert model.status == KEPT[name]["status"] == "ok", model.problems
    assert 0 <= model.totals["weights_bytes"] - KEPT[name]["bytes"] <= JOINED


@pytest.mark.parametrize("name", BITS)
def test_a_weight_has_the_width_of_its_format(name):
    """The scales of its groups or blocks add less than a hundredth of a bit."""
    model = flopsheet.evaluate(config_of(KEPT[name]))
    assert 8 * model.dimensions["quantized_bytes"] == pytest.approx(BITS[name], abs=0.01)
    assert model.status == KEPT[name]["status"]


@pytest.mark.parametrize("name", [name for name in KEPT if "bytes" not in KEPT[name] and name not in BITS])
def test_a_type_of_a_server_alone_is_an_error(name):
    """SGLang's own name for DeepSeek-V4 is no type that is known; its bytes are not guessed."""
    assert flopsheet.evaluate(config_of(KEPT[name])).status == "error"


@pytest.mark.parametrize("name", SMALL)
def test_bytes_come_from_classes(name):
    """What is kept is what transformers' class and the formats' tensors give; `tests/published.py` does it for all."""
    pytest.importorskip("transformers")
    assert derived(KEPT[name]) == KEPT[name]["bytes"]

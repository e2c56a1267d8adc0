"""Configs inside others, given in part: which defaults complete them, their own type's or those of the class around."""

from __future__ import annotations

import pytest

import flopsheet

SIGLIP = {"model_type": "siglip_vision_model"}
BUILT = (
    ({"model_type": "voxtral", "text_config": {}}, 4_676_271_104),
    ({"model_type": "voxtral", "text_config": {"model_type": "mistral", "vocab_size": 500}}, 3_874_036_736),
    ({"model_type": "voxtral_realtime", "text_config": {"vocab_size": 500}}, 4_028_562_176),
    ({"model_type": "glmasr", "text_config": {"model_type": "llama"}}, 2_136_470_528),
    ({"model_type": "cohere_asr", "encoder_config": {"hidden_size": 640}}, 960_351_872),
    ({"model_type": "paligemma", "text_config": {"vocab_size": 500}}, 8_154_643_712),
    ({"model_type": "cosmos3_omni", "vision_config": SIGLIP}, 12_616_410_352),
    ({"model_type": "video_llava", "vision_config": SIGLIP}, 6_944_115_200),
)
"""Configs, and the parameters of what transformers 5.23.0 builds of them."""


@pytest.mark.parametrize(("config", "parameters"), BUILT, ids=lambda value: str(value)[:90])
def test_a_part_is_completed_as_its_class_completes_it(config, parameters):
    """A field that a part lacks is the one that transformers fills in, which some classes take from their own."""
    model = flopsheet.evaluate(config)
    assert (model.status, model.totals["parameters"]) == ("ok", parameters)


TEXTS = {
    "apertus1p5_text": ("Apertus1p5TextForCausalLM", 8_091_086_912),
    "granite4_vision_text": ("Granite4VisionTextModel", 6_607_343_616),
    "hunyuan_vl_text": ("HunYuanVLTextModel", 7_667_982_336),
    "hy_v4_vl_text": ("HYV4VLTextModel", 769_164_997_277),
}
"""Language models inside others, which have no tower yet: class and parameters at its defaults, transformers 5.24.0."""


@pytest.mark.parametrize("model_type", TEXTS)
def test_language_models_whose_towers_are_not_counted(model_type):
    """They are what their own class builds, and the whole is called approximate."""
    name, parameters = TEXTS[model_type]
    text = flopsheet.evaluate({"model_type": model_type, "architectures": [name]})
    assert [problem for problem in text.problems if "class defaults are counted" not in problem] == []
    assert text.totals["parameters"] == parameters
    assert flopsheet.evaluate({"model_type": model_type.removesuffix("_text")}).status == "approximate"

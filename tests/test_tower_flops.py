"""What images and sound cost: FLOP of towers with their projectors, as torch's counter sees them.

`data/tower_flops.json` has small configs, their workload, their parameters, and FLOP by kind: linear layers, attention
cores and convolutions, from FlopCounterMode with eager attention around the class's `get_image_features` or
`get_audio_features`, or its tower and projector (transformers 5.23.0, torch 2.13.0; lfm2_vl 5.24.0, which resizes
positions by a matrix product). Of Mllama the outer product that makes the mask of its tiles is left out.
"""

import json
from pathlib import Path

import pytest

import flopsheet
from flopsheet.verify import meta

RECORDS = json.loads((Path(__file__).parent / "data" / "tower_flops.json").read_text("utf-8"))
GROUPS = ("vision", "audio", "projector")
SQUARE = {"gemma3": 224, "llava": 336, "paligemma": 224, "internvl": 448, "cohere2_vision": 512}
"""Types whose class takes a square picture and nothing else."""


def counted(record):
    """Return the FLOP of towers and projectors by kind."""
    model = flopsheet.evaluate(record["config"], **record["workload"])
    assert (model.status, model.problems) == ("ok", [])
    assert model.totals["parameters"] == record["parameters"]
    lines = [e.line for e in model.ledger.entries if e.section == "flops" and e.role == "line"]
    return {
        kind: sum(model.numbers[line.name] for line in lines if line.group in GROUPS and line.work == kind)
        for kind in record["flops"]
    }


def test_there_are_towers_enough():
    """At least 20 types, each once."""
    assert len({record["id"] for record in RECORDS}) == len(RECORDS) >= 20


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record["id"])
def test_a_tower_costs_what_was_measured(record):
    """Linear layers, attention cores and convolutions each equal the recorded count."""
    assert counted(record) == record["flops"]


@pytest.mark.parametrize("name", SQUARE)
def test_a_tower_costs_what_torch_measures(name):
    """The recorded counts are those of the transformers that is installed."""
    torch = pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from torch.utils.flop_counter import FlopCounterMode  # noqa: PLC0415 - torch may be missing

    record = next(record for record in RECORDS if record["id"] == name)
    model = meta.build(record["config"], record["config"]["architectures"][0], "meta").eval()
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        model.get_image_features(pixel_values=torch.zeros(1, 3, SQUARE[name], SQUARE[name], device="meta"))
    assert counter.get_total_flops() == sum(record["flops"].values())


def test_class_tokens_become_no_outputs():
    """Four pictures of 15 tokens have a class token each, which together would make one more."""
    record = next(record for record in RECORDS if record["id"] == "inkling2")
    assert flopsheet.evaluate(record["config"], **record["workload"] | {"images": 4}).numbers["vision_outputs"] == 60


def test_folds_that_are_equally_good_are_refused():
    """Which of two Inkling's class takes is left to the rounding of its numbers: nothing is counted."""
    vision = {"patch_size": 8, "temporal_patch_size": 2, "num_channels": 4, "num_hidden_layers": 9}
    model = flopsheet.evaluate({"model_type": "inkling_mm_model", "vision_config": vision})
    assert (model.status, "equally good" in str(model.problems)) == ("error", True)


def dots(part, **fields):
    """Return dots3's record with changed fields of a part."""
    config = next(record["config"] for record in RECORDS if record["id"] == "dots3_note")
    return flopsheet.evaluate(config | {part: config[part] | fields}, images=1, audio_seconds=2)


def test_experts_of_a_tower_are_said_in_two_ways():
    """A saved config lists the experts of layers that have other numbers of them; one passes those that are chosen."""
    kinds, own = ["dense", "sparse", "sparse"], {"1": {"num_local_experts": 3}}
    saved = dots("vision_config", pyramid_num_routed=None, mlp_layer_types=kinds, per_layer_config=own)
    published = dots("vision_config")
    assert (saved.status, saved.totals) == ("ok", published.totals)
    numbers = published.numbers
    idle = numbers["vision_experts"] - numbers["vision_experts_active"]
    assert idle == (3 + 6 - 2 - 2) * 3 * 48 * 32
    strange = {"1": {"moe_intermediate_size": 8}}
    assert dots("vision_config", mlp_layer_types=kinds, per_layer_config=strange).status == "approximate"


def test_more_experts_of_a_tower_than_there_are_cannot_be_passed():
    """A layer whose own fields ask for that is an error."""
    own = {"1": {"num_local_experts": 1}, "2": {}}
    model = dots("vision_config", per_layer_config=own)
    assert "a position cannot pass 2 of 1 experts" in str(model.problems)


def test_fields_of_sound_in_a_table_of_whisper():
    """Published configs of dots3 keep the sizes of the tower in such a table, which wins."""
    sizes = {"d_model": 48, "encoder_attention_heads": 3, "encoder_layers": 2, "encoder_ffn_dim": 80}
    table = dots("audio_config", hidden_size=1, num_hidden_layers=9, whisper_config=sizes | {"num_mel_bins": 20})
    assert (table.status, table.totals) == ("ok", dots("audio_config").totals)

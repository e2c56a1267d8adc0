"""The workload's dimensions and helper lines."""

import pytest

from flopsheet import Architecture, Dimension, Line
from flopsheet.accounting.adapters import DIMENSIONS as ADAPTERS
from flopsheet.accounting.building import build
from flopsheet.accounting.media import DIMENSIONS as MEDIA
from flopsheet.accounting.quantized_weights import DIMENSIONS as QUANTIZED
from flopsheet.accounting.values import check, expand_choices, fill_in
from flopsheet.accounting.workload import HELPERS, TOKENS, WORKLOAD

EVERYTHING = " + ".join([d.name for d in WORKLOAD if d.kind != "choice"] + [h.name for h in (*HELPERS, TOKENS)])
LEDGER = build(
    Architecture("toy", "Toy", "Names the whole workload", (Dimension("width", "Width", default=1),)),
    (),
    (Line("everything", EVERYTHING, "FLOP", decode="0"),),
    (),
)


def workload(**given):
    """Return dimensions by name as people read them, and the helper lines' values."""
    values, problems = fill_in(LEDGER.dimensions, given)
    assert problems == {}
    return LEDGER.evaluate(values).as_dict() | expand_choices(LEDGER.dimensions, values)


def test_defaults():
    """What a workload is where nobody says anything: the contract's defaults."""
    result = workload()
    assert {name: result[name] for name in (d.name for d in WORKLOAD)} == {
        "batch": 1,
        "seq_len": 4096,
        "target_len": 4096,
        "context": 4096,
        "mask": "full",
        "recompute": "selective",
        "weight_dtype_bytes": 2,
        "training_dtype_bytes": 2,
        "kv_dtype_bytes": 2,
        "state_dtype_bytes": 2,
        "conv_dtype_bytes": 2,
        "gradient_dtype_bytes": 2,
        "optimizer_bytes": 12,
    } | dict.fromkeys((d.name for d in (*QUANTIZED, *ADAPTERS)), 0) | {d.name: d.default for d in MEDIA}


@pytest.mark.parametrize(("longest", "length"), [(0, 4096), (1024, 1024), (4096, 4096), (131072, 4096)])
def test_lengths_are_the_models_maximum_up_to_4096(longest, length):
    """Nothing limits a model whose maximum is 0."""
    result = workload(max_positions=longest)
    assert (result["seq_len"], result["target_len"], result["context"]) == (length, length, length)


@pytest.mark.parametrize(
    ("given", "name", "value"),
    [
        ({"seq_len": 7}, "target_len", 7),
        ({"seq_len": 7}, "context", 4096),
        ({"state_dtype_bytes": 4}, "conv_dtype_bytes", 4),
    ],
    ids=["target follows source", "context is of its own", "convolutions follow states"],
)
def test_defaults_follow_each_other(given, name, value):
    """A default may be another workload name."""
    assert workload(**given)[name] == value


@pytest.mark.parametrize(("mask", "pairs", "target_pairs"), [("full", 36, 9), ("causal", 21, 6), ("window", 21, 6)])
def test_pairs(mask, pairs, target_pairs):
    """A causal token sees itself and all before it: s(s+1)/2; what is not windowed is causal under windows."""
    result = workload(mask=mask, batch=2, seq_len=6, target_len=3)
    assert (result["pairs"], result["target_pairs"], result["full_pairs"]) == (pairs, target_pairs, 36)
    assert (result["tokens"], result["target_tokens"]) == (12, 6)


@pytest.mark.parametrize("dimension", WORKLOAD, ids=lambda d: d.name)
def test_zero_sequences_are_refused(dimension):
    """Counts begin at 1; bytes may be 0, to leave a part out, and so may flags, ranks of adapters, and images."""
    if (
        dimension.kind in ("ratio", "flag", "share")
        or dimension in ADAPTERS
        or dimension.name in ("images", "video_frames")
    ):
        assert check(dimension, 0) == 0
    else:
        with pytest.raises(ValueError, match=r"out of range|not one of"):
            check(dimension, 0)


@pytest.mark.parametrize("size", [0, 0.5, 4])
def test_a_weight_may_take_half_a_byte(size):
    """Or none at all, where weights are not to count."""
    assert workload(weight_dtype_bytes=size)["weight_dtype_bytes"] == size

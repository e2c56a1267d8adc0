"""The counts of real models: what transformers builds, what torch's counter measures, what caches hold.

`data/truth*.json` has configs of supported model types, a file a kind: parameters of the class on torch's meta device
(transformers 5.23.0, torch 2.13.0), forward FLOP by torch's FlopCounterMode with eager attention, and elements of the
caches. `data/others.json` has configs of other types: exact or not ok, whatever plugins there are.
"""

import json
from collections import Counter
from pathlib import Path

import pytest

import flopsheet
from flopsheet.configs.source import load_model
from flopsheet.host.loading import load
from flopsheet.planning.costing import cost

DATA = Path(__file__).parent / "data"
TRUTH = [record for file in sorted(DATA.glob("truth*.json")) for record in json.loads(file.read_text("utf-8"))]
OTHERS = json.loads((DATA / "others.json").read_text("utf-8"))
ONE_BYTE = {"kv_dtype_bytes": 1, "state_dtype_bytes": 1}
FOLDED = {"cross_attention": "attention", "conv": "ssm"}


def counted(record, **workload):
    """Return the totals of a record that must be exact and free of problems."""
    model = flopsheet.evaluate(record["config"], **workload)
    assert (model.status, model.problems) == ("ok", [])
    return model.totals


def exactly(value, expected):
    """Tell whether a total is the expected whole number, and an int at that."""
    return type(value) is int and value == expected


def each(key):
    """Parametrize by the records that know something, named by their id."""
    known = [record for record in TRUTH if key in record]
    return pytest.mark.parametrize("record", known, ids=[record["id"] for record in known])


def test_the_table_is_whole():
    """The first fifteen types have 99 records; no record stands in two files."""
    assert len(json.loads((DATA / "truth.json").read_text("utf-8"))) == 99
    assert len({record["id"] for record in TRUTH}) == len(TRUTH)
    assert all("parameters" in record for record in TRUTH)


@each("parameters")
def test_parameters(record):
    """Unique parameters equal those of the class that transformers builds."""
    assert exactly(counted(record)["parameters"], record["parameters"])


@each("parameters_active")
def test_active_parameters(record):
    """Routed experts count with the share that a token uses."""
    assert exactly(counted(record)["parameters_active"], record["parameters_active"])


@each("groups")
def test_groups(record):
    """The subtotals equal the table's, which counts convolutions with the mixer and cross attention as attention."""
    groups = Counter()
    for name, value in flopsheet.evaluate(record["config"]).groups["parameters"].items():
        groups[FOLDED.get(name, name)] += value
    assert +groups == record["groups"]


@each("flops_forward")
def test_forward_flops(record):
    """Matrix products, or linear layers where scans depend on their kernels, equal torch's count."""
    for measured in record["flops_forward"]:
        total = "linear" if "linear" in measured else "matmul"
        workload = {name: measured[name] for name in ("batch", "seq_len", "target_len") if name in measured}
        assert exactly(counted(record, **workload)[f"flops_forward_{total}"], measured[total])


@each("cache")
def test_caches(record):
    """Keys and values and states hold as many elements as transformers' caches."""
    for measured in record["cache"]:
        workload = {name: measured[name] for name in ("batch", "context", "seq_len") if name in measured}
        totals = counted(record, **workload, **ONE_BYTE)
        for elements, total in (("kv_elements", "kv_cache_bytes"), ("state_elements", "state_bytes")):
            assert elements not in measured or exactly(totals[total], measured[elements])


@pytest.mark.parametrize("record", OTHERS, ids=[record["model_type"] for record in OTHERS])
def test_other_types_are_exact_or_not_ok(record):
    """A number that is called ok is right; whatever is not ok says why."""
    model = flopsheet.evaluate(record["config"])
    if model.status == "ok":
        assert exactly(model.totals["parameters"], record["parameters"])
    else:
        assert model.problems


def test_a_type_that_nobody_claims_is_an_error():
    """It is refused by its name and not counted by guess."""
    model = flopsheet.evaluate(TRUTH[0]["config"] | {"model_type": "nobodys"})
    assert model.status == "error"
    assert "model_type 'nobodys' is not supported" in model.problems[0]
    assert model.totals == {}


@pytest.mark.parametrize("record", OTHERS, ids=[record["model_type"] for record in OTHERS])
def test_other_types_read_as_llama_are_never_ok(record):
    """A borrowed reading that nothing confirms is approximate at best."""
    model = cost(load(), load_model(load(), record["config"], read_as="llama"))
    assert model.status != "ok"
    assert model.problems

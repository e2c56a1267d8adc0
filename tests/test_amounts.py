"""Inputs as people write them: numbers with a scale or a unit."""

import json

import pytest
from planner import run
from samples import write_portfolio

from flopsheet.units.amounts import amount

AMOUNTS = {
    "15T tokens": ("15T", "tokens", 15 * 10**12),
    "a space": ("1.5 T tokens", "tokens", 1_500_000_000_000),
    "4k": ("4k", "accelerators", 4000),
    "percent": ("35%", "share", 0.35),
    "a third of a cent": ("0.333 %", "share", 0.00333),
    "dollars an hour": ("2.69 USD/h", "USD/GPU-h", 2.69),
    "a sign": ("2.69 $/GPU-h", "USD/GPU-h", 2.69),
    "millions": ("60 USD m", "USD", 60_000_000),
    "weeks": ("8 weeks", "days", 56),
    "an exponent": ("1e3k", "accelerators", 1_000_000),
    "another spelling of dollars": ("2.69 US$/GPU-h", "USD/GPU-h", 2.69),
    "thousands a year": ("400k", "USD/year", 400_000),
    "gigabytes of TB": ("2500 GB", "TB", 2.5),
}


@pytest.mark.parametrize(("text", "unit", "expected"), AMOUNTS.values(), ids=AMOUNTS)
def test_a_text_with_a_unit_is_a_number(text, unit, expected):
    """Exactly what the same number without a unit would be."""
    assert amount(text, unit) == expected


OTHERS = {
    "another currency": ("2.69 EUR/h", "USD/GPU-h"),
    "another kind": ("15 GiB", "tokens"),
    "a scale of what has one": ("80G", "GB"),
    "trillions of TFLOP/s": ("989T", "TFLOP/s"),
    "months or millions": ("6m", "months"),
    "milliwatts or megawatts": ("5 mW", "W"),
    "a number alone": ("15", "tokens"),
    "thousands apart": ("4,096 k", "accelerators"),
    "two points": ("1.2.3k", "accelerators"),
    "a word": ("many", "accelerators"),
    "no text": (15, "tokens"),
    "a long one": (f"{'9' * 60}k", "accelerators"),
}


@pytest.mark.parametrize(("value", "unit"), OTHERS.values(), ids=OTHERS)
def test_what_is_no_such_text_stays_as_it_is(value, unit):
    """For whoever reads the input to refuse."""
    assert amount(value, unit) is value


MODEL = """
[[models]]
name = "Ours"
architecture = "dense"
tokens = {tokens}
inputs = {{ goodput = {goodput} }}
dimensions = {{ n_layers = 32, d_model = 4096, n_heads = 32, d_ff = 11008, mlp_matrices = 3, vocab_size = 32000 }}
"""
PLAN = """
[inputs]
accelerators = {accelerators}
mfu = {{ low = {low}, base = {base}, high = 0.45 }}
price_per_hour = {price}
"""
PLAIN = {"accelerators": 4000, "low": 0.3, "base": 0.35, "price": 2.69, "tokens": 10**13, "goodput": 0.9}
TYPED = {
    "accelerators": "'4k'",
    "low": "'30%'",
    "base": "'35%'",
    "price": "'2.69 USD/h'",
    "tokens": "'10T'",
    "goodput": "'90%'",
}


def test_a_plan_is_that_of_the_same_numbers(tmp_path):
    """Inputs, ends of ranges, a model's tokens and its own inputs, each with a unit or without."""
    plans = []
    for name, values in (("plain", PLAIN), ("typed", TYPED)):
        (tmp_path / name).mkdir()
        path = write_portfolio(tmp_path / name, (PLAN + MODEL).format(**values))
        status, out, errors = run("plan", path, "--format", "json")
        assert status == 0, errors
        plans.append(json.loads(out))
    assert plans[0] == plans[1]


@pytest.mark.parametrize(("name", "meant"), [("gpus", "accelerators"), ("price", "price_per_hour")])
def test_other_words_for_an_input_name_it(name, meant, tmp_path):
    """In the message that says that the name is unknown."""
    status, _, errors = run("plan", write_portfolio(tmp_path, f"[inputs]\n{name} = 8\n" + MODEL.format(**PLAIN)))
    assert status
    assert f"did you mean '{meant}'" in errors

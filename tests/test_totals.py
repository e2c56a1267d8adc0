"""Subtotals and totals: what the host makes of the lines that plugins give."""

import pytest

from flopsheet import Architecture, Dimension, Line
from flopsheet.accounting.building import build
from flopsheet.accounting.values import fill_in

TOY = Architecture("toy", "Toy", "Two kinds of weights", (Dimension("width", "Width"),))
TABLE = Line("table", "10 * width", "parameters", "embedding")
EXPERTS = Line("experts", "8 * width * width", "parameters", "experts", active="2 / 8")
HEAD = Line("lm_head", "10 * width", "parameters", "lm_head")
SCRATCH = Line("scratch", "99 * width", "parameters", "mlp", additive=False)
ODD = Line("odd", "width", "parameters", "zebra")
LINEAR = Line("linear", "2 * tokens * width * width", "FLOP", "mlp", work="linear")
CORE = Line("core", "batch * pairs", "FLOP", "attention", work="attention_core", full="batch * seq_len * seq_len")
CROSS = Line("cross", "batch * seq_len * 5", "FLOP", "cross_attention", work="attention_core", decode="5 * batch")
SCAN = Line("scan", "7 * tokens", "FLOP", "ssm", work="scan")
CONV = Line("conv", "3 * tokens", "FLOP", "conv", work="other")
CACHE = Line("cache", "batch * context * kv_dtype_bytes", "bytes", "kv_cache")
STATE = Line("state", "batch * width * state_dtype_bytes", "bytes", "state")


def numbers(parameters=(TABLE,), flops=(), memory=(), tokens="batch * seq_len", **given):
    """Return all lines of a toy that is three wide, reads four tokens and has a context of eight."""
    toy = Architecture("toy", "Toy", "Two kinds of weights", TOY.dimensions, tokens=tokens)
    ledger = build(toy, parameters, flops, memory)
    values, problems = fill_in(ledger.dimensions, {"width": 3, "seq_len": 4, "context": 8} | given)
    assert problems == {}
    return ledger.evaluate(values)


def names(section, *lines):
    """Return the names of a section in order."""
    ledger = build(TOY, *(lines if section == kind else () for kind in ("parameters", "flops", "memory")))
    return [entry.line.name for entry in ledger.entries if entry.section == section]


def test_groups_stand_in_the_order_of_the_tables():
    """Lines are sorted by group, a group of a plugin's own last; each group ends with its subtotal."""
    assert names("parameters", ODD, HEAD, TABLE)[:6] == [
        *("table", "sum_parameters_embedding"),
        *("lm_head", "sum_parameters_lm_head"),
        *("odd", "sum_parameters_zebra"),
    ]


def test_lines_of_a_group_stand_together():
    """A subtotal is the sum of a range of columns, so nothing else may stand inside."""
    more = Line("more", "width", "parameters", "embedding")
    assert names("parameters", TABLE, HEAD, more)[:3] == ["table", "more", "sum_parameters_embedding"]


def test_helpers_are_in_no_total():
    """A line that is not additive stands before the lines that are summed."""
    assert names("parameters", TABLE, SCRATCH)[:3] == ["scratch", "table", "sum_parameters_embedding"]
    assert numbers([TABLE, SCRATCH])["parameters"] == 30


def test_groups_sum_to_the_total():
    """Nothing is counted twice or left out."""
    result = numbers([TABLE, EXPERTS, HEAD, ODD])
    assert result["parameters"] == 30 + 72 + 30 + 3
    assert sum(value for name, value in result.items() if name.startswith("sum_parameters_")) == result["parameters"]


@pytest.mark.parametrize(
    ("active", "parameters"),
    [("1", 72), ("2 / 8", 18), ("(2 + 2) / 8", 36), ("2 / 8 + 1 / 8", 27), ("1 - 2 / 8", 54), ("0 if width else 1", 0)],
)
def test_active_parameters_take_each_lines_share(active, parameters):
    """The share is a formula of any form, and the other lines count whole."""
    experts = Line("experts", "8 * width * width", "parameters", "experts", active=active)
    assert numbers([TABLE, experts])["parameters_active"] == 30 + parameters


def test_embedding_parameters_are_the_tables():
    """Token and position tables count, an untied head does not."""
    positions = Line("positions", "5 * width", "parameters", "positional")
    assert numbers([TABLE, HEAD, positions])["parameters_embedding"] == 45
    assert numbers([HEAD])["parameters_embedding"] == 0


FLOPS = (LINEAR, CORE, CROSS, SCAN, CONV)


@pytest.mark.parametrize(
    ("total", "full", "causal"),
    [
        ("flops_forward", 2 * 4 * 9 + 16 + 20 + 28 + 12, 2 * 4 * 9 + 10 + 20 + 28 + 12),
        ("flops_forward_linear", 72, 72),
        ("flops_forward_matmul", 72 + 16 + 20, 72 + 16 + 20),
        ("flops_training_step", 3 * 148, 3 * 142),
        ("flops_per_token", 37, 35.5),
        ("flops_forward_full", 148, 148),
        ("flops_forward_causal", 142, 142),
    ],
)
def test_flop_totals(total, full, causal):
    """Scans and convolutions are in the forward pass alone; matrix products are full squares under every mask."""
    assert numbers(flops=FLOPS)[total] == full
    assert numbers(flops=FLOPS, mask="causal")[total] == causal


def test_flops_a_token_follow_the_architectures_tokens():
    """FLOP are divided by what the architecture says that a pass reads: source and target of an encoder-decoder."""
    source = Line("source", "2 * batch * seq_len * width * width", "FLOP", decode="0")
    more = Line("more", "target_tokens", "FLOP")
    result = numbers(flops=[source, more], tokens="batch * (seq_len + target_len)")
    assert result["flops_per_token"] == (72 + 4) / 8


def test_memory_totals():
    """Weights, caches and states; training adds gradients and AdamW's moments and master weights."""
    result = numbers(memory=[CACHE, STATE], batch=2)
    assert result["weights_bytes"] == 2 * 30
    assert result["kv_cache_bytes"] == 2 * 8 * 2
    assert result["state_bytes"] == 2 * 3 * 2
    assert result["memory_bytes"] == 60 + 32 + 12
    assert result["gradients_bytes"] == 2 * 30
    assert result["optimizer_state_bytes"] == 12 * 30
    assert result["training_state_bytes"] == 16 * 30


@pytest.mark.parametrize("total", ["kv_cache_bytes", "state_bytes"])
def test_a_cache_that_a_model_has_not_is_zero(total):
    """A total stands for every architecture."""
    assert numbers()[total] == 0


def test_nothing_at_all_still_has_totals():
    """A plugin without lines counts nothing."""
    result = numbers(parameters=())
    assert (result["parameters"], result["flops_forward"], result["parameters_embedding"]) == (0, 0, 0)

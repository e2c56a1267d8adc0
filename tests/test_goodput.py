"""Goodput worked out from checkpoints, interruptions and restarts, by hand and against published runs."""

from math import exp, expm1, sqrt

import pytest
from pages.goodput import kept
from test_training import LLAMA_70B, planned

LLAMA_405B = LLAMA_70B | {"hidden_size": 16384, "intermediate_size": 53248, "num_hidden_layers": 126}
LLAMA_405B |= {"num_attention_heads": 128}
DAY, GIGA = 86_400, 1e9


def test_it_is_what_daly_says():
    """A checkpoint of 14 bytes a parameter, the interval of Young, and the time that Daly's equation leaves."""
    result = planned(
        LLAMA_70B, {"seq_len": 4096}, accelerators=4096, global_batch=4096, interruptions=1, restart_seconds=900
    )
    parameters = 80 * (2 * 8192 * 8192 + 2 * 8192 * 1024 + 3 * 8192 * 28672) + 2 * 128256 * 8192 + (2 * 80 + 1) * 8192
    checkpoint, between = 14 * parameters / (4096 * 0.12 * GIGA), 1000 * DAY / 4096
    interval = sqrt(2 * checkpoint * between)
    assert result["checkpoint_interval"] == pytest.approx(interval)
    left = interval / (between * exp(900 / between) * expm1((interval + checkpoint) / between))
    assert result["worked_goodput"] == pytest.approx(left)


def test_llama_3_kept_nine_tenths_of_its_time():
    """419 interruptions in 54 days on 16,384 H100: over 90% of the time was effective (arXiv 2407.21783)."""
    layout = {"tensor_parallel": 8, "pipeline_parallel": 16, "global_batch": 2048}
    result = planned(LLAMA_405B, {"seq_len": 8192}, accelerators=16_384, **layout)
    assert result["between_seconds"] == pytest.approx(54 * DAY / 419, rel=0.02)
    assert 0.90 < result["worked_goodput"] < 0.95


def test_more_accelerators_leave_less():
    """Ten times as many are interrupted ten times as often, and each time all of them wait."""
    some, more = (
        planned(LLAMA_70B, {"seq_len": 4096}, accelerators=count, global_batch=count)["worked_goodput"]
        for count in (10_000, 100_000)
    )
    assert more < some - 0.2


def test_worked_goodput_of_published_runs():
    """Bounds that runs state are met, and where a run lost more than interruptions, the worked-out one is above it."""
    rows = kept()
    assert len(rows) == 3
    assert all(one.worked >= one.row["published"] for one in rows)
    assert all(one.worked < one.row["published"] + 0.05 for one in rows if one.row.get("least"))

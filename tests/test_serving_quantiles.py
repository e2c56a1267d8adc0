"""Latencies at a quantile: a plan's against a replica that is simulated, request by request."""

import random
from collections import deque

import pytest
from test_training import LLAMA_70B

from flopsheet.accounting.nonumber import no_number
from flopsheet.configs.source import load_model
from flopsheet.host.loading import load
from flopsheet.planning.costing import cost
from flopsheet.planning.making import make_plan

TRAFFIC = {
    "chat": {"input_tokens": 1000, "output_tokens": 300, "itl_target_ms": 40},
    "long prompts": {"input_tokens": 6000, "output_tokens": 500, "itl_target_ms": 50},
    "short answers": {"input_tokens": 2000, "output_tokens": 100, "itl_target_ms": 60},
}
QUANTILES = (0.5, 0.95, 0.99)
HEADROOM = 0.2
REQUESTS, FIRST = 30_000, 2_000
"""Requests that are simulated, and how many are left out until the replica is as full as it stays."""


def served(**inputs):
    """Return the lines of a 70B model that is served by replicas of four H200."""
    host = load()
    given = {"accelerator": "h200-sxm", "serving_tensor_parallel": 4, "output_variation": 0, "price_per_hour": 1}
    plan = make_plan(host, [cost(host, load_model(host, LLAMA_70B))], inputs=given | inputs, questions=["serving"])
    return {name: float(value) for name, value in plan.training(plan.costed[0], "base").items()}


def simulated(lines, tokens):
    """Return times to the first token, and between tokens on average, of requests that arrive at random.

    They come at the peak's rate, less the headroom. The replica reads prompts one by one before it goes on writing, and
    all under way get a token in each step; the first token takes a step, and reads the weights, by itself.
    """
    drawn = random.Random(7)  # noqa: S311 - a simulation has no secrets
    fixed, per_sequence = lines["token_fixed_seconds"], lines["token_batch_seconds"] - lines["shared_prefill_seconds"]
    prompt = lines["shared_prefill_seconds"] * tokens
    rate = lines["served_batch"] / (tokens * lines["itl_seconds"] * (1 + HEADROOM))
    arrivals, now = deque(), 0.0
    for _ in range(REQUESTS):
        now += drawn.expovariate(rate)
        arrivals.append(now)
    now, steps, under_way, firsts, between = 0.0, 0, deque(), [], []
    while arrivals or under_way:
        if not under_way:
            now = max(now, arrivals[0])
        if arrivals and arrivals[0] <= now:
            now += prompt
            alone = lines["prefill_seconds"] - prompt + fixed + per_sequence * len(under_way)
            firsts.append(now - arrivals.popleft() + alone)
            under_way.append((steps, now))
            continue
        now += fixed + per_sequence * len(under_way)
        steps += 1
        while under_way and steps - under_way[0][0] == tokens - 1:
            between.append((now - under_way.popleft()[1]) / (tokens - 1))
    return sorted(firsts[FIRST:]), sorted(between[FIRST:])


def at(sorted_numbers, quantile):
    """Return a quantile of numbers in order."""
    return sorted_numbers[int(quantile * len(sorted_numbers))]


@pytest.mark.parametrize("batch", [8, 24, 40])
@pytest.mark.parametrize("name", TRAFFIC)
def test_quantiles_are_those_of_a_simulated_replica(name, batch):
    """Time to the first token and between tokens: within a tenth, at half, 95% and 99% of requests."""
    traffic = TRAFFIC[name]
    result = {quantile: served(**traffic, latency_quantile=quantile, concurrency=batch) for quantile in QUANTILES}
    firsts, between = simulated(result[0.5], traffic["output_tokens"])
    off = {
        (line, quantile): result[quantile][line] / at(numbers, quantile) - 1
        for quantile in QUANTILES
        for line, numbers in (("ttft_at_quantile", firsts), ("itl_at_quantile", between))
    }
    assert {place: round(one, 3) for place, one in off.items() if abs(one) > 0.1} == {}


def test_without_a_quantile_targets_are_of_means():
    """The lines that are held against targets are the means themselves."""
    lines = served(**TRAFFIC["chat"])
    assert lines["itl_at_quantile"] == lines["itl_seconds"]
    assert lines["ttft_at_quantile"] == lines["ttft_seconds"]


@pytest.mark.parametrize("quantile", [0.9, 0.95, 0.99])
def test_the_batch_at_a_target_keeps_it_at_the_quantile(quantile):
    """It is smaller than that of the mean would be with the same headroom, and within a tenth below the target."""
    traffic = TRAFFIC["chat"]
    lines = served(**traffic, latency_quantile=quantile)
    assert 0.9 * traffic["itl_target_ms"] <= 1000 * lines["itl_at_quantile"] <= 1.001 * traffic["itl_target_ms"]


@pytest.mark.parametrize("headroom", [0, 0.2])
def test_a_model_that_writes_nothing_has_no_line_without_a_number(headroom):
    """Replicas of an encoder read all the time: without headroom, no wait is divided by what is left of it."""
    host = load()
    given = {"accelerator": "h200-sxm", "headroom": headroom, "latency_quantile": 0.95}
    bert = cost(host, load_model(host, {"model_type": "bert"}))
    plan = make_plan(host, [bert], inputs=given | {"price_per_hour": 1}, questions=["serving"])
    lines = plan.training(plan.costed[0], "base")
    assert [name for name, value in lines.items() if no_number(value) is not None] == []
    assert lines["ttft_at_quantile"] == lines["ttft_seconds"]

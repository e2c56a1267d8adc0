"""Prompts that find their beginning in a cache: shares against caches that are simulated, and what they save."""

import heapq
import random
from collections import OrderedDict

import pytest
from test_serving_plan import failing
from test_serving_quantiles import served

REQUESTS, FIRST = 60_000, 20_000
"""Requests that are simulated, and how many are left out until the cache is as full as it stays."""
TALK = {"input_tokens": 4000, "output_tokens": 300, "prefix_tokens": 3600, "itl_target_ms": 40}


def found_by_simulation(kept, distance, turns):
    """Return the share of requests that find their conversation in a cache that drops what was used longest ago.

    Conversations begin at random, and each goes on after a random time until it ends; requests come one per unit of
    time on average.
    """
    drawn = random.Random(11)  # noqa: S311 - a simulation has no secrets
    cache, result, number = OrderedDict(), 0, 0
    due = [(drawn.expovariate(1 / turns), number)]
    for request in range(REQUESTS):
        now, conversation = heapq.heappop(due)
        if conversation == number:
            number += 1
            heapq.heappush(due, (now + drawn.expovariate(1 / turns), number))
        result += conversation in cache and request >= FIRST
        cache[conversation] = True
        cache.move_to_end(conversation)
        if len(cache) > kept:
            cache.popitem(last=False)
        if drawn.random() < 1 - 1 / turns:
            heapq.heappush(due, (now + drawn.expovariate(1 / distance), conversation))
    return result / (REQUESTS - FIRST)


@pytest.mark.parametrize("turns", [2, 5, 20])
@pytest.mark.parametrize("memory", [0.05, 0.2, 0.6])
def test_shares_are_those_of_a_simulated_cache(turns, memory):
    """Within three requests of a hundred, for short and long conversations and for small and large caches."""
    lines = served(**TALK, reuse_distance=40, conversation_turns=turns, prefix_memory=memory)
    kept = round(lines["kept_in_memory"])
    assert lines["found_share"] == pytest.approx(found_by_simulation(kept, 40, turns), abs=0.03)


def test_what_is_found_is_not_computed():
    """A prompt's cached tokens are those of its prefix, as often as it is found."""
    lines = served(**TALK, reuse_distance=40, conversation_turns=5, prefix_memory=0.3)
    assert lines["cached_tokens"] == pytest.approx(lines["found_share"] * 3600)
    typed = served(**TALK, cache_hit_rate=lines["cached_tokens"] / 4000, prefix_memory=0.3)
    assert lines["prompt_accelerator_seconds"] == pytest.approx(typed["prompt_accelerator_seconds"])


def test_memory_for_finished_sequences_is_taken_from_those_under_way():
    """Three tenths set aside leave room for seven tenths of the sequences."""
    whole, shared = (served(**TALK, prefix_memory=share) for share in (0, 0.3))
    assert shared["room_batch"] == pytest.approx(0.7 * whole["room_batch"])


def test_a_host_keeps_more_and_takes_time():
    """Prefixes that memory has dropped are fetched, which takes less than their prefill."""
    talk = {**TALK, "reuse_distance": 400, "conversation_turns": 5, "prefix_memory": 0.1}
    alone, offloaded = (served(**talk, host_cache_gb=size) for size in (0, 200))
    assert offloaded["found_share"] > 1.5 * alone["found_share"]
    assert offloaded["found_in_memory_share"] == pytest.approx(alone["found_in_memory_share"])
    assert 0 == alone["prompt_fetch_seconds"] < offloaded["prompt_fetch_seconds"] < alone["prefill_seconds"]
    assert offloaded["ttft_seconds"] < alone["ttft_seconds"]


def test_a_slow_link_fetches_nothing():
    """Where a fetch takes longer than a prefill, a prompt is computed."""
    talk = {**TALK, "reuse_distance": 400, "conversation_turns": 5, "host_cache_gb": 200}
    slow = served(**talk, host_gbs=0.01)
    assert slow["fetch_pays"] == slow["found_share"] == slow["prompt_fetch_seconds"] == 0


@pytest.mark.parametrize(
    "missing",
    [{}, {"conversation_turns": 1}, {"prefix_tokens": 0}, {"prefix_memory": 0}],
    ids=["nothing", "one turn", "no tokens", "no memory"],
)
def test_a_reuse_distance_without_what_it_needs_is_a_warning(missing):
    """Whoever types one and nothing else would find no prompt, whatever the hit rate says."""
    given = {"reuse_distance": 40, "conversation_turns": 5, "prefix_tokens": 900, "prefix_memory": 0.3}
    warned = "serving_prefixes" in failing(**given | missing)
    assert warned == bool(missing)
    assert "serving_prefixes" not in failing(cache_hit_rate=0.5)

"""`flopsheet calibrate` of a load test: efficiencies of serving from what AIPerf, vLLM and GuideLLM write."""

import json
import tomllib

import pytest
from planner import run
from test_training import LLAMA_70B

from flopsheet.planning.calibration_benchmarks import BETWEEN, FIRST
from flopsheet.planning.calibration_fit import TimedStep

pytest.importorskip("scipy")

SERVER = {"accelerator": "h100-sxm", "serving_tensor_parallel": 4}
TRUE = {"read_efficiency": 0.6, "product_efficiency": 0.5}
LOADS = ((4, 1000, 200), (16, 2000, 300), (64, 500, 100))
"""Requests under way, input tokens and output tokens of three runs."""


def measured():
    """Return what a server with known efficiencies would be measured at, run by run."""
    for concurrency, read, written in LOADS:
        row = {"model": LLAMA_70B, "seconds": 1, "concurrency": concurrency, "input_tokens": read}
        row |= {"output_tokens": written, **SERVER}
        between, first = (TimedStep(row, what).predict_time(TRUE) for what in (BETWEEN, FIRST))
        rate = concurrency / (first + (written - 1) * between)
        yield {"rate": rate, "in": read, "out": written, "ttft": 1000 * first, "itl": 1000 * between}


def aiperf(one):
    """Return a run as AIPerf exports it."""
    names = {"rate": "request_throughput", "in": "input_sequence_length", "out": "output_sequence_length"}
    names |= {"ttft": "time_to_first_token", "itl": "inter_token_latency"}
    return {name: {"unit": "-", "avg": one[key]} for key, name in names.items()}


def vllm(one):
    """Return a run as `vllm bench serve` saves it."""
    tokens = {"total_input_tokens": 100 * one["in"], "total_output_tokens": 100 * one["out"]}
    times = {"mean_ttft_ms": one["ttft"], "mean_tpot_ms": one["itl"]}
    return {"completed": 100, "request_throughput": one["rate"], **tokens, **times}


def guidellm(*ones):
    """Return runs as GuideLLM saves them."""
    names = {"rate": "requests_per_second", "in": "prompt_token_count", "out": "output_token_count"}
    names |= {"ttft": "time_to_first_token_ms", "itl": "inter_token_latency_ms"}
    metrics = [{name: {"successful": {"mean": one[key]}} for key, name in names.items()} for one in ones]
    return {"benchmarks": [{"metrics": one} for one in metrics]}


def calibrated(folder, content, *options):
    """Run the command on a result of a load test."""
    (folder / "config.json").write_text(json.dumps(LLAMA_70B), "utf-8")
    (folder / "result.json").write_text(json.dumps(content), "utf-8")
    given = [word for name, value in SERVER.items() for word in ("--input", f"{name}={value}")]
    return run("calibrate", folder / "result.json", "--config", folder / "config.json", *given, *options)


def test_efficiencies_of_a_server_are_found(tmp_path):
    """Three runs: predictions come within 5%, and efficiencies move toward the true ones."""
    _, out, errors = calibrated(tmp_path, guidellm(*measured()), "--json")
    assert out, errors
    document = json.loads(out)
    assert document["median_error"]["after"] < 0.05 < document["median_error"]["before"]
    assert 0.5 < document["inputs"]["read_efficiency"] < 0.75
    assert 0.4 < document["inputs"]["product_efficiency"] < 0.72


def test_every_tool_says_the_same(tmp_path):
    """One run in the three forms gives the same inputs, which a portfolio takes."""
    one = next(measured())
    results = [
        tomllib.loads(calibrated(tmp_path, form)[1])["inputs"] for form in (aiperf(one), vllm(one), guidellm(one))
    ]
    assert results[0] == results[1] == results[2]
    assert "served_expert_efficiency" not in results[0]


def test_no_share_is_above_one(tmp_path):
    """A server that is faster than its memory allows is not explained by reading at more than its bandwidth."""
    one = next(measured())
    _, out, _ = calibrated(tmp_path, vllm({**one, "itl": one["itl"] / 4}))
    assert tomllib.loads(out)["inputs"]["read_efficiency"] == 1


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"hello": 1}, "no result of a load test; what AIPerf, vLLM, GuideLLM write is read"),
        ({"mean_tpot_ms": 12, "completed": 3}, "run 1: no request_throughput and no total_input_tokens"),
        ([1, 2], "result.json"),
    ],
    ids=["another file", "a part of one", "a list"],
)
def test_a_file_of_another_kind_is_refused(tmp_path, content, said):
    """With what is missing."""
    status, _, errors = calibrated(tmp_path, content)
    assert status == 2
    assert said in " ".join(errors.split())


def test_a_load_test_needs_its_model(tmp_path):
    """No tool writes a config."""
    (tmp_path / "result.json").write_text("{}", "utf-8")
    _, _, errors = run("calibrate", tmp_path / "result.json")
    assert "name the model that was served" in errors

"""Serving of models that write no tokens: they read, are paid per input token, and have no step and no cache."""

from math import isclose
from pathlib import Path

import pytest

import flopsheet
from flopsheet.configs.source import load_model
from flopsheet.export.plan_tables import tables
from flopsheet.host.loading import load
from flopsheet.kit.default_config import default_config
from flopsheet.planning.costing import cost
from flopsheet.planning.making import make_plan
from flopsheet.planning.registry import questions

ROOT = Path(__file__).parent.parent
LLAMA = ROOT / "examples" / "configs" / "Llama-3.1-8B" / "config.json"
DIT = ROOT / "examples" / "plugins" / "dit"
LENGTH = 512


def config(model_type, name=""):
    """Return the config of a type at its class defaults, as a model of one of its classes."""
    return default_config(model_type) | ({"architectures": [name]} if name else {})


def plan_of(*configs, asked=("serving",), host=None, **inputs):
    """Return the plan of some models, for prompts of 512 tokens unless said otherwise."""
    host = host or load()
    models = [cost(host, load_model(host, one)) for one in configs]
    return make_plan(host, models, inputs={"input_tokens": LENGTH, "tensor_parallel": 1, **inputs}, questions=asked)


def served(*configs, **inputs):
    """Return the planning lines of each model in the Base case, with those of the table that compares them."""
    plan = plan_of(*configs, **inputs)
    assert [model.model.errors for model in plan.models] == [()] * len(configs)
    table = plan.run("base").table("serving_summary")
    return [{**plan.training(one, "base"), **table.row(place)} for place, one in enumerate(plan.costed)]


BERT = config("bert", "BertModel")


def test_an_encoder_has_a_price_of_input_and_none_of_output():
    """Nothing is written: no time between tokens, no output, and all that is paid is paid for input."""
    (result,) = served(BERT)
    nothing = ("itl_seconds", "usd_per_mtok_output", "output_tokens_per_second_per_accelerator", "sequence_bytes")
    assert [result[name] for name in (*nothing, "monthly_output_tokens", "peak_tokens", "writes")] == [0] * 7
    assert result["usd_per_mtok_input"] == result["usd_per_mtok_blended"] > 0
    assert result["ttft_seconds"] == result["request_seconds"] > 0
    batch = (
        result["pass_seconds"] + result["served_batch"] * result["prompt_accelerator_seconds"] / result["replica_size"]
    )
    assert isclose(result["replica_requests"], result["served_batch"] / batch)
    rate = result["input_tokens_per_second_per_accelerator"]
    assert isclose(rate, LENGTH * result["replica_requests"] / result["replica_size"])


@pytest.mark.parametrize(
    "inputs", [{"output_tokens": 4000}, {"draft_tokens": 2}, {"cache_hit_rate": 0.5}, {"disaggregated": 1}]
)
def test_what_only_decoding_has_does_not_change_an_encoder(inputs):
    """Output, drafts, cached prompts and prefill of its own are of models that write."""
    (plain,), (other,) = served(BERT), served(BERT, **inputs)
    for name in ("serving_cost_per_month", "usd_per_mtok_input", "usd_per_mtok_uncached_input", "ttft_seconds"):
        assert other[name] == plain[name], name


@pytest.mark.parametrize(
    ("model_type", "name", "near"),
    [
        ("bert", "BertModel", 1e-4),  # whose pooler is passed once
        ("bert", "BertForMaskedLM", 1e-12),
        ("modernbert", "ModernBertModel", 0.002),
    ],
)
def test_an_input_costs_the_forward_pass_of_its_length(model_type, name, near):
    """Each token attends to all others, inside windows where there are any, and passes the head."""
    length = 4000
    (result,) = served(config(model_type, name), input_tokens=length)
    settings = {"seq_len": length, "mask": "window"}
    whole = flopsheet.evaluate(config(model_type, name), **settings).totals["flops_forward"]
    ledger = load().serving_ledger("encoder")
    model = cost(load(), load_model(load(), config(model_type, name)))
    token = ledger.evaluate(model.numbers.some(one.name for one in ledger.dimensions))["prompt_token_flops"]
    assert result["prompt_core_flops"] > 0
    assert isclose(length * token + result["prompt_core_flops"], whole, rel_tol=near)


def test_the_encoder_of_an_encoder_decoder_is_not_free():
    """T5's encoder alone costs its forward pass, though its prefill before a decoder is nobody's."""
    (result,) = served(config("t5", "T5EncoderModel"))
    assert result["itl_seconds"] == 0
    assert result["prompt_accelerator_seconds"] > 0
    assert result["token_product_seconds"] > 0


def test_models_that_write_come_first():
    """An encoder ranks behind a model that writes, by the price of its input, and alone it is first."""
    encoder, decoder, wider = served(BERT, LLAMA, BERT | {"num_hidden_layers": 48}, requests_per_second=5000)
    assert [one["place"] for one in (decoder, encoder, wider)] == [1, 2, 3]
    assert encoder["usd_per_mtok_blended"] < decoder["usd_per_mtok_blended"]
    assert [one["writes"] for one in (decoder, encoder)] == [1, 0]
    (alone,) = served(BERT)
    assert alone["place"] == 1


def test_accelerators_that_cost_nothing_leave_one_model_in_the_first_place():
    """Models of equal price are in the order in which they are given, at a price of 0 too, and not counted twice."""
    places = [(one["place"], one["first_serving_accelerators"] > 0) for one in served(LLAMA, LLAMA, price_per_hour=0)]
    assert places == [(1, True), (2, False)]


def test_a_decoder_is_served_as_before_next_to_an_encoder():
    """Whoever writes tokens keeps its numbers."""
    (alone,), (beside, _) = served(LLAMA), served(LLAMA, BERT)
    same = ("itl_seconds", "ttft_seconds", "usd_per_mtok_blended", "max_batch", "serving_cost_per_month", "place")
    assert [beside[name] for name in same] == [alone[name] for name in same]


def test_people_read_that_nothing_is_written():
    """The terminal and the notes of a model have words for it, and no 0."""
    shown = [row for section in tables(plan_of(BERT, LLAMA)) for row in section.rows]
    assert any("writes no tokens" in row for row in shown)
    assert flopsheet.evaluate(BERT).notes[-1].startswith("writes no tokens")
    assert not any("writes" in note for note in flopsheet.evaluate(LLAMA).notes)


def test_an_image_model_is_asked_everything():
    """A model without sequences is planned with every question, and none of its numbers is missing."""
    host = load((), (DIT,))
    every = tuple(questions(host))
    plan = plan_of(DIT / "dit-xl-2" / "config.json", LLAMA, asked=every, host=host)
    assert [model.status for model in plan.models] == ["ok", "ok"]
    lines = plan.training(plan.costed[0], "base")
    assert isclose(lines["training_flops"], 3 * 237_242_843_136 / 256 * plan.case("base")["tokens"])
    assert lines["usd_per_mtok_input"] > 0
    assert lines["long_flops_per_token"] == lines["usual_flops_per_token"]


def test_longer_sequences_cost_an_encoder_more():
    """The attention of an encoder at long context is that of all pairs."""
    plan = plan_of(BERT, asked=("phases",), long_seq_len=2048)
    lines = plan.training(plan.costed[0], "base")
    long = flopsheet.evaluate(BERT, seq_len=2048).totals["flops_training_per_token"]
    assert isclose(lines["long_flops_per_token"], long, rel_tol=1e-4)  # its pooler is passed once

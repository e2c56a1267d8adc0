"""Prefill and decode step: what each line costs there, and what counters see of whole models."""

import decoding
import pytest
from samples import caveats

import flopsheet
from flopsheet import Architecture, Dimension, Line
from flopsheet.accounting.building import build
from flopsheet.accounting.values import fill_in
from flopsheet.errors import PluginError

HELPERS = (
    Line("kept_tokens", "tokens * 3", "tokens", additive=False),
    Line("most_pairs", "5 * pairs + 1", "pairs", additive=False),
    Line("own_pairs", "seq_len * 9", "pairs", decode="context - 1", additive=False),
    Line("lost", "log(seq_len)", "tokens", additive=False),
)


def ledger(*flops, decodes="1"):
    """Return the ledger of a toy with some FLOP lines and the helper lines."""
    toy = Architecture("toy", "Toy", "Decodes", (Dimension("width", "Width"),), decodes=decodes)
    return build(toy, (), (*HELPERS, *flops), ())


def numbers(*flops, decodes="1", **given):
    """Return all lines for 2 sequences of 4 tokens, 8 cached, 3 wide; the target is 5 long."""
    built = ledger(*flops, decodes=decodes)
    asked = {"width": 3, "batch": 2, "seq_len": 4, "target_len": 5, "context": 8} | given
    values, problems = fill_in(built.dimensions, {d.name: asked[d.name] for d in built.dimensions if d.name in asked})
    assert problems == {}
    return built.evaluate(values)


def flop(formula, group="mlp", decode=""):
    """Return a FLOP line."""
    return Line("work", formula, "FLOP", group, decode=decode)


@pytest.mark.parametrize(
    ("formula", "step"),
    [
        ("2 * tokens * width", 2 * 2 * 3),
        ("tokens * width / 3", 2),
        ("(1 + width) * tokens", 8),
        ("2 * kept_tokens * (width + 1)", 2 * 2 * 3 * 4),
        ("2 * target_tokens * width", 12),
        ("tokens * width + 7", 13),
        ("tokens * (width if tokens == 2 else 0)", 6),
        ("tokens - batch", 0),
        ("width / tokens", 1.5),
        ("4 * batch * pairs * width", 4 * 2 * 8 * 3),
        ("batch * most_pairs", 2 * 41),
        ("batch * own_pairs", 2 * 7),
        ("batch * pairs * tokens", 2 * 8 * 2),
        ("batch * width", 6),
    ],
)
def test_a_line_costs_what_its_helper_lines_say(formula, step):
    """A token for each sequence, the context for pairs; what follows no length costs the same in every pass."""
    assert numbers(flop(formula))["flops_decode_step"] == step


@pytest.mark.parametrize("mask", ["full", "causal", "window"])
def test_a_decode_step_knows_no_mask(mask):
    """The new token sees all that is cached."""
    assert numbers(flop("batch * pairs"), mask=mask)["flops_decode_step"] == 16


def test_a_line_may_say_its_step():
    """Another kernel decodes, or none: what is paid once is in the prefill and in no step."""
    assert numbers(flop("tokens * seq_len", decode="7 * batch"))["flops_decode_step"] == 14
    once = numbers(flop("tokens * seq_len", decode="0"))
    assert (once["flops_prefill"], once["flops_decode_step"]) == (32, 0)


@pytest.mark.parametrize("formula", ["2 * batch * seq_len * width", "batch * lost", "tokens * target_len"])
def test_a_line_that_says_nothing_of_its_step_is_refused(formula):
    """The message names the line, what is unknown, and both ways out."""
    with pytest.raises(PluginError, match=r"line work: nothing says what (seq_len|lost|target_len) is .*decode='…'"):
        ledger(flop(formula))


@pytest.mark.parametrize(("decodes", "factor"), [("0", 0), ("width - 3", 0), ("width - 1", 2)])
def test_an_architecture_says_whether_it_decodes(decodes, factor):
    """The totals stand for every architecture; where it does not decode they are 0, and no line needs to say a step."""
    result = numbers(flop("batch * seq_len" if decodes == "0" else "tokens"), decodes=decodes)
    assert (result["flops_prefill"], result["flops_decode_step"]) == (8 * factor, 2 * factor)


def test_the_prefill_runs_the_head_once_a_sequence():
    """Generation needs the logits of the last token alone."""
    result = numbers(flop("tokens"), Line("head", "10 * tokens", "FLOP", "lm_head"))
    assert (result["flops_forward"], result["flops_prefill"]) == (8 + 80, 8 + 20)


def test_the_prefill_of_an_encoder_decoder_is_the_sources_part():
    """Its decoder starts with the first step, which passes the head."""
    cross = Line("cross", "3 * tokens", "FLOP", "cross_attention", decode="0")
    result = numbers(flop("target_tokens"), cross, Line("head", "10 * target_tokens", "FLOP", "lm_head"))
    assert (result["flops_prefill"], result["flops_decode_step"]) == (24, 2 + 20)


@pytest.mark.parametrize("model_type", decoding.MEASURED)
def test_small_models_cost_what_torch_counts(model_type):
    """Windows, experts, cross attention: matrix products of eager attention; latent attention differs as it says."""
    lengths = {"seq_len": decoding.PROMPT, "context": decoding.CONTEXT}
    model = flopsheet.evaluate(decoding.config_of(model_type), batch=decoding.BATCH, **lengths)
    prefill, step = decoding.MEASURED[model_type]
    assert model.status == "ok"
    assert model.totals["flops_prefill"] == prefill
    assert model.totals["flops_decode_step"] + expanded(model.dimensions) == step


def expanded(sizes):
    """Return what transformers' latent attention adds: it expands the cached latent anew in every step."""
    if not sizes.get("kv_rank"):
        return 0
    heads = 2 * sizes["batch"] * sizes["n_latent_layers"] * sizes["n_heads"]
    own = sizes["d_head_nope"] + sizes["d_head_rope"] + sizes["d_head_v"]
    absorbed = 2 * sizes["kv_rank"] + sizes["d_head_rope"]
    again = sizes["kv_rank"] * (sizes["d_head_nope"] + sizes["d_head_v"])
    return heads * (sizes["context"] * (own - absorbed) + (sizes["context"] - 1) * again)


def test_gpt2_by_hand():
    """24·L·d² of layers, 4·L·d a cached token, 2·d·V of the head."""
    model = flopsheet.evaluate({"model_type": "gpt2"}, batch=3, context=1000)
    layers, core, head = 24 * 12 * 768 * 768, 4 * 12 * 768 * 1000, 2 * 768 * 50257
    assert model.totals["flops_decode_step"] == 3 * (layers + core + head)
    assert model.totals["flops_prefill"] == model.totals["flops_forward"] - 3 * 1023 * head


def test_latent_attention_decodes_with_its_projections_absorbed():
    """DeepSeek-V3: 128 heads read a latent of 512 and a position key of 64, twice and once, in each of 61 layers."""
    lines = flopsheet.evaluate({"model_type": "deepseek_v3"}, batch=3, context=1000).lines
    step = next(line["value"] for line in lines if line["name"] == "latent_core_flops_decode")
    assert step == 3 * 2 * 1000 * 61 * 128 * (512 + 512 + 64)


def test_mamba_by_hand():
    """A token of the recurrence costs 9 FLOP a channel and state in the scan of a prompt and in decoding alike."""
    linear, scan, head = 3 * 768 * 1536 + 1536 * (48 + 2 * 16) + 48 * 1536, 1536 * (2 * 4 + 9 * 16 + 2), 768 * 50280
    model = flopsheet.evaluate({"model_type": "mamba"}, batch=3)
    assert model.totals["flops_decode_step"] == 3 * (32 * (2 * linear + scan) + 2 * head)


def test_mamba2_by_hand():
    """Decoding leaves the chunks for the recurrence: 7 FLOP a channel and state, and no state is passed on."""
    wide = 8192 + 2 * 8 * 128
    linear = 4096 * (8192 + wide + 128) + 8192 * 4096
    scan, head = 2 * wide * 4 + 7 * 8192 * 128 + 2 * 8192, 4096 * 32768
    model = flopsheet.evaluate({"model_type": "mamba2"}, batch=3)
    assert model.totals["flops_decode_step"] == 3 * (64 * (2 * linear + scan) + 2 * head)


def test_lightning_attention_decodes_as_a_recurrence():
    """MiniMax: 5 FLOP for each element of 32 states of 128 x 128, in each of 16 layers."""
    lines = flopsheet.evaluate({"model_type": "minimax"}, batch=3).lines
    step = next(line["value"] for line in lines if line["name"] == "lightning_scan_flops_decode")
    assert step == 3 * 5 * 16 * 32 * 128 * 128


@pytest.mark.parametrize(
    ("config", "note"),
    [
        ({"model_type": "gemma4_text", "num_kv_shared_layers": 10}, "the layers that reuse keys and values"),
        ({"model_type": "modernbert-decoder"}, "the square layer before the head"),
    ],
    ids=lambda given: given["model_type"] if isinstance(given, dict) else "",
)
def test_a_prefill_that_classes_shorten_is_told(config, note):
    """The whole pass is counted where a class spares some layers all tokens but the last, and a note says so."""
    model = flopsheet.evaluate(config)
    assert caveats(model) == []
    assert [text for text in model.notes if note in text]

"""The forward pass under each mask: every line's own formula with the pairs of that mask."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toy_plugins import Point, plugin

import flopsheet
from flopsheet import Architecture, Dimension, Line
from flopsheet.accounting.building import build
from flopsheet.accounting.values import fill_in
from flopsheet.errors import PluginError
from flopsheet.host.loading import load, load_from

INPUTS = ("d_head", "n_layers", "n_window_layers", "window", "seq_2")
TOY = Architecture(
    "toy",
    "Toy",
    "One core",
    tuple(Dimension(name, name, default=place, minimum=0) for place, name in enumerate(INPUTS, start=3)),
    decodes="0",
)


def core(formula, full="", name="core", **fields):
    """Return an attention core."""
    return Line(name, formula, "FLOP", "attention", work="attention_core", full=full, **fields)


def helper(name, formula):
    """Return a helper line of pairs."""
    return Line(name, formula, "pairs", additive=False)


WINDOW = helper("window_pairs", "seq_len * min(seq_len, window) if mask_is_window else pairs")
CORES = {
    "the square of a dimension": [core("2 * batch * d_head * d_head * pairs")],
    "a name with a digit": [core("2 * seq_2 * seq_2 * pairs")],
    "a power": [core("2 * power(d_head, 2) * pairs")],
    "a quotient": [core("pairs * d_head / batch")],
    "under a line": [core("2 * d_head / (1 + pairs)")],
    "a helper": [WINDOW, core("(n_layers - n_window_layers) * pairs + n_window_layers * window_pairs")],
    "a helper of a helper": [WINDOW, helper("both", "pairs + window_pairs"), core("d_head * both")],
    "flags": [core("seq_len * (seq_len if mask_is_full else 2 if mask_is_causal else 1)")],
    "flags as numbers": [core("seq_len * (2 * mask_is_full + mask_is_causal)")],
    "the mask itself": [core("seq_len * (3 if mask == 1 else 5 if mask == 2 else 7)")],
    "target": [core("d_head * target_pairs", decode="0")],
    "no mask": [core("d_head * seq_len * seq_len", decode="0")],
    "another line": [core("d_head * pairs"), core("2 * core + pairs", name="more")],
    "a scan": [Line("scan", "3 * pairs", "FLOP", "ssm", work="scan")],
    "with its square": [core("2 * d_head * d_head * pairs", "2 * d_head * d_head * full_pairs")],
    "with its square spelled": [core("2 * batch * d_head * d_head * pairs", "2*seq_len*d_head*batch*seq_len*d_head")],
    "with its square of pairs": [core("2 * d_head * pairs", "2 * pairs * d_head")],
}
MASKS = ("full", "causal")


def evaluated(lines, **given):
    """Return all numbers of a toy with these lines."""
    ledger = build(TOY, (), lines, ())
    values, problems = fill_in(ledger.dimensions, given)
    assert problems == {}
    return ledger.evaluate(values)


@pytest.mark.parametrize("mask", ["full", "causal", "window"])
@pytest.mark.parametrize("lines", CORES.values(), ids=CORES)
def test_both_totals_are_what_the_mask_gives(lines, mask):
    """Whatever mask the workload chose, the totals of both conventions are what choosing them would give."""
    result = evaluated(lines, mask=mask, seq_len=50)
    for convention in MASKS:
        chosen = evaluated(lines, mask=convention, seq_len=50)["flops_forward"]
        assert result[f"flops_forward_{convention}"] == chosen if f"flops_forward_{convention}" in result else chosen


@given(st.fixed_dictionaries({name: st.integers(1, 300) for name in (*INPUTS, "seq_len", "batch")}))
def test_the_causal_total_is_that_of_the_mask_for_all_sizes(sizes):
    """A core with windows is causal as its pairs are."""
    lines = CORES["a helper"]
    assert evaluated(lines, **sizes)["flops_forward_causal"] == evaluated(lines, mask="causal", **sizes)["core"]


def test_the_finding_that_halved_every_square():
    """The causal total of d_head * d_head * pairs halves the pairs alone."""
    result = evaluated([core("2 * batch * d_head * d_head * pairs")], d_head=64, seq_len=100)
    assert result["flops_forward_causal"] == 2 * 64 * 64 * 5050
    assert result["flops_forward_full"] == 2 * 64 * 64 * 10000


def test_a_line_that_ignores_the_mask_has_no_forms():
    """Then both conventions are the forward pass, and no total repeats it."""
    assert "core_causal" not in evaluated(CORES["no mask"])


def test_causal_formulas_read_as_their_author_wrote_them():
    """Pairs are all that changes, and a choice that the mask makes is made."""
    entries = {e.line.name: e.line.formula for e in build(TOY, (), CORES["a helper"], ()).entries}
    pairs = "seq_len * (seq_len + 1) / 2"
    assert entries["core_causal"] == f"(n_layers - n_window_layers) * {pairs} + n_window_layers * {pairs}"
    assert (
        entries["core_full"] == "(n_layers - n_window_layers) * seq_len * seq_len + n_window_layers * seq_len * seq_len"
    )


WRONG = {
    "twice": core("2 * batch * pairs", "4 * batch * full_pairs"),
    "another dimension": core("2 * d_head * pairs", "2 * n_layers * full_pairs"),
    "causal already": core("2 * d_head * pairs", "d_head * seq_len * (seq_len + 1)"),
    "one more": core("2 * d_head * pairs", "2 * d_head * full_pairs + 1"),
    "only where windows are short": core("min(seq_len, window) * pairs", "window * full_pairs"),
    "only where windows are long": core("min(seq_len, window) * pairs", "seq_len * full_pairs"),
    "without the mask": core("d_head * seq_len * seq_len", "d_head * seq_len", decode="0"),
    "never a number": core("pairs / (d_head - d_head)", "full_pairs"),
}


@pytest.mark.parametrize("line", WRONG.values(), ids=WRONG)
def test_a_square_that_is_not_the_lines_is_refused(line):
    """A second formula for one number has to be the same number."""
    with pytest.raises(PluginError, match=r"^line core: .*`full`.*; leave `full` out"):
        build(TOY, (), (line,), ())


def test_a_plugin_with_a_wrong_square_is_named_with_line_and_remedy():
    """Its architecture is refused when it is asked for, and the failure says by whom, where and what to do."""
    wrong = plugin(architectures=[TOY], flops=[core("2 * d_head * pairs", "2 * d_head * d_head * full_pairs")])
    host = load_from([Point("toys", wrong, "toy-package", "0.7")])
    with pytest.raises(PluginError, match=r"toys \(toy-package 0.7\): line core: with mask = full its formula gives"):
        host.ledger("toy")
    assert "write the same formula with full_pairs in the place of pairs" in host.failures[0].reason


SMALL = {
    "llama": {"num_hidden_layers": 3, "hidden_size": 64, "num_attention_heads": 4, "intermediate_size": 96},
    "mistral": {"num_hidden_layers": 3, "hidden_size": 64, "num_attention_heads": 4, "num_key_value_heads": 4},
}


@pytest.mark.parametrize("model_type", SMALL)
def test_bundled_totals_are_what_the_mask_gives(model_type):
    """The causal total of a decoder is its forward pass under a causal mask."""
    config = SMALL[model_type] | {
        "model_type": model_type,
        "vocab_size": 100,
        "intermediate_size": 96,
        "sliding_window": 8,
    }
    totals = [flopsheet.evaluate(config, mask=mask, seq_len=31).totals for mask in ("full", "causal", "window")]
    assert {found["flops_forward_causal"] for found in totals} == {totals[1]["flops_forward"]}
    assert {found["flops_forward_full"] for found in totals} == {totals[0]["flops_forward"]}


def test_every_bundled_line_that_follows_the_mask_is_in_both_totals():
    """For made-up inputs, each architecture's lines under a mask are the lines of that mask."""
    for name, ledger in load().every_ledger().items():
        results = {entry.line.name for entry in ledger.entries}
        inputs = {d.name: d.minimum + place % 7 for place, d in enumerate(ledger.dimensions) if d.kind == "count"}
        inputs |= {"seq_len": 96, "target_len": 64, "d_model": 64}
        for place, mask in enumerate(MASKS, start=1):
            values, _ = fill_in(ledger.dimensions, inputs | {"mask": mask})
            values = {d.name: values.get(d.name, 1) for d in ledger.dimensions} | (
                {"mask": place} if "mask" in values else {}
            )
            numbers = ledger.evaluate(values)
            total = f"flops_forward_{mask}"
            assert numbers["flops_forward"] == numbers[total if total in results else "flops_forward"], name

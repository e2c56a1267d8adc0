"""The ledger: names, order, workload, evaluation of one model and of columns."""

import numpy as np
import pytest

from flopsheet import Architecture, Dimension, Line
from flopsheet.accounting.building import build
from flopsheet.accounting.values import fill_in
from flopsheet.errors import FormulaError, PluginError
from flopsheet.host.loading import load

WIDTH = Dimension("width", "Width")
TOY = Architecture("toy", "Toy", "One matrix", (WIDTH,))
MATRIX = Line("matrix", "width * width", "parameters", "mlp")


def ledger(*parameters, flops=(), memory=(), architecture=TOY):
    """Return a ledger with some lines."""
    return build(architecture, parameters or (MATRIX,), flops, memory)


def evaluated(built, **given):
    """Return every line of a ledger for dimensions of which some are given."""
    values, problems = fill_in(built.dimensions, {"width": 3} | given)
    assert problems == {}
    return built.evaluate(values)


def test_numbers_are_a_mapping_of_dimensions_and_lines():
    """A model's row reads like the dictionary of its names in order, and knows no other."""
    result = evaluated(ledger())
    assert (result["width"], result["matrix"], len(result)) == (3, 9, len(result.row))
    assert next(iter(result)) == "width"
    assert result.as_dict() == dict(result)
    assert "depth" not in result
    with pytest.raises(KeyError):
        result["depth"]


def test_models_of_one_architecture_share_their_names():
    """A batch holds the names once: each model has its row only."""
    built = ledger()
    assert evaluated(built).places is evaluated(built, width=4).places


def test_sections_stand_in_order():
    """Dimensions come first, then the workload's helpers, parameters, FLOP and memory."""
    built = ledger(flops=[Line("core", "batch * pairs", "FLOP", "attention")])
    sections = [entry.section for entry in built.entries]
    assert list(dict.fromkeys(sections)) == ["workload", "parameters", "flops", "memory"]
    assert [entry.line.name for entry in built.entries if entry.section == "parameters"] == [
        "matrix",
        "sum_parameters_mlp",
        "parameters",
        "parameters_frozen",
        "parameters_trained",
        "parameters_active",
        "parameters_embedding",
    ]


def test_only_the_workload_that_lines_name_is_there():
    """A model without attention has no mask, one without states no bytes for them."""
    names = [dimension.name for dimension in ledger().dimensions]
    assert "batch" in names
    assert not {"mask", "target_len", "kv_dtype_bytes", "state_dtype_bytes"}.intersection(names)


def test_a_default_brings_the_workload_that_it_names():
    """The convolution state's type follows the state's, so both are inputs."""
    built = ledger(memory=[Line("conv", "batch * conv_dtype_bytes", "bytes", "state")])
    assert {"conv_dtype_bytes", "state_dtype_bytes"} <= {dimension.name for dimension in built.dimensions}


def test_helpers_bring_what_they_name():
    """Query-key pairs need the mask and its flags."""
    built = ledger(flops=[Line("core", "batch * pairs", "FLOP", "attention")])
    assert "mask" in [dimension.name for dimension in built.dimensions]
    assert {"mask_is_full", "mask_is_causal", "mask_is_window"} <= built.formulas.keys()


@pytest.mark.parametrize(("mask", "pairs"), [("full", 16), ("causal", 10)])
def test_a_choice_becomes_flags(mask, pairs):
    """Formulas see one flag a label."""
    built = ledger(flops=[Line("core", "pairs", "FLOP", "attention")])
    lines = evaluated(built, mask=mask, seq_len=4)
    assert lines["core"] == pairs
    assert lines[f"mask_is_{mask}"] == 1


def test_an_architectures_longest_sequence_is_its_own():
    """The host adds `max_positions` only where the architecture has none."""
    longest = Dimension("max_positions", "Longest", default=7)
    own = Architecture("toy", "Toy", "One matrix", (WIDTH, longest))
    assert [d for d in ledger(architecture=own).dimensions if d.name == "max_positions"] == [longest]
    assert [d.default for d in ledger().dimensions if d.name == "max_positions"] == [0]


BAD_NAMES = [
    ("bf16", "Excel reads 'bf16' as a cell"),
    ("width", "it is used twice"),
    ("matrix", "it is used twice"),
    ("parameters", "it is a total of flopsheet's own"),
    ("sum_parameters_mlp", "it is a total of flopsheet's own"),
    ("Matrix", "is not a plain name"),
    ("max", "is a function of the formula language"),
    ("class", "is a word that Python or Excel keeps for itself"),
    ("x" * 61, "a name has at most 60 characters"),
]


@pytest.mark.parametrize(("name", "reason"), BAD_NAMES, ids=[name[:20] for name, _ in BAD_NAMES])
def test_unusable_names_are_refused(name, reason):
    """Lines, dimensions and the host's totals share one set of names."""
    with pytest.raises(PluginError, match="cannot be used") as caught:
        ledger(MATRIX, Line(name, "1", "parameters", "norm"))
    assert reason in str(caught.value)
    assert str(caught.value).startswith(f"toy: the name {name!r}")


@pytest.mark.parametrize(
    ("name", "reason"),
    [("my-arch", "is not a plain name"), ("c1", "Excel reads 'c1' as a cell"), ("x" * 23, "more than 22 characters")],
    ids=["hyphen", "cell", "long"],
)
def test_an_architecture_without_a_possible_table_is_refused(name, reason):
    """Its name is that of a table, and part of two sheets' names, in every workbook."""
    with pytest.raises(PluginError, match=f"the architecture '{name}' cannot have this name.*{reason}"):
        ledger(architecture=Architecture(name, "Toy", "One matrix", (WIDTH,)))


def test_a_dimension_may_not_bear_a_lines_name():
    """Formulas could not tell them apart."""
    with pytest.raises(PluginError, match="'matrix' cannot be used: it is used twice"):
        ledger(architecture=Architecture("toy", "Toy", "One matrix", (WIDTH, Dimension("matrix", "Matrix"))))


def test_a_bad_formula_names_its_line():
    """The message shows the formula, the place and what may have been meant."""
    with pytest.raises(PluginError, match=r"line matrix of toy:\nwidth \* wdith\n        \^ unknown name 'wdith'; did"):
        ledger(Line("matrix", "width * wdith", "parameters", "mlp"))


def test_a_formula_may_not_name_a_later_line():
    """Lines are evaluated in order, group by group: attention stands before the MLP."""
    with pytest.raises(PluginError, match="unknown name 'matrix'"):
        ledger(Line("double", "2 * matrix", "parameters", "attention"), MATRIX)


def test_a_line_may_name_totals_before_it():
    """FLOP lines may use the parameters' totals."""
    built = ledger(flops=[Line("twice", "2 * parameters", "FLOP", "mlp")])
    assert evaluated(built)["flops_forward"] == 18


def test_an_evaluation_that_fails_names_its_line():
    """A division by zero is told with line and architecture."""
    built = ledger(Line("matrix", "1 / (width - 3)", "parameters", "mlp"))
    with pytest.raises(FormulaError, match="line matrix of toy: "):
        evaluated(built)


def test_whole_numbers_stay_exact_beyond_floats():
    """Python's integers carry a count that float64 cannot."""
    assert evaluated(ledger(), width=2**53)["matrix"] == 2**106


def test_columns_equal_exact_evaluation():
    """Every bundled architecture gives the same numbers over NumPy columns as one by one."""
    given = {"n_layers": 4, "d_model": 64, "n_heads": 4, "vocab_size": 100, "d_state": 16, "d_conv": 4}
    given |= {"n_experts": 8, "top_k": 2, "n_moe_layers": 4, "n_ssm_heads": 8, "n_groups": 2, "chunk": 16}
    given |= {"encoder_layers": 4, "encoder_heads": 4, "encoder_d_ff": 96}
    given |= {"sum_heads": 16, "sum_kv_heads": 8, "sum_d_ff": 384}
    given |= {
        "n_streams": 4,
        "d_head": 16,
        "q_rank": 32,
        "n_out_groups": 2,
        "out_rank": 8,
        "window": 24,
        "d_expert": 48,
    }
    given |= dict.fromkeys(("a_rank", "decay_rank", "gate_rank", "v_rank"), 8)
    given |= {"index_top_k": 8, "n_index_heads": 2, "d_index_head": 8, "index_pool": 4}
    given |= {"d_shared_expert": 48, "d_stream_mix": 8}
    for architecture in load().architectures:
        built = load().ledger(architecture)
        values, problems = fill_in(built.dimensions, given)
        assert problems == {}
        lengths = np.array([16, 64, 1000])
        columns = built.columns(values | {"seq_len": lengths})
        for place, length in enumerate(lengths.tolist()):
            exact = built.evaluate(values | {"seq_len": length})
            for name, column in columns.items():
                assert np.broadcast_to(column, 3)[place] == float(exact[name]), (architecture, name)


@pytest.mark.parametrize("formula", ["width * width - 20", "width / 2", "width * 3 / 3"])
def test_columns_that_cannot_be_are_those_that_no_model_can_have(formula):
    """Negative and fractional weights do not exist in a sweep where the exact path calls them an error."""
    built = ledger(Line("matrix", formula, "parameters", "mlp"))
    widths = [3, 4, 5, 6, 7]
    result = built.possible(built.columns({**evaluated(built), "width": np.array(widths, np.float64)}))
    assert list(result) == [built.impossible(evaluated(built, width=width)) is None for width in widths]

"""The rules of thumb of the Transformer Accounting notebook: what it prints, what errs in it, and corrected forms."""

import pytest
from rule_samples import GPT2, LLAMA2, OPT, PYTHIA, XL, corrected, costed, outcome, published

NOTEBOOK = {
    "GPT-2 XL": XL,
    "GPT-2 Small": XL | {"n_layers": 12, "d_model": 768, "n_heads": 12, "d_ff": 3072},
    "GPT-2 Large": XL | {"n_layers": 24, "d_model": 1024, "n_heads": 16, "d_ff": 5120},
    "GPT-2 XL at 16,384": XL | {"seq_len": 16384},
}
PRINTED = {
    "GPT-2 XL": {
        "notebook_parameters_printed": 5_906_384_000,
        "notebook_parameters": 2_127_057_600,
        "notebook_memory": 23_625_536_000,
        "notebook_flops": 4_513_336_524_800,
        "notebook_mha": 1_328_755_507_200,
        "notebook_ffn": 3_019_898_880_000,
        "notebook_output": 164_682_137_600,
    },
    "GPT-2 Small": {
        "notebook_parameters_printed": 615_031_296,
        "notebook_parameters": 190_460_160,
        "notebook_memory": 2_460_125_184,
        "notebook_flops": 349_630_365_696,
        "notebook_mha": 96_636_764_160,
        "notebook_ffn": 173_946_175_488,
        "notebook_output": 79_047_426_048,
    },
    "GPT-2 Large": {
        "notebook_parameters_printed": 1_764_780_032,
        "notebook_memory": 7_059_120_128,
        "notebook_flops": 1_187_728_326_656,
        "notebook_mha": 309_237_645_312,
        "notebook_ffn": 773_094_113_280,
        "notebook_output": 105_396_568_064,
    },
    "GPT-2 XL at 16,384": {
        "notebook_parameters_printed": 5_906_384_000,
        "notebook_memory": 23_625_536_000,
        "notebook_flops": 149_522_795_724_800,
        "notebook_mha": 98_569_499_443_200,
        "notebook_ffn": 48_318_382_080_000,
        "notebook_output": 2_634_914_201_600,
    },
}
RATIOS = {
    "GPT-2 XL": 2.272727272727273,
    "GPT-2 Small": 1.8,
    "GPT-2 Large": 2.5,
    "GPT-2 XL at 16,384": 0.49019607843137253,
}


@pytest.mark.parametrize(
    ("model", "name", "number"),
    [(model, name, number) for model, table in PRINTED.items() for name, number in table.items()],
    ids=[f"{model} {name}" for model, table in PRINTED.items() for name in table],
)
def test_the_notebook_prints(model, name, number):
    """Transformer Accounting notebook: its parameters, bytes and FLOP, and what its own formula gives."""
    assert published(name, **NOTEBOOK[model]) == number


@pytest.mark.parametrize(("model", "ratio"), RATIOS.items(), ids=list(RATIOS))
def test_the_notebook_prints_a_ratio(model, ratio):
    """Transformer Accounting notebook: FFN / MHA."""
    parts = NOTEBOOK[model]
    assert published("notebook_ffn", **parts) / published("notebook_mha", **parts) == ratio


@pytest.mark.parametrize("model", NOTEBOOK)
def test_the_notebooks_parts_make_the_total(model):
    """Transformer Accounting notebook: attention, feed-forward layers and output are all that it counts."""
    parts = [published(f"notebook_{part}", **NOTEBOOK[model]) for part in ("mha", "ffn", "output")]
    assert sum(parts) == published("notebook_flops", **NOTEBOOK[model])


@pytest.mark.parametrize("model", NOTEBOOK)
def test_the_notebook_repeats_the_embedding_in_every_layer(model):
    """Erratum: the printed parameters are the notebook's formula plus the embedding once more a further layer."""
    shape = NOTEBOOK[model]
    own = corrected("notebook_parameters_printed", **shape)
    extra = (shape["n_layers"] - 1) * shape["vocab_size"] * shape["d_model"]
    assert own == published("notebook_parameters", **shape)
    assert published("notebook_parameters_printed", **shape) == own + extra
    assert corrected("notebook_memory", **shape) == 4 * own


@pytest.mark.parametrize(
    ("model", "parameters"), [("gpt2/gpt2-xl", 1_557_611_200), ("gpt2/gpt2", 124_439_808)], ids=["XL", "Small"]
)
def test_the_notebooks_models_have_fewer_parameters(model, parameters):
    """Erratum: GPT-2 has neither a gated MLP nor a head of its own; corrected, the rule is exact."""
    result = outcome("notebook_parameters", model)
    assert (result.exact, result.corrected) == (parameters, parameters)


def test_what_the_notebook_prints_is_held_against_the_whole_model():
    """5.9 billion stands beside the 1,557,611,200 parameters of GPT-2 XL, and their fp32 bytes beside its memory."""
    assert outcome("notebook_parameters_printed", "gpt2/gpt2-xl").exact == 1_557_611_200
    assert outcome("notebook_memory", "gpt2/gpt2-xl").exact == 4 * 1_557_611_200


def test_the_notebooks_large_model_is_not_gpt2_large():
    """Erratum: it has the layers and the width of GPT-2 Medium, and the MLP width of GPT-2 Large."""
    medium, large = costed("gpt2/gpt2-medium").numbers, costed("gpt2/gpt2-large").numbers
    shape = NOTEBOOK["GPT-2 Large"]
    assert [shape[name] for name in ("n_layers", "d_model")] == [medium[name] for name in ("n_layers", "d_model")]
    assert shape["d_ff"] == large["d_ff"] != medium["d_ff"]


@pytest.mark.parametrize("model", LLAMA2)
def test_the_notebooks_formula_is_exact_for_llama_2(model):
    """A gated, untied, bias-free block with full heads and RMSNorm is what the notebook describes."""
    for name in ("notebook_parameters", "notebook_mha", "notebook_ffn", "notebook_output", "notebook_flops"):
        assert outcome(name, model).difference == 0


@pytest.mark.parametrize("model", [*GPT2, *PYTHIA, *OPT, *LLAMA2])
def test_the_corrected_notebook_is_exact_for_full_heads(model):
    """Two or three MLP matrices, a tied head, learned positions and biases make the notebook right."""
    for name in ("notebook_parameters", "notebook_ffn", "notebook_flops"):
        assert outcome(name, model).corrected_difference == 0


def test_the_notebook_counts_one_sequence():
    """A batch changes neither its FLOP nor what they are compared with."""
    for name in ("notebook_mha", "notebook_ffn", "notebook_output", "notebook_flops"):
        assert outcome(name, "gpt2/gpt2", batch=3) == outcome(name, "gpt2/gpt2")

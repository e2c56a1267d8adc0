"""What an architecture says that a pass reads is what its lines see as `tokens`."""

from pathlib import Path

import pytest

import flopsheet
from flopsheet import Architecture, Dimension, Line
from flopsheet.accounting.building import build
from flopsheet.accounting.training_ledger import with_training
from flopsheet.accounting.values import fill_in
from flopsheet.errors import PluginError
from flopsheet.export.text import as_text
from flopsheet.host.loading import load

DIT = Path(__file__).parent.parent / "examples" / "plugins" / "dit"
CONFIG = DIT / "dit-xl-2" / "config.json"
DIMENSIONS = (Dimension("width", "Width"), Dimension("n_patches", "Patches"))
PRODUCT = Line("product", "2 * tokens * width * width", "FLOP", "mlp", work="linear")
KEPT = Line("kept", "tokens * width", "elements", "mlp", kept="always")


def ledger(*flops, tokens="batch * n_patches"):
    """Return the ledger of an architecture that reads so many tokens."""
    architecture = Architecture("toy", "Toy", "Reads patches", DIMENSIONS, tokens=tokens, depth="1")
    return build(architecture, [Line("matrix", "width * width", "parameters", "mlp")], flops, [])


def numbers(found, **given):
    """Return the numbers of a ledger that is three wide, for nine patches."""
    values, problems = fill_in(found.dimensions, {"width": 3, "n_patches": 9} | given)
    assert problems == {}
    return found.evaluate(values)


def test_an_image_model_costs_what_torch_counts():
    """DiT-XL/2 reads 256 patches: its parameters are the paper's, its FLOP what torch's counter gives."""
    model = flopsheet.evaluate(CONFIG, plugins=[DIT])
    assert (model.status, model.problems) == ("ok", [])
    assert model.totals["parameters"] == 675_129_632
    assert model.totals["flops_forward"] == 237_242_843_136
    assert "seq_len" not in model.dimensions
    assert "Forward FLOP: 256 tokens" in as_text(model)


def test_tokens_of_a_line_are_those_of_its_architecture():
    """A line that names tokens follows the architecture's formula, batch and all, and nothing of a sequence."""
    result = ledger(PRODUCT)
    assert "seq_len" not in {dimension.name for dimension in result.dimensions}
    assert numbers(result, batch=2)["product"] == 2 * (2 * 9) * 9
    assert numbers(result, batch=2)["flops_per_token"] == 2 * 9
    assert numbers(result, batch=2)["flops_decode_step"] == 2 * 2 * 9


def test_tokens_may_be_made_of_helper_lines():
    """The number of tokens may be a helper line of the architecture, which is put into the formula as a tree."""
    patches = Line("read", "n_patches + 1", "tokens", additive=False)
    result = ledger(patches, PRODUCT, tokens="batch * read")
    assert result.formulas["tokens"].text == "batch * (n_patches + 1)"
    assert numbers(result)["product"] == 2 * 10 * 9


def test_activation_lines_may_name_tokens_that_no_product_names():
    """Products that say their tokens in full do not keep activation lines from the architecture's tokens."""
    written = Line("product", "2 * batch * n_patches * width * width", "FLOP", "mlp", work="linear")
    assert numbers(with_training(ledger(written), [KEPT]), batch=2)["kept"] == 2 * 9 * 3


@pytest.mark.parametrize(
    ("line", "tokens", "said"),
    [
        (PRODUCT, "batch * (seq_len + target_len)", "it names tokens, and .* source and target"),
        (PRODUCT, "batch * seq_len + target_tokens", "it names tokens, and .* source and target"),
        (Line("core", "batch * pairs", "FLOP"), "batch * n_patches", "it names pairs, and .* write the architecture's"),
        (PRODUCT, "2 * tokens", "which names itself"),
    ],
)
def test_a_line_whose_tokens_would_be_others_is_refused(line, tokens, said):
    """Where the workload's name cannot mean what the architecture reads, nothing is counted."""
    with pytest.raises(PluginError, match=said):
        ledger(line, tokens=tokens)


def test_activation_lines_are_held_to_the_same_tokens():
    """What is kept of pairs that the architecture does not have is refused as a product of them is."""
    with pytest.raises(PluginError, match="line kept of toy: it names pairs"):
        with_training(ledger(PRODUCT), [KEPT._replace(formula="batch * pairs")])


@pytest.mark.parametrize("name", ["encdec_mm", "dense_mm"])
def test_bundled_towers_join_readers_of_one_and_of_two_sequences(name):
    """The towers' lines say which tokens they mean, next to any language model."""
    host = load()
    base, side = name.split("_")
    assert host.ledger(host.join(base, side)).places["looking"]

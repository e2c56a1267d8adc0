"""Models of which only the size is known: a standard shape near it, which says that it is a plan."""

import pytest
from samples import write_portfolio

from flopsheet.configs.portfolio_reading import read_portfolio
from flopsheet.configs.sizes import model_of_size
from flopsheet.errors import PortfolioError
from flopsheet.host.loading import load
from flopsheet.planning.costing import cost

SIZES = {
    "0.5B": (0.5, 0.5),
    "8B": (8, 8),
    "70B": (70, 70),
    "1T": (1000, 1000),
    "30B-A3B": (30, 3),
    "400B-A30B": (400, 30),
}


@pytest.mark.parametrize(("size", "wanted"), SIZES.items(), ids=SIZES)
def test_a_shape_comes_within_one_percent(size, wanted):
    """In all and active parameters, as its ledger counts them; widths are multiples of 128, heads divide them."""
    costed = cost(load(), model_of_size(load(), size))
    totals, shape = costed.totals, costed.dimensions
    counted = (totals["parameters"] / 1e9, totals["parameters_active"] / 1e9)
    assert counted == pytest.approx(wanted, rel=0.01)
    assert [shape[name] % 128 for name in ("d_model", "d_ff", "d_head")] == [0, 0, 0]
    assert shape["n_heads"] * shape["d_head"] == shape["d_model"]
    assert shape["n_heads"] % shape["n_kv_heads"] == 0


def test_it_is_a_plan_and_no_config():
    """The status is approximate, and the problem has the shape that was taken."""
    costed = cost(load(), model_of_size(load(), "70B"))
    assert costed.status == "approximate"
    assert costed.problems[0].startswith(
        "planned by size, not read from a config: 70B took a standard shape like Llama 3"
    )
    assert f"n_layers = {costed.dimensions['n_layers']}, d_model = 8192" in costed.problems[0]


def test_a_portfolio_sizes_models(tmp_path):
    """The size names the model; a dimension set next to it wins, and the problem names it."""
    text = '[[models]]\nsize = "8B"\nn_layers = 40\n\n[[models]]\nname = "Ours"\nsize = "30B-A3B"\ntokens = 1e12\n'
    models = read_portfolio(load(), write_portfolio(tmp_path, text)).models
    assert [model.name for model in models] == ["8B", "Ours"]
    assert models[0].given["n_layers"] == 40
    assert models[0].problems[0].endswith("; set instead: n_layers")


BAD = {
    "no size": ('size = "large"', "'large': write '70B' for a dense model"),
    "a number": ("size = 70e9", "70000000000.0: write '70B'"),
    "more active than all": ('size = "3B-A30B"', "'3B-A30B': more active parameters than it has"),
    "no shape": ('size = "20B-A19B"', "'20B-A19B': no standard shape comes within 1% of it; give architecture and"),
    "with a config": ('size = "7B"\nconfig = "config.json"', "config cannot be combined with size"),
}


@pytest.mark.parametrize(("entry", "message"), BAD.values(), ids=BAD)
def test_a_bad_size_is_refused(tmp_path, entry, message):
    """With its place and what to write."""
    with pytest.raises(PortfolioError) as caught:
        read_portfolio(load(), write_portfolio(tmp_path, f"[[models]]\n{entry}\n"))
    assert message in str(caught.value)

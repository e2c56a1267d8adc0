import unicodedata

import pytest
from samples import CONFIGS, NAMES, costed, write_config, write_portfolio

import flopsheet
from flopsheet import Architecture, Dimension, Line
from flopsheet.accounting.building import build
from flopsheet.accounting.values import fill_in
from flopsheet.configs.model import Model
from flopsheet.export.text import WIDTH, as_text
from flopsheet.host.candidate import Plugin
from flopsheet.planning.costed_model import Costed
from flopsheet.units.numbers import digits


def _columns(line):
    return sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in line)


def _page(*inputs, **settings):
    (model,) = costed(*inputs, **settings)
    return as_text(model)


@pytest.mark.parametrize("name", NAMES)
def test_no_line_is_wider_than_the_page(name):
    """A page fits a terminal of 100 columns, whatever the model."""
    page = _page(CONFIGS / name)
    assert max(map(_columns, page.splitlines())) <= WIDTH


@pytest.mark.parametrize("name", [name for name in NAMES if name != "broken"])
def test_totals_stand_with_every_digit(name):
    """Every total that is not 0 is on the page to the last digit."""
    (model,) = costed(CONFIGS / name)
    page = as_text(model)
    assert [total for total, value in model.totals.items() if value and digits(value) not in page] == []


@pytest.mark.parametrize("name", [name for name in NAMES if name != "broken"])
def test_every_line_that_is_not_zero_stands_with_its_formula(name):
    """Each line that is counted is named, with the beginning of its formula and its exact value."""
    (model,) = costed(CONFIGS / name)
    rows = as_text(model).splitlines()
    lines = [entry.line for entry in model.ledger.entries if entry.role == "line" and model.numbers[entry.line.name]]
    results = [
        line.name
        for line in lines
        if any(f"{line.name} = {line.formula[:9]}" in row and digits(model.numbers[line.name]) in row for row in rows)
    ]
    assert results == [line.name for line in lines]


def test_lines_that_are_zero_are_left_out():
    """Llama has no biases, so none is listed."""
    assert "_bias =" not in _page(CONFIGS / "Llama-3.1-8B")


@pytest.mark.parametrize(
    ("name", "mark"),
    [("gpt2-xl", "✓ ok"), ("llama-with-extra-field", "≈ approximate"), ("broken", "✗ error")],
)
def test_the_status_stands_in_the_first_line(name, mark):
    """A reader sees first whether the numbers can be trusted."""
    first = _page(CONFIGS / name).splitlines()[0]
    assert first.startswith(name)
    assert first.endswith(mark)


def test_a_model_in_error_shows_its_problem_and_no_number():
    """Where nothing could be counted, nothing is shown as if it had been."""
    page = _page(CONFIGS / "broken")
    assert "hidden_size = 'four thousand' has a wrong type: a whole number is expected" in page
    assert "Totals" not in page


def test_notes_are_told():
    """Conventions such as stored quantization are said on the page."""
    assert "weights are stored quantized (fp8)" in _page(CONFIGS / "DeepSeek-V3")


def test_the_head_names_plugin_version_and_source():
    """A number can be traced to the plugin that made it and the file that it came from."""
    page = _page(CONFIGS / "t5-11b")
    assert f"plugin encoder-decoder of flopsheet {flopsheet.__version__}" in " ".join(page.split())
    assert "t5-11b/config.json" in page


def test_both_mask_conventions_are_shown_and_the_chosen_one_named():
    """The pass under the chosen mask stands beside the full square, so that nobody compares unlike counts."""
    (model,) = costed(CONFIGS / "gpt2-xl", mask="causal")
    page = as_text(model)
    assert "mask causal: pairs that a token may see" in page
    assert f"{digits(model.totals['flops_forward_full'])}  over the full square" in page
    assert f"{digits(model.totals['flops_forward'])}  flops_forward" in page


def test_shares_of_a_section_are_of_its_total():
    """gpt2-xl's MLP holds 983,424,000 of 1,557,611,200 parameters: 63.1%."""
    (row,) = [row for row in _page(CONFIGS / "gpt2-xl").splitlines() if "983,424,000  mlp" in row]
    assert "63.1%" in row


@pytest.mark.parametrize(
    ("published", "said"),
    [(8_030_261_248, "exactly as counted (a card)"), (8_030_261_000, "counted +248 (a card)")],
    ids=["equal", "different"],
)
def test_a_published_count_is_compared(tmp_path, published, said):
    """A published count stands on the page with how far the count is from it."""
    write_config(tmp_path)
    entry = f'[[models]]\nconfig = "config.json"\npublished = {{ parameters = {published}, source = "a card" }}\n'
    assert said in _page(write_portfolio(tmp_path, entry))


def test_control_characters_do_not_reach_the_terminal(tmp_path):
    """A name cannot color the terminal or break its line."""
    write_config(tmp_path)
    entry = '[[models]]\nconfig = "config.json"\nname = "a\\u001b[31mred\\nb"\n'
    first = _page(write_portfolio(tmp_path, entry)).splitlines()[0]
    assert first.startswith("a�[31mred�b ")


@pytest.mark.parametrize("name", ["n" * 40_000, "模型" * 60, "=1+1", "🎉"], ids=["long", "wide", "formula", "emoji"])
def test_any_name_fits(tmp_path, name):
    """Names of any length and script keep the page's width and the status at its end."""
    write_config(tmp_path)
    entry = f'[[models]]\nconfig = "config.json"\nname = "{name}"\n'
    lines = _page(write_portfolio(tmp_path, entry)).splitlines()
    assert lines[0].startswith(name[:1])
    assert lines[0].endswith("✓ ok")
    assert max(map(_columns, lines)) <= WIDTH


def test_a_long_problem_is_cut(tmp_path):
    """A field name of 40,000 characters does not fill the screen."""
    write_config(tmp_path, **{"k" * 40_000: 1})
    assert len(_page(tmp_path)) < 20_000


def test_huge_dimensions_still_make_a_page():
    """Numbers that no model has, up to 2**53 each, neither break the page nor widen a line of it."""
    huge = 2**53
    page = _page(CONFIGS / "t5-11b", batch=huge, seq_len=huge, d_model=huge, encoder_d_ff=huge, encoder_layers=huge)
    assert "1.46" in page
    rows = [row for row in page.splitlines() if " = " in row]
    assert max(map(_columns, rows)) <= WIDTH


def test_a_ledger_without_sequences_has_a_page():
    """A plugin whose tokens are its batch, with neither mask nor cache, is shown like any other."""
    architecture = Architecture("odd", "Odd", "", (Dimension("width", "Width"),), tokens="batch")
    lines = [Line("matrix", "width * width", "parameters", "mlp")]
    ledger = build(architecture, lines, [Line("product", "2 * batch * width", "FLOP", "mlp")], [])
    values, _ = fill_in(ledger.dimensions, {"width": 7, "batch": 3})
    page = as_text(Costed(Model("odd"), Plugin("p", "q", "1"), ledger, ledger.evaluate(values)))
    assert "Forward FLOP: 3 tokens" in page
    assert "49    matrix = width * width" in page

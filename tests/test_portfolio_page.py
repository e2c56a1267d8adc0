"""docs/portfolio.md: the reference is current, and its example is a portfolio that can be planned."""

import re
from pathlib import Path

import pytest
from pages.portfolio import page
from planner import run

from flopsheet import evaluate
from flopsheet.configs.portfolio import ENTRY, SECTIONS, TABLES

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "docs" / "portfolio.md").read_text("utf-8")


def test_the_committed_page_is_the_generated_one():
    """docs/portfolio.md lists the inputs of the code."""
    assert page() == TEXT, "run `make docs`"


@pytest.mark.parametrize("name", sorted({*TABLES, *SECTIONS, *ENTRY}))
def test_every_key_is_documented(name):
    """Each heading and each key of a model that a portfolio may hold is named."""
    assert re.search(rf"`\[*{name}\]*`", TEXT)


def test_the_example_can_be_planned(tmp_path):
    """The portfolio that the page shows has no problem, and its models are exact."""
    portfolio = tmp_path / "portfolio.toml"
    example = next(text for text in re.findall(r"```toml\n(.*?)```", TEXT, re.DOTALL) if "[[models]]" in text)
    portfolio.write_text(example.replace('"configs/', f'"{ROOT.as_posix()}/examples/configs/'), "utf-8")
    status, out, err = run("plan", portfolio, "--strict")
    assert (status, "Our 13B" in out) == (0, True), err


def test_the_page_on_a_numbers_way_shows_the_number():
    """The formula and the value of its example are those of `flopsheet show`."""
    text = (ROOT / "docs" / "how-a-number-travels.md").read_text("utf-8")
    model = evaluate(ROOT / "examples" / "configs" / "Llama-3.1-8B" / "config.json")
    line = next(line for line in model.lines if line["name"] == "attention_k")
    assert f"attention_k = {line['formula']}\n" in text
    assert f"= {line['value']:,}" in text

"""Dimensions compiled once for a kind of model get the values that they get one by one."""

import json
from pathlib import Path

import pytest

from flopsheet.accounting.filling import Fillings
from flopsheet.accounting.line import Dimension
from flopsheet.accounting.sentences import Sentences
from flopsheet.accounting.values import fill_in
from flopsheet.configs.source import load_model
from flopsheet.errors import FormulaError
from flopsheet.host.loading import load

FOLDER = Path(__file__).parent.parent / "examples" / "configs"
CONFIGS = sorted(path for path in FOLDER.glob("*/config.json") if path.parent.name != "broken")
CHAIN = (
    Dimension("width", "Width"),
    Dimension("heads", "Heads", default="width / 64"),
    Dimension("share", "Share", kind="share", default="bias / heads"),
    Dimension("bias", "Bias", kind="flag", default="bias"),
)
"""The share reads the config's field bias, since the dimension stands behind it."""


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.parent.name)
def test_a_model_has_the_values_that_it_has_one_by_one(path):
    """Of every example, in order and by type, when it is filled first and when its kind is known."""
    model = load_model(load(), path)
    ledger = load().ledger(model.architecture)
    expected = repr(fill_in(ledger.dimensions, model.given, model.fields, model.defaults))
    fillings = Fillings(ledger.dimensions)
    assert [repr(fillings.fill(model.given, model.fields, model.defaults)) for _ in range(2)] == [expected] * 2


@pytest.mark.parametrize(
    ("given", "fields", "defaults"),
    [
        ({"width": 128}, {"bias": 1}, {}),
        ({"width": 128, "bias": 0}, {"bias": 1}, {}),
        ({"width": 128, "heads": None}, {"bias": 1}, {}),
        ({"width": 100}, {"bias": 1}, {}),
        ({"width": 2**60}, {"bias": 1}, {}),
        ({"width": "wide"}, {"bias": 1}, {}),
        ({"width": 128.0}, {"bias": 1}, {"heads": 4}),
        ({"width": 0}, {"bias": 1}, {}),
        ({"width": 128}, {}, {}),
        ({}, {"bias": 1}, {}),
        ({"heads": 2}, {"bias": 1}, {"width": 2.5}),
    ],
)
def test_what_is_wrong_is_said_as_one_by_one(given, fields, defaults):
    """A value that does not fit, one that is missing and a formula without a number are found the same way."""
    assert repr(Fillings(CHAIN).fill(given, fields, defaults)) == repr(fill_in(CHAIN, given, fields, defaults))


def test_defaults_that_are_equal_and_of_another_type_are_kept_apart():
    """1 and 1.0 are one key to Python and two defaults to a formula."""
    fillings = Fillings(CHAIN[:1])
    assert [json.dumps(fillings.fill({}, {}, {"width": one})[0]["width"]) for one in (1, 1.0, 1)] == ["1", "1.0", "1"]


def test_a_sentence_is_said_only_where_every_name_has_a_number():
    """Names may be fields that some configs lack; the numbers of a model win over its fields."""
    sentences = Sentences({"width - field": "differs", "width": "has a width"}, {"width"})
    assert sentences.find_texts({"width": 3}, {}) == ["has a width"]
    assert sentences.find_texts({"width": 3}, {"field": 4, "width": 4}) == ["differs", "has a width"]
    assert sentences.find_broken({"width": 3}, {"field": 3}) == ["differs"]


def test_a_sentence_without_a_number_is_said_as_a_note_and_refused_as_a_check():
    """Division by nothing says that a note's number is beyond what can be held; a check cannot hold then."""
    sentences = Sentences({"1 / width": "too much", "width": "wide"}, {"width"})
    assert sentences.find_texts({"width": 0}, {}) == ["too much"]
    with pytest.raises(FormulaError, match="divides by zero"):
        sentences.find_broken({"width": 0}, {})

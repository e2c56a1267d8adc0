"""What plugins answer and cannot be is refused when it is asked for, and the reason says what is expected."""

import decimal

import pytest
from bad_questions import PAID, over
from faults import family
from planner import run
from toy_plugins import MATRIX, Point, plugin, toy
from wrong_kinds import WRONGS

from flopsheet import Rows, RowSearch
from flopsheet.configs.readers import document_of
from flopsheet.configs.reading import read_config
from flopsheet.errors import PortfolioError
from flopsheet.export.ask_plugins import ask_everything
from flopsheet.host.loading import load_from
from flopsheet.host.shelter import shelter

SAID = {
    "accelerator: no name": "a name is expected",
    "accelerator: a peak of 1e300": "peak_tflops = 1e+300; a number above 0 and of at most 1e+12 is expected",
    "accelerator: fp8 below nothing": "fp8_tflops = -5; a number above 0",
    "accelerator: memory_fields that are none": "memory_fields names 'nope', which is no field",
    "optimizer: below nothing": "name 'mine': optimizer_bytes = -8; 0 or more is expected",
    "optimizer: of 0 bytes": "training_dtype_bytes = 0; a number above 0 is expected",
    "law: a name with blanks": "its name cannot be used",
    "law: an exponent of 400": "exponent = 400; a number from 0 to 1 is expected",
    "law: tokens below nothing": "max_tokens = -5; a number from 0 to 1e+30 is expected",
    "weight format: bits below nothing": "weight format mine: bits = '0 - 4' gives -4; a number of at least 0",
    "weight format: no formula": "weight format mine: bits:",
    "an exporter: a suffix in capitals": "suffix '.WRONG': lowercase letters and digits behind a dot are expected",
    "an exporter: no suffix": "suffix '': lowercase letters and digits behind a dot are expected",
    "an exporter: a module of no name": "module 'no such.module' is no name",
    "an exporter: write is a number": "Exporter.write: 5; a function is expected",
    "a reader: read is a number": "Reader.read: 5; a function is expected",
    "a reader: a suffix without a dot": "suffix 'own': lowercase letters and digits behind a dot are expected",
    "a question: inputs of None": "question bad: inputs: null; a list is expected",
    "a question: an input of a text": "question bad: inputs[0]: 'bad_months'; a table is expected",
    "a question: needs itself": "question bad: needs[0]: a question that needs itself",
    "a question: rows below nothing": "until = '0 - 5' gives -5; a whole number of at least 0 is expected",
    "a question: rows of half": "until = '2.5' gives 2.5; a whole number of at least 0 is expected",
    "a question: rows by a search of a number": "rows[0].search: 5; a RowSearch is expected",
    "a question: rows that a number finds": "rows[0].search.find: 5; a function is expected",
    "a family: like an unknown type": "family toy: like: there is no type 'nope'",
    "a line: sides of nothing": "line matrix of toy:\nnope\n^ unknown name 'nope'",
    "a line: rows of nothing": "line matrix of toy:\nnope\n^ unknown name 'nope'",
    "a line: additive is a word": "line matrix: additive is 'no'; true or false is expected",
}


@pytest.mark.parametrize(("name", "said"), SAID.items(), ids=SAID)
def test_the_reason_says_what_is_expected(name, said):
    """With the field and what was found in it."""
    host = load_from([Point("wrong", WRONGS[name].plugin)])
    ask_everything(host)
    assert [said in failure.reason for failure in host.failures] == [True]


def test_rows_of_a_search_follow_models():
    """A search is made for each model."""
    rows = Rows("month", search=RowSearch(lambda *_: [], ()))
    host = load_from([Point("wrong", plugin(questions=[over(PAID, rows=(rows,))]))])
    ask_everything(host)
    assert "a search finds for each model; MODELS is expected before them" in host.failures[0].reason


@pytest.mark.parametrize(
    "good", [family(like="llama"), toy(parameters=[MATRIX._replace(sides="2 * width", rows="width")])]
)
def test_what_names_something_is_no_fault(good):
    """A type that transformers has, and sides of dimensions."""
    host = load_from([Point("good", good)])
    ask_everything(host)
    assert host.failures == []


def test_a_reading_says_texts():
    """The model is in error with the plugin."""
    host = load_from([Point("wrong", WRONGS["a read that gives problems that are numbers"].plugin)])
    (said,) = read_config(host, {"model_type": "toy", "hidden_size": 3}).errors
    assert "plugin wrong" in said
    assert said.endswith("read gave problems = [5]: a list of texts is expected")


def test_a_portfolio_of_a_reader_has_names(tmp_path):
    """As a config has; the error names the language."""
    (reader,) = WRONGS["a reader that gives keys that are numbers"].plugin.flopsheet_readers()
    with pytest.raises(PortfolioError, match=r"plan\.own: Own: field 1: names of fields must be text"):
        document_of(reader, b"", tmp_path / "plan.own")


KEPT = {
    "a line: kept is a word": "line kept: kept is 'nope'",
    "a line: activations in bytes": "line kept needs unit 'elements' and kept",
    "a line: activations below nothing": "toy: line kept: it keeps -",
}


@pytest.mark.parametrize(("name", "said"), KEPT.items(), ids=KEPT)
def test_wrong_activations_are_found(name, said, monkeypatch):
    """Though nothing but plans of training asks for them."""
    monkeypatch.setattr("flopsheet.host.loading._find_points", lambda _: [Point("wrong", WRONGS[name].plugin)])
    status, text, _ = run("plugins", "check", "--quick", "wrong")
    assert (status, said in " ".join(text.split())) == (1, True)


@pytest.mark.parametrize("digits", [28, 50])
def test_decimals_are_put_back(digits):
    """With the digits that they had."""
    with decimal.localcontext() as context:
        context.prec = digits
        shelter(lambda: setattr(decimal.getcontext(), "prec", 1), "a test")
        assert decimal.getcontext().prec == digits

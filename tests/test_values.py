"""Values of dimensions: checked against their kind, and completed by defaults."""

from fractions import Fraction

import pytest

from flopsheet import Dimension
from flopsheet.accounting.values import add, check, expand_choices, fill_in, plain

COUNT = Dimension("count", "Count", minimum=2)
FLAG = Dimension("flag", "Flag", kind="flag", default=0)
RATIO = Dimension("ratio", "Ratio", kind="ratio", minimum=0)
CHOICE = Dimension("choice", "Choice", kind="choice", labels=("full", "causal"), default=1)

GOOD = [
    (COUNT, 2, 2),
    (COUNT, 4.0, 4),
    (COUNT, Fraction(6, 2), 3),
    (COUNT, 2**53, 2**53),
    (FLAG, True, 1),
    (FLAG, False, 0),
    (FLAG, 1.0, 1),
    (RATIO, 0.5, 0.5),
    (RATIO, 0, 0),
    (RATIO, Fraction(1, 3), Fraction(1, 3)),
    (CHOICE, "full", 1),
    (CHOICE, "causal", 2),
]


@pytest.mark.parametrize(("dimension", "value", "number"), GOOD, ids=[f"{d.name} {v}" for d, v, _ in GOOD])
def test_values_become_numbers(dimension, value, number):
    """Whole values are int, whatever they were given as; choices become their place."""
    result = check(dimension, value)
    assert result == number
    assert type(result) is type(number)


BAD = [
    (COUNT, 1, "1 is out of range; a whole number of at least 2 is expected"),
    (COUNT, -4, "-4 is out of range"),
    (COUNT, 2.5, "2.5 is out of range"),
    (COUNT, float("nan"), "nan is out of range"),
    (COUNT, float("inf"), "inf is out of range"),
    (COUNT, 2**53 + 1, "is out of range; at most 9,007,199,254,740,992 is expected"),
    (COUNT, 10**400, "is out of range"),
    (COUNT, "12", "'12' is not a number; a whole number of at least 2 is expected"),
    (COUNT, [12], "[12] is not a number"),
    (COUNT, None, "null is not a number"),
    (COUNT, True, "True is not a number"),
    (COUNT, "x" * 40_000, "… is not a number"),
    (FLAG, 2, "2 is out of range; 0 or 1 is expected"),
    (RATIO, -0.1, "-0.1 is out of range; a number of at least 0 is expected"),
    (
        Dimension("share", "Share", kind="share", minimum=0),
        1e19,
        "1e+19 is out of range; a number from 0 to 1 is expected",
    ),
    (RATIO, "half", "'half' is not a number"),
    (CHOICE, "sideways", "'sideways' is not one of full, causal"),
    (CHOICE, 1, "1 is not one of full, causal"),
    (CHOICE, ["full"], "['full'] is not one of full, causal"),
]


@pytest.mark.parametrize(("dimension", "value", "message"), BAD, ids=[f"{d.name} {str(v)[:12]}" for d, v, _ in BAD])
def test_bad_values_are_told(dimension, value, message):
    """The message shows the value, cut short, and what was expected."""
    with pytest.raises(ValueError, match=r"expected|not one of") as caught:
        check(dimension, value)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 200


CHAIN = (
    Dimension("width", "Width", keys=("hidden_size", "d_model")),
    Dimension("heads", "Heads", keys=("n_head",)),
    Dimension("head", "Head size", default="width / heads"),
    Dimension("mlp", "MLP width", default="4 * width"),
    Dimension("bias", "Bias", kind="flag", default=0),
)


def test_defaults_are_formulas_of_what_stands_before():
    """A missing value comes from its default, a given one wins."""
    values, problems = fill_in(CHAIN, {"width": 12, "heads": 3, "mlp": 7})
    assert problems == {}
    assert values == {"width": 12, "heads": 3, "head": 4, "mlp": 7, "bias": 0}


def test_a_null_takes_the_default():
    """None is no value."""
    assert fill_in(CHAIN, {"width": 12, "heads": 3, "mlp": None})[0]["mlp"] == 48


def test_defaults_may_name_config_fields():
    """The numbers of a config are names too, behind the dimensions."""
    dimension = Dimension("inner", "Inner width", default="expand * width")
    values, _ = fill_in((CHAIN[0], dimension), {"width": 12}, {"expand": 2, "width": 99})
    assert values["inner"] == 24


def test_a_missing_value_is_told_once():
    """What depends on a missing value is not reported again."""
    values, problems = fill_in(CHAIN, {"heads": 3})
    assert problems == {
        "width": "is missing (in a config: 'hidden_size' or 'd_model'); a whole number of at least 1 is expected"
    }
    assert values == {"heads": 3, "bias": 0}


def test_a_default_that_gives_no_such_number_is_told():
    """A head size of 12/5 is no whole number; the formula stands in the message."""
    _, problems = fill_in(CHAIN, {"width": 12, "heads": 5})
    assert problems == {
        "head": "is missing, and its default width / heads does not give one: 2.4 is out of range; a whole number of at"
        " least 1 is expected"
    }


def test_a_default_of_an_unknown_field_is_told():
    """A formula may need a field that the config leaves out."""
    _, problems = fill_in([Dimension("inner", "Inner", default="expand * 2")], {})
    assert problems == {"inner": "needs expand, which the config does not give"}


def test_choices_are_shown_by_label():
    """People read words and floats, not places and fractions."""
    assert expand_choices([CHOICE, RATIO], {"choice": 2, "ratio": Fraction(1, 4)}) == {
        "choice": "causal",
        "ratio": 0.25,
    }


@pytest.mark.parametrize(("value", "kind"), [(3, int), (Fraction(1, 2), float), (0.5, float), (3.0, int)])
def test_plain_numbers_fit_documents(value, kind):
    """JSON and TOML know whole numbers and floats alone; what is whole is an int."""
    assert type(plain(value)) is kind


def test_a_sum_is_the_same_on_every_python():
    """Python 3.12 changed what `sum` gives for floats: a report has the same bytes before and after."""
    assert add([0.1] * 10) == 1.0
    assert add([2**53, 1]) == 2**53 + 1
    assert add([Fraction(1, 3), Fraction(2, 3)]) == 1

"""Formulas that follow each other give in one go what each gives alone."""

from fractions import Fraction

import pytest
import samples
from hypothesis import given, settings
from hypothesis import strategies as st
from random_formulas import NAMES, formula, values

from flopsheet.accounting.formula import Steps, read
from flopsheet.errors import FormulaError


def steps(**texts):
    """Read formulas that follow each other."""
    return Steps({name: read(text) for name, text in texts.items()})


def one_by_one(formulas, given):
    """Evaluate formulas one after the other; None where one is refused."""
    known = dict(given)
    for name, one in formulas.items():
        try:
            known[name] = one.evaluate(known)
        except FormulaError:
            return None
    return known


def in_one_go(formulas, given):
    """Evaluate formulas together; None where one is refused."""
    try:
        return Steps(formulas).evaluate(given)
    except FormulaError:
        return None


def typed(numbers):
    """Return numbers with their types; None for none."""
    return numbers and {name: (value, type(value)) for name, value in numbers.items()}


@settings(deadline=None)  # a busy machine is no error
@given(st.randoms(use_true_random=False))
def test_random_steps_give_what_they_give_one_by_one(rng):
    """Each step may use the ones before it, and a step that has no value refuses them all, together as alone."""
    formulas = {f"step_{at}": read(formula(rng)) for at in range(3)}
    formulas |= {"sum": read("step_0 + step_1 / 3 + step_2 / 3"), "share": read(f"floor(sum) / {NAMES[0]}")}
    row = values(rng)
    assert typed(in_one_go(formulas, row)) == typed(one_by_one(formulas, row))


@pytest.mark.parametrize("name", [name for name in samples.NAMES if name != "broken"])
def test_a_ledger_gives_what_its_lines_give_one_by_one(name):
    """For every example that can be counted."""
    (model,) = samples.costed(samples.CONFIGS / name)
    dimensions = {one.name: model.numbers[one.name] for one in model.ledger.dimensions}
    assert typed(model.numbers.as_dict()) == typed(one_by_one(model.ledger.formulas, dimensions))


def test_the_values_given_stay_as_they_are():
    """The result is a mapping of its own."""
    given = {"a": 2}
    assert steps(b="2 * a").evaluate(given) == {"a": 2, "b": 4}
    assert given == {"a": 2}


def test_a_step_may_use_the_ones_before_it():
    """A fraction that has become whole is a whole number, also for who asks for its type."""
    result = steps(third="a / 3", whole="third * 3").evaluate({"a": 1})
    assert typed(result) == typed({"a": 1, "third": Fraction(1, 3), "whole": 1})


def test_a_step_may_not_use_the_ones_after_it():
    """Its name has no value yet."""
    with pytest.raises(FormulaError, match="line first: second\nthere is no value for 'second'"):
        steps(first="second", second="1").evaluate({})


def test_the_first_step_that_fails_is_named():
    """A number that no cell can hold is refused even if a later step makes it small again."""
    large = steps(square="a * a", one="square / square", half="1 / 0")
    with pytest.raises(FormulaError, match=r"line square: a \* a\n.*2\*\*1024"):
        large.evaluate({"a": 2**512})
    with pytest.raises(FormulaError, match="line half: 1 / 0\ndivides by zero"):
        large.evaluate({"a": 2})


def test_builtins_are_out_of_reach():
    """A name that Python knows is no name here."""
    with pytest.raises(FormulaError, match="no value for 'open'"):
        steps(opened="open").evaluate({})

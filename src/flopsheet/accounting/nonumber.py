"""What stands where a number would be and is none: it makes every formula that reads it one without a number too."""

from __future__ import annotations

from math import nan
from typing import Any, NoReturn

from flopsheet.errors import FormulaError


class NoNumber:
    """No number, and why: an `input` that somebody has to give, or what went wrong in a line or a search.

    Whoever computes with it, compares it or asks whether it is 0 gets a NoNumberError: it never passes for a number,
    also not in the test of a choice. A branch that is not taken does no harm.
    """

    __slots__ = ("input", "why")

    def __init__(self, why: str, of_input: str = "") -> None:
        """Keep the reason, and the input that is missing where nothing went wrong."""
        self.why = why
        self.input = of_input

    @property
    def word(self) -> str:
        """What people see in its place where there is no room for the reason."""
        return self.why.partition(":")[0] if self.input else "error"

    def __repr__(self) -> str:
        return f"<no number: {self.why}>"

    def __str__(self) -> str:
        return self.why if self.input else self.word

    def _refuse(self, *_: object) -> NoReturn:
        raise NoNumberError(self)

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _refuse
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __divmod__ = __rdivmod__ = __pow__ = __rpow__ = _refuse
    __neg__ = __pos__ = __abs__ = __round__ = __floor__ = __ceil__ = __trunc__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = __bool__ = __int__ = __float__ = __index__ = _refuse
    __eq__ = __ne__ = _refuse
    __hash__ = object.__hash__


class NoNumberError(FormulaError):
    """A formula computes with what is no number."""

    def __init__(self, number: NoNumber) -> None:
        """Keep what it computes with."""
        super().__init__(number.why)
        self.number = number


def no_number(value: object) -> NoNumber | None:
    """Return what stands in the place of a number, None for a number."""
    return value if isinstance(value, NoNumber) else None


def as_float(value: Any) -> float:
    """Return a number as a float, nan for what is none."""
    return nan if type(value) is NoNumber else float(value)


def first_gap(values: Any) -> NoNumber | None:
    """Return the first of some values that is no number, None where all are."""
    return next((value for value in values if type(value) is NoNumber), None)


def numbers_of(values: Any) -> list[Any]:
    """Return those of some values that are numbers."""
    return [value for value in values if type(value) is not NoNumber]

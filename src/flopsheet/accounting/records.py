"""Records that may get new fields without breaking who makes them: only the first values go by place."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

from livesheets.suggestions import names_like

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

T = TypeVar("T")


def _check_known(record: Any, names: Iterable[str]) -> None:
    """Raise TypeError for a field that a record does not have, with one that is like it."""
    if unknown := [name for name in names if name not in record._fields]:
        hint = names_like(unknown[0], record._fields) or "; a newer flopsheet may have it"
        raise TypeError(f"{record.__name__} got an unexpected keyword argument {unknown[0]!r}{hint}") from None


def by_place(count: int) -> Callable[[type[T]], type[T]]:
    """Let a named tuple take so many values by place, and all others by name; TypeError says so."""

    def decorate(record: type[T]) -> type[T]:
        make = record.__new__

        @wraps(make)
        def new(cls: type[T], *values: Any, **fields: Any) -> T:
            if len(values) > count:
                raise TypeError(f"{record.__name__} takes {count} values by place, and all others by name")
            try:
                return make(cls, *values, **fields)
            except TypeError:
                _check_known(record, fields)
                raise

        record.__new__ = new  # type: ignore[method-assign, assignment]
        record.__getnewargs_ex__ = lambda self: ((), self._asdict())  # type: ignore[attr-defined]  # a copy is made by name
        return record

    return decorate

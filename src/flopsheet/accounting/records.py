"""Records that may get new fields without breaking who makes them: only the first values go by place."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


def by_place(count: int) -> Callable[[type[T]], type[T]]:
    """Let a named tuple take so many values by place, and all others by name; TypeError says so."""

    def decorate(record: type[T]) -> type[T]:
        make = record.__new__

        @wraps(make)
        def new(cls: type[T], *values: Any, **named: Any) -> T:
            if len(values) > count:
                raise TypeError(f"{record.__name__} takes {count} values by place, and all others by name")
            return make(cls, *values, **named)

        record.__new__ = new  # type: ignore[method-assign, assignment]
        record.__getnewargs_ex__ = lambda one: ((), one._asdict())  # type: ignore[attr-defined]  # a copy is made by name
        return record

    return decorate

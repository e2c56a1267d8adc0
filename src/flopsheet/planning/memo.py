"""Results that are kept: of methods once for each argument, of functions once; the object itself holds them."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Owner = TypeVar("Owner")
Key = TypeVar("Key")
Result = TypeVar("Result")


def memo(method: Callable[[Owner, Key], Result]) -> Callable[[Owner, Key], Result]:
    """Return a method of one argument that computes each result once; unlike `functools.cache` it keeps no object."""
    name = _name(method)

    @wraps(method)
    def run(owner: Owner, key: Key) -> Result:
        results: dict[Key, Result] = vars(owner).get(name) or _results(owner, method)
        if key not in results:
            results[key] = method(owner, key)
        return results[key]

    return run


def once(function: Callable[[Owner], Result]) -> Callable[[Owner], Result]:
    """Return a function of an object that computes its result once, as `functools.cached_property` does a method."""

    @wraps(function)
    def run(owner: Owner) -> Result:
        results = _results(owner, function)
        if None not in results:
            results[None] = function(owner)
        return results[None]

    return run


def share_results(method: Callable[..., Any], owner: object, other: object) -> None:
    """Let another object have, and add to, the results that its owner keeps of a memo."""
    vars(other)[_name(method)] = _results(owner, method)


def _results(owner: object, method: Callable[..., Result]) -> dict[Any, Result]:
    results: dict[Any, Result] = vars(owner).setdefault(_name(method), {})
    return results


def _name(method: Callable[..., Any]) -> str:
    return f"{method.__name__}_results"

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
        results: dict[Key, Result] = vars(owner).setdefault(name, {})
        if key not in results:
            results[key] = method(owner, key)
        return results[key]

    return run


def once(function: Callable[[Owner], Result]) -> Callable[[Owner], Result]:
    """Return a function of an object that computes its result once, as `functools.cached_property` does a method."""
    name = _name(function)

    @wraps(function)
    def run(owner: Owner) -> Result:
        results: dict[str, Result] = vars(owner)
        if name not in results:
            results[name] = function(owner)
        return results[name]

    return run


def share_results(method: Callable[..., Any], owner: object, other: object) -> None:
    """Let another object have, and add to, the results that its owner keeps of a memo."""
    name = _name(method)
    vars(other)[name] = vars(owner).setdefault(name, {})


def _name(method: Callable[..., Any]) -> str:
    """Return under what an object holds results: no attribute, and no other method or function, is called so."""
    return f"{method.__module__}.{method.__qualname__}"

"""Methods whose results are kept: computed once for each argument, and held by the object itself."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Owner = TypeVar("Owner")
Key = TypeVar("Key")
Result = TypeVar("Result")


def memo(method: Callable[[Owner, Key], Result]) -> Callable[[Owner, Key], Result]:
    """Return a method of one argument that computes each result once; unlike `functools.cache` it keeps no object."""
    name = f"{method.__name__}_results"

    @wraps(method)
    def run(owner: Owner, key: Key) -> Result:
        results: dict[Key, Result] = vars(owner).setdefault(name, {})
        if key not in results:
            results[key] = method(owner, key)
        return results[key]

    return run

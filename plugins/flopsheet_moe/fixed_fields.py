"""What readers of single types share: fields that are held to what a class builds, and windows that must be there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet import Reading

    Config = Mapping[str, Any]


def hold(config: Config, reading: Reading, values: Mapping[str, Any]) -> None:
    """Add a problem for each field that says something else than what the class builds."""
    reading.keys.update(values)
    for field, value in values.items():
        if config.get(field, value) not in (value, None):
            reading.problems.append(f"field {field} differs from what transformers builds: it may change the count")


def window_of(config: Config) -> Any:
    """Return the width of the windows that some layers have; ValueError where nothing says it."""
    if not config["sliding_window"]:
        raise ValueError("layers slide, but sliding_window says no width")
    return config["sliding_window"]


def uniform(value: Any, field: str, reading: Reading) -> Any:
    """Return the one value of a field that may be a list of one value a layer."""
    if not isinstance(value, list):
        return value
    if any(each != value[0] for each in value):
        reading.problems.append(f"field {field} differs between layers: only the first is counted")
    return value[0]

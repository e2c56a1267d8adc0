"""A model: one named set of dimension values with the file it came from and what is to be said about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct, field
from msgspec.structs import replace

from flopsheet.configs.files import sha256

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Status = Literal["ok", "approximate", "error"]
BETWEEN = "; "
"""What stands between the problems, notes or reasons of a model in one cell."""


class Published(Struct, frozen=True):
    """A parameter count that somebody published, to compare the count with.

    `extras` are the tensors that a checkpoint names and a class may not count, by kind: how many there are of each.
    """

    parameters: int
    source: str = ""
    date: str = ""
    extras: tuple[tuple[str, int], ...] = ()


class Model(Struct, frozen=True, eq=False):
    """One model as its config or its planner describes it.

    `given` holds the dimension values and settings that were read, before any default; `defaults` replaces defaults of
    dimensions with what the family knows; `assumed` says of required ones which class default takes the place of a
    field that the config leaves out; `fields` are the config's numbers, for those formulas, and `checks` the type's
    formulas of fields and dimensions. `entry` is what a portfolio says of how the model is read: its size, or what its
    config is read as. `stored` and `stored_bytes` are what its checkpoint says, 0 bytes where it says none. `problems`
    make the count approximate, `errors` make it impossible.
    """

    name: str
    source: str = ""
    data: bytes = b""
    said_sha256: str = ""
    model_type: str = ""
    read_as: str = ""
    architecture: str = ""
    given: Mapping[str, Any] = field(default_factory=dict)
    defaults: Mapping[str, float | str] = field(default_factory=dict)
    assumed: Mapping[str, str] = field(default_factory=dict)
    fields: Mapping[str, float] = field(default_factory=dict)
    checks: Mapping[str, str] = field(default_factory=dict)
    drivers: Mapping[str, Any] = field(default_factory=dict)
    entry: Mapping[str, Any] = field(default_factory=dict)
    published: Published | None = None
    stored: Published | None = None
    stored_bytes: int = 0
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()

    @property
    def sha256(self) -> str:
        """Return the hash of the config file: of the bytes that were read, or as a report says it."""
        return sha256(self.data) if self.data else self.said_sha256

    def without_bytes(self, **changes: Any) -> Model:
        """Return the model with the hash of its config file in place of the file's bytes, and other values."""
        return replace(self, data=b"", said_sha256=self.sha256, **changes)

    @property
    def status(self) -> Status:
        """Return the worst of what is known: error, approximate or ok."""
        if self.errors:
            return "error"
        return "approximate" if self.problems else "ok"


def told_apart(names: Iterable[str]) -> list[str]:
    """Return the names, with a number behind each that was before."""
    used_names: set[str] = set()
    numbers: dict[str, int] = {}
    results = []
    for name in names:
        own, number = name, numbers.get(name, 1)
        while own in used_names:
            number += 1
            own = f"{name} ({number})"
        used_names.add(own)
        numbers[name] = number
        results.append(own)
    return results

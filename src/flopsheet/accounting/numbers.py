"""The numbers of one model, by the names of dimensions and lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from flopsheet.accounting.line import NOTHING, Number

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Numbers(Mapping[str, Number]):
    """A model's numbers by name: a row and the places that all models of an architecture share.

    Ten thousand models of a batch take a fifth of what as many dictionaries do.
    """

    __slots__ = ("places", "row")

    def __init__(self, places: Mapping[str, int] = NOTHING, row: Sequence[Number] = ()) -> None:
        """Keep a row whose numbers have these names."""
        self.places = places
        self.row = row

    def __getitem__(self, name: str) -> Number:
        """Return the number of a dimension or line."""
        return self.row[self.places[name]]

    def __contains__(self, name: object) -> bool:
        """Tell whether a dimension or line of that name exists."""
        return name in self.places

    def get(self, name: str, default: Any = None) -> Any:
        """Return the number of a dimension or line, another one where it does not exist."""
        place = self.places.get(name)
        return default if place is None else self.row[place]

    def some(self, names: Iterable[str]) -> dict[str, Number]:
        """Return the numbers of these names."""
        row, places = self.row, self.places
        return {name: row[places[name]] for name in names}

    def pack(self) -> Numbers:
        """Return the same in less room, for a batch; to ask for a number then takes a little longer."""
        from flopsheet.accounting.packed_numbers import pack  # noqa: PLC0415 - only a batch pays for it

        return Numbers(self.places, pack(self.row))

    def as_dict(self) -> dict[str, Number]:
        """Return the numbers as a dictionary, for who asks for many."""
        return dict(zip(self.places, self.row, strict=True))

    def __iter__(self) -> Iterator[str]:
        """Give the names in order: dimensions, then lines."""
        return iter(self.places)

    def __len__(self) -> int:
        """Return how many numbers there are."""
        return len(self.row)

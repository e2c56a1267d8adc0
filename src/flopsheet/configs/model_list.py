"""A model list as a source of a batch: its rows are kept as cells, and each becomes a model where it is counted."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from flopsheet.configs.files import read_bytes, sha256
from flopsheet.configs.grid import LARGEST
from flopsheet.configs.lists import header_of, is_total, name_of_row, read_row, sheet_of
from flopsheet.configs.model import Model, told_apart
from flopsheet.configs.row import Row
from flopsheet.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from flopsheet.configs.headers import Header
    from flopsheet.host.host import Host


class OneRow(Struct, frozen=True):
    """The rows of a sheet or table of which one alone is known, and the header where it is the first."""

    at: int
    cells: Sequence[Any]
    header: Sequence[str] = ()

    def __getitem__(self, place: int) -> Sequence[Any]:
        """Return the row that is known, the header, or an empty one."""
        return self.cells if place == self.at else () if place else self.header

    def __len__(self) -> int:
        """Return how many rows there are up to this one."""
        return self.at + 1


class SheetRow(NamedTuple):
    """A row that is no model yet: what its header says, whose grid holds no rows, and its cells."""

    header: Header
    at: int
    cells: Sequence[Any]
    sha256: str

    @property
    def row(self) -> Row:
        """The row under its header."""
        grid = replace(self.header.grid, rows=OneRow(self.at, self.cells))
        return Row(replace(self.header, grid=grid), self.at)

    def load(self, host: Host, name: str = "") -> Model:
        """Return the model of the row, under another name if one is given."""
        model = read_row(host, self.row)
        model = model if model.source else replace(model, source=self.header.grid.file, said_sha256=self.sha256)
        return replace(model, name=name or model.name)

    def digest(self) -> str:
        """Return what tells the row, with the config that it names, from another one."""
        header = [(column.text, column.says, column.scale) for column in self.header.columns]
        return sha256(repr((header, self.at, self.cells, _config_digest(self.row))).encode())


class Sheet(Struct, frozen=True, dict=True):
    """The rows of a model list; errors of its header are those of `read_list`."""

    header: Header
    path: Path

    def list_names(self) -> Iterator[tuple[str, str]]:
        """Give each model's name, told apart within the list, and the path of the config that the row names."""
        rows = [self._row(at) for at in self._places]
        return zip(told_apart(map(name_of_row, rows)), map(_config, rows), strict=True)

    def contents(self) -> Iterator[SheetRow]:
        """Give each row."""
        empty = replace(self.header, grid=replace(self.header.grid, rows=OneRow(-1, ())))
        for at in self._places:
            yield SheetRow(empty, at, self.header.grid.rows[at], self._sha256)

    def files(self) -> Iterator[str]:
        """Give the list and the configs that it names."""
        yield str(self.path)
        yield from filter(None, (_config(self._row(at)) for at in self._places))

    def states(self, what: str) -> bool:
        """Tell whether some row says something under a header, such as `tokens`."""
        column = next((candidate for candidate in self.header.columns if candidate.says == what), None)
        return column is not None and any(self._row(at).cell(column) is not None for at in self._places)

    def _row(self, at: int) -> Row:
        return Row(self.header, at)

    @cached_property
    def _places(self) -> Sequence[int]:
        """The places of rows that are models."""
        rows = (self._row(at) for at in range(self.header.first, len(self.header.grid.rows)))
        return [row.at for row in rows if row.columns and not is_total(row)]

    @cached_property
    def _sha256(self) -> str:
        return sha256(read_bytes(self.path, LARGEST))


def open_list(host: Host, path: Path, *, decimal_comma: bool = False) -> Sheet:
    """Return the rows of a list; UsageError where the file holds none or several, PortfolioError of a bad header."""
    file, sheet = sheet_of(path)
    return Sheet(header_of(host, file, sheet, decimal_comma=decimal_comma), file)


def _config(row: Row) -> str:
    """Return the path of the config that a row names, "" where it names none."""
    column = row.column_of("config")
    if column is None:
        return ""
    return os.path.normpath(Path(row.grid.file).parent / Row(row.header, row.at).text(column))


def _config_digest(row: Row) -> str:
    path = _config(row)
    try:
        return sha256(read_bytes(Path(path))) if path else ""
    except ConfigError:
        return ""

"""Model lists in Parquet: read row by row in bounded memory, with headers that mean what they mean in a CSV file."""

from __future__ import annotations

import hashlib
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote

from msgspec import Struct
from msgspec.structs import replace

from flopsheet.configs.grid import Grid
from flopsheet.configs.headers import find_header
from flopsheet.configs.lists import EXPECTED, read_row
from flopsheet.configs.model import BETWEEN, Model
from flopsheet.configs.model_list import OneRow
from flopsheet.configs.row import Row
from flopsheet.errors import ConfigError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.configs.headers import Header
    from flopsheet.host.host import Host

NULL = "__HIVE_DEFAULT_PARTITION__"
"""What a folder says in place of no value."""
ROWS = "rows"
"""What is behind the `#`: the one table of a file."""
BATCH = 500
STATUS = ("status", "problems", "notes")
"""The columns of a report of models that say what is wrong with them, and what is to be known of them."""
KEPT = ("name", "architecture")
"""The columns of a report of models that say what they are; its dimensions are read too, its results are not."""


def table_of(path: Path) -> Path:
    """Return the file of `models.parquet#rows`; UsageError where something else is behind the `#`."""
    name, _, table = str(path).partition("#")
    if path.exists() or not table:
        return path
    if table != ROWS:
        raise UsageError(f"{path}: a Parquet file holds one table, its rows; give {name} or {name}#{ROWS}")
    return Path(name)


def partition_of(folder: str, path: Path) -> tuple[tuple[str, str], ...]:
    """Return the columns that the names of folders say, between an input and a file inside: `status=ok`, as of Hive."""
    inside = path.parent.parts[len(Path(folder).parts) :]
    pairs = (part.partition("=") for part in inside if "=" in part)
    return tuple((name, "" if value == NULL else unquote(value)) for name, _, value in pairs)


_HEADERS: dict[tuple[int, str, tuple[str, ...]], Header] = {}
"""The header of each table that was read, by host, file and columns."""


def _header(host: Host, path: str, columns: tuple[str, ...]) -> Header:
    key = id(host), path, columns
    if key not in _HEADERS:
        result = find_header(host, Grid(path, ROWS, [list(columns)]))
        if result is None:
            raise UsageError(f"{path} has no model list: {EXPECTED}")
        _HEADERS[key] = result
    return _HEADERS[key]


class TableRow(NamedTuple):
    """A row of a table that is not read yet."""

    path: str
    columns: tuple[str, ...]
    at: int
    cells: tuple[Any, ...]
    sha256: str
    status: str = ""
    problems: str = ""
    notes: str = ""

    def row(self, host: Host) -> Row:
        """Return the row under its header."""
        grid = Grid(self.path, ROWS, OneRow(self.at, self.cells, self.columns))
        return Row(replace(_header(host, self.path, self.columns), grid=grid), self.at)

    def load(self, host: Host, name: str = "") -> Model:
        """Return the model of the row; what a report found approximate or in error stays so, and notes stay."""
        notes = _texts(self.notes)
        if self.status == "error":
            return Model(name, self.path, said_sha256=self.sha256, errors=(self.problems,), notes=notes)
        model = read_row(host, self.row(host))
        problems = _texts(self.problems) if self.status == "approximate" else ()
        notes = tuple(dict.fromkeys((*model.notes, *notes)))
        model = replace(model, problems=(*model.problems, *problems), notes=notes)
        model = model if model.source else replace(model, source=self.path, said_sha256=self.sha256)
        return replace(model, name=name) if name else model

    def digest(self) -> str:
        """Return what tells the row from another one."""
        return hashlib.sha256(repr((self.columns, self.at, self.cells)).encode()).hexdigest()


class Table(Struct, frozen=True, dict=True):
    """A Parquet file with one row per model."""

    host: Host
    path: Path
    partition: tuple[tuple[str, str], ...] = ()

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns that are read: all, those of the partition too, but of a report of models no results."""
        schema = self._file.schema_arrow
        names = (*schema.names, *self._partition_values)
        if not self._is_report:
            return names
        dimensions = {column.name for column in schema if (column.metadata or {}).get(b"role") == b"dimension"}
        return tuple(name for name in names if name in KEPT or name in dimensions)

    @cached_property
    def _partition_values(self) -> dict[str, str]:
        """What the partition says of every row, for columns that the file does not have."""
        return {name: value for name, value in self.partition if name not in self._file.schema_arrow.names}

    @property
    def header(self) -> Header:
        """What the columns say; PortfolioError and UsageError as of other lists."""
        return _header(self.host, str(self.path), self.columns)

    def list_names(self) -> Iterator[tuple[str, str]]:
        """Give each model's name, and no path."""
        at = next((column.place for column in self.header.columns if column.says == "name"), None)
        for row in self._rows(None if at is None else self.columns[at]):
            name = row.cells[0] if at is not None else None
            yield str(name).strip() if name else f"{self.path.stem} row {row.at + 1}", ""

    def contents(self) -> Iterator[TableRow]:
        """Give each row."""
        return self._rows()

    def files(self) -> tuple[str, ...]:
        """Return the file."""
        return (str(self.path),)

    @cached_property
    def _is_report(self) -> bool:
        return b"flopsheet" in (self._file.schema_arrow.metadata or {})

    def _rows(self, only: str | None = None) -> Iterator[TableRow]:
        columns, at = self.columns if only is None else (only,), 0
        names = (*columns, *(STATUS if self._is_report and only is None else ()))
        constants = {name: value or None for name, value in self._partition_values.items()}
        file_columns = [name for name in names if name not in constants]
        for batch in self._file.iter_batches(BATCH, columns=file_columns):
            values = {name: batch.column(name).to_pylist() for name in file_columns}
            read = (values[name] if name in values else [constants[name]] * len(batch) for name in names)
            for cells in zip(*read, strict=True):
                at += 1
                own = tuple(map(_cell, cells[: len(columns)]))
                yield TableRow(str(self.path), columns, at, own, self._sha256, *cells[len(columns) :])

    @cached_property
    def _sha256(self) -> str:
        with self.path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    @cached_property
    def _file(self) -> Any:
        try:
            import pyarrow.parquet  # noqa: PLC0415 - few lists are in Parquet
        except ImportError:
            raise UsageError(f"{self.path}: pyarrow is needed: pip install 'flopsheet[sweep]'") from None
        try:
            self.path.open("rb").close()  # where Python may not read, as in `flopsheet mcp`, Arrow's own code shall not
            return pyarrow.parquet.ParquetFile(self.path)
        except (OSError, pyarrow.ArrowException) as error:
            raise ConfigError(f"{self.path}: cannot be read as Parquet: {error}") from None


def _texts(cell: str) -> tuple[str, ...]:
    return tuple(cell.split(BETWEEN)) if cell else ()


def _cell(value: Any) -> Any:
    """Return a cell as other lists have it: text, number or nothing; what is not one of them as text."""
    return value if value is None or isinstance(value, str | int | float) else str(value)

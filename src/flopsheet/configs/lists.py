"""Model lists: a CSV file or a sheet with a row a model, headed by names of dimensions or of config fields."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flopsheet.accounting.values import check, plain, shown
from flopsheet.accounting.words import names_like
from flopsheet.configs.columns import dimensions_of, field_of, is_result
from flopsheet.configs.files import read_bytes, sha256
from flopsheet.configs.grid import Grid, read_grids
from flopsheet.configs.headers import COUNTED, Column, Header, find_header
from flopsheet.configs.model import Model, Published, told_apart
from flopsheet.configs.reading import read_config, read_dimensions, type_fields
from flopsheet.configs.settings import OPTIMIZER, laid_over
from flopsheet.configs.source import load_model
from flopsheet.configs.spelling import as_field
from flopsheet.configs.spreadsheet import LARGEST
from flopsheet.errors import FlopsheetError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flopsheet.accounting.ledger import Ledger
    from flopsheet.accounting.line import Dimension
    from flopsheet.host.host import Host

EXPECTED = "a header row with architecture, model_type or config, and names of dimensions or config fields, is expected"


def sheet_of(path: Path) -> tuple[Path, str]:
    """Return the file of a model list, and the sheet that is named behind its `#`."""
    name, _, sheet = str(path).partition("#")
    return (path, "") if path.exists() else (Path(name), sheet)


def read_list(host: Host, path: Path, sheet: str = "", *, decimal_comma: bool = False) -> list[Model]:
    """Return the models of a list, one a row; a row that makes no model is a model in error.

    UsageError where the file holds no list or several, PortfolioError where its header has problems.
    """
    grids = read_grids(path, sheet, decimal_comma=decimal_comma)
    headers = [header for grid in grids if (header := find_header(host, grid))]
    if not headers:
        raise UsageError(f"{path} holds no model list: {EXPECTED}")
    if len(headers) > 1:
        names = " and ".join(repr(header.grid.sheet) for header in headers)
        raise UsageError(f"{path} holds model lists on the sheets {names}; say {path}#{headers[0].grid.sheet}")
    (header,) = headers
    rows = range(header.first, len(header.grid.rows))
    models = [_Row(host, header, row).model() for row in rows if not _is_blank(header, row)]
    digest = sha256(read_bytes(path, LARGEST))
    models = [m if m.source else replace(m, source=str(path), said_sha256=digest) for m in models]
    return [replace(m, name=name) for m, name in zip(models, told_apart(m.name for m in models), strict=True)]


def _is_blank(header: Header, row: int) -> bool:
    return all(header.grid.cell(row, column.place) is None for column in header.columns)


@dataclass
class _Row:
    """One row of a list while it is read."""

    host: Host
    header: Header
    row: int
    problems: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def grid(self) -> Grid:
        return self.header.grid

    def model(self) -> Model:
        """Return the row's model; whatever is wrong with its cells makes it a model in error."""
        said = {c.says: c for c in self.header.columns if c.says and self._has(c)}
        texts = {name: self._text(column) for name, column in said.items() if name not in COUNTED}
        counts = {name: self._count(said[name]) for name in COUNTED if name in said}
        name = texts.get("name") or f"{Path(self.grid.file).stem} row {self.row + 1}"
        others = [c for c in self.header.columns if not c.says and self._has(c)]
        try:
            model = self._described(texts, others)
        except FlopsheetError as error:
            model = Model(name, errors=(str(error),))
        published = counts.get("published")
        errors = self.problems or [f"row {self.row + 1}: {error}" for error in model.errors]
        notes = () if self.problems else (*model.notes, *self.notes)
        return replace(
            model,
            name=name,
            drivers={"tokens": counts["tokens"]} if counts.get("tokens") else {},
            published=Published(published, texts.get("source", ""), texts.get("date", "")) if published else None,
            problems=(*model.problems, *self.doubts),
            notes=notes,
            errors=tuple(f"{self.grid.file}: {error}" for error in errors),
        )

    def _described(self, texts: dict[str, str], columns: list[Column]) -> Model:
        if "config" in texts:
            path = Path(os.path.normpath(Path(self.grid.file).parent / texts["config"]))
            model = load_model(self.host, path, read_as=texts.get("read_as", ""))
            return self._with_dimensions(model, columns)
        if "model_type" in texts:
            return self._of_type(texts["model_type"], texts, columns)
        if "architecture" in texts:
            return self._with_dimensions(read_dimensions(self.host, texts["architecture"], {}), columns)
        self.problems.append(f"row {self.row + 1}: says no architecture, model_type or config")
        return Model("")

    def _of_type(self, model_type: str, texts: dict[str, str], columns: list[Column]) -> Model:
        """Read the columns that are fields of the type as a config, the others as dimensions."""
        read_as = texts.get("read_as", "")
        fields, numeric = type_fields(self.host, read_as or model_type)
        config: dict[str, Any] = {"model_type": model_type}
        own = {column: key for column in columns if (key := field_of(column, fields))}
        for column, key in own.items():
            value = self._number(column) if key in numeric else self._anything(column)
            config[key] = [value] if key == "architectures" and isinstance(value, str) else value
        model = read_config(self.host, config, read_as=read_as)
        return self._with_dimensions(model, [column for column in columns if column not in own])

    def _with_dimensions(self, model: Model, columns: Iterable[Column]) -> Model:
        if not model.architecture:
            return model
        ledger = self.host.ledger(model.architecture)
        known = dimensions_of(ledger)
        given: dict[str, Any] = {}
        for column in columns:
            if column.word == OPTIMIZER:
                given |= self._recipe(column)
            elif column.word not in known:
                self._unread(column, ledger)
            elif known[column.word].name in given:
                self.problems.append(f"{self._where(column)}: another column says {known[column.word].name} already")
            else:
                given[known[column.word].name] = self._dimension(known[column.word], column)
        return replace(model, given=laid_over(model.given, given))

    def _dimension(self, dimension: Dimension, column: Column) -> Any:
        value = self._text(column) if dimension.kind == "choice" else self._number(column)
        try:
            check(dimension, value)
        except ValueError as error:
            if value is not None:
                self.problems.append(f"{self._where(column)}: {error}")
        return value

    def _recipe(self, column: Column) -> dict[str, str]:
        """Return the setting of an optimizer; none, with the problem kept, where no recipe has the name."""
        setting = {OPTIMIZER: self._text(column)}
        try:
            laid_over({}, setting)
        except UsageError as error:
            self.problems.append(f"{self._where(column)}: {error}")
            return {}
        return setting

    def _unread(self, column: Column, ledger: Ledger) -> None:
        """Say that nothing reads a column: a number may change the count; a result and somebody's comment do not."""
        value = self._anything(column)
        if column.yields_to:
            self.notes.append(f"column {shown(column.text)} is not read: {shown(column.yields_to)} says it")
        elif not isinstance(value, int | float):
            self.notes.append(f"column {shown(column.text)} is not read")
        elif column.word not in self.header.inputs and is_result(column, ledger):
            self.notes.append(f"column {shown(column.text)} is not read: it is a result")
        else:
            names = (name for dimension in ledger.dimensions for name in (dimension.name, *dimension.keys))
            hint = names_like(as_field(column.name), names)
            self.doubts.append(f"{self._where(column)} = {value!r} is not understood: it may change the count{hint}")

    def _has(self, column: Column) -> bool:
        return self.grid.cell(self.row, column.place) is not None

    def _where(self, column: Column) -> str:
        return f"{self.grid.address(self.row, column.place)} ({column.text})"

    def _text(self, column: Column) -> str:
        value = self.grid.cell(self.row, column.place)
        if isinstance(value, str | int | float):
            return str(value)
        self.problems.append(f"{self._where(column)}: here stands {value}; a text is expected")
        return ""

    def _number(self, column: Column) -> Any:
        """Return the number of a cell in plain units; None, with the problem kept, where there is none."""
        try:
            value = self.grid.number(self.row, column.place)
        except ValueError as error:
            self.problems.append(f"{self._where(column)}: {error}")
            return None
        if isinstance(value, bool) or column.scale == 1:
            return value
        return plain(_whole(Fraction(str(value)) * column.scale))

    def _count(self, column: Column) -> int:
        value = self._number(column)
        if value is not None and (isinstance(value, bool) or value < 1 or value % 1):
            self.problems.append(f"{self._where(column)}: {value!r}; a whole number of at least 1 is expected")
            return 0
        return int(value or 0)

    def _anything(self, column: Column) -> Any:
        """Return a config field's value: a number, a truth value, a list or table written as JSON, else the text."""
        value = self.grid.cell(self.row, column.place)
        if not isinstance(value, str):
            return self._number(column)
        try:
            return json.loads(value) if value[0] in "[{" else self.grid.number(self.row, column.place)
        except ValueError:
            return value


def _whole(value: Fraction) -> int | Fraction:
    return value.numerator if value.denominator == 1 else value

"""Model lists: a CSV file or a sheet with one row per model, headed by names of dimensions or of config fields."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from msgspec.structs import replace

from flopsheet.accounting.values import check, show_value
from flopsheet.configs.columns import dimensions_by_word, dimensions_of, field_of, hint_for, is_misspelled, is_result
from flopsheet.configs.field_types import as_declared, wrong_type
from flopsheet.configs.grid import read_grids
from flopsheet.configs.headers import COUNTED, KINDS, Column, find_header
from flopsheet.configs.model import Model, Published
from flopsheet.configs.reading import fields_of_dimensions, read_config, read_dimensions, type_fields
from flopsheet.configs.row import Row
from flopsheet.configs.settings import OPTIMIZER, merge_settings
from flopsheet.configs.source import load_named
from flopsheet.configs.words import is_total as means_total
from flopsheet.errors import FlopsheetError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from flopsheet.accounting.ledger import Ledger
    from flopsheet.accounting.line import Dimension
    from flopsheet.configs.headers import Header
    from flopsheet.host.host import Host

EXPECTED = "expected a header row with architecture, model_type or config, and names of dimensions or config fields"


def sheet_of(path: Path) -> tuple[Path, str]:
    """Return the file of a model list, and the sheet that is named behind its `#`."""
    name, _, sheet = str(path).partition("#")
    return (path, "") if path.exists() else (Path(name), sheet)


def header_of(host: Host, path: Path, sheet: str = "", *, decimal_comma: bool = False) -> Header:
    """Return the header of a list, with the grid of its rows.

    UsageError where the file holds no list or several, PortfolioError where its header has problems.
    """
    grids = read_grids(path, sheet, decimal_comma=decimal_comma)
    headers = [header for grid in grids if (header := find_header(host, grid))]
    if not headers:
        raise UsageError(f"{path} has no model list: {EXPECTED}")
    if len(headers) > 1:
        names = " and ".join(repr(header.grid.sheet) for header in headers)
        example = f"{path}#{headers[0].grid.sheet}"
        raise UsageError(f"{path} holds model lists on the sheets {names}; choose one, such as {example}")
    return headers[0]


def read_row(host: Host, row: Row) -> Model:
    """Return the model of a row; one that makes none is a model in error."""
    return _Reader(host, row).model()


def name_of_row(row: Row) -> str:
    """Return what a row calls its model, or a name by its place."""
    column = row.column_of("name")
    name = "" if column is None else Row(row.header, row.at).text(column)
    return name or f"{Path(row.grid.file).stem} row {row.at + 1}"


def is_total(row: Row) -> bool:
    """Tell a row of totals: it says no kind of model, and its name or else its first cell is a word for one."""
    columns = row.columns
    first = row.cell(row.column_of("name") or columns[0])
    return all(column.says not in KINDS for column in columns) and isinstance(first, str) and means_total(first)


class _Reader(Struct, frozen=True):
    """What makes a model of a row: what makes it approximate, and what is to be said of it."""

    host: Host
    row: Row
    doubts: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def model(self) -> Model:
        """Return the row's model; whatever is wrong with its cells makes it a model in error."""
        row, file = self.row, self.row.grid.file
        self.notes.extend(row.strays())
        columns = row.columns
        by_role = {column.says: column for column in columns if column.says}
        texts = {name: row.text(column) for name, column in by_role.items() if name not in COUNTED}
        counts = {name: row.count(by_role[name]) for name in COUNTED if name in by_role}
        name = name_of_row(row)
        try:
            model = self._describe_model(texts, [column for column in columns if not column.says])
        except FlopsheetError as error:
            model = Model(name, errors=(str(error),))
        parameters = counts.get("published")
        errors = row.problems or [f"row {row.at + 1}: {error}" for error in model.errors]
        return replace(
            model,
            name=name,
            drivers={"tokens": counts["tokens"]} if counts.get("tokens") else {},
            published=Published(parameters, texts.get("source", ""), texts.get("date", "")) if parameters else None,
            problems=(*model.problems, *self.doubts),
            notes=() if row.problems else (*model.notes, *self.notes),
            errors=tuple(f"{file}: {error}" for error in errors),
        )

    def _describe_model(self, texts: Mapping[str, str], columns: list[Column]) -> Model:
        if "config" in texts:
            folder = Path(self.row.grid.file).parent
            model = load_named(self.host, texts["config"], folder, read_as=texts.get("read_as", ""))
            return self._with_dimensions(model, columns)
        if "model_type" in texts:
            return self._of_type(texts["model_type"], texts, columns)
        if "architecture" in texts:
            return self._with_dimensions(read_dimensions(self.host, texts["architecture"], {}), columns)
        self.row.problems.append(f"row {self.row.at + 1}: has no architecture, model_type or config")
        return Model("")

    def _of_type(self, model_type: str, texts: Mapping[str, str], columns: list[Column]) -> Model:
        """Read the columns that are fields of the type as a config, the others as dimensions."""
        read_as = texts.get("read_as", "")
        fields, kinds = type_fields(self.host, read_as or model_type)
        config: dict[str, Any] = {"model_type": model_type}
        own = {column: key for column in columns if (key := field_of(column, fields))}
        own |= self._fields_meant(read_as or model_type, columns, own)
        for column, key in own.items():
            value = self._read(column, kinds.get(key, ""))
            is_class_name = key == "architectures" and isinstance(value, str)
            config[key] = [value] if is_class_name else as_declared(read_as or model_type, key, value)
            if wrong := wrong_type(read_as or model_type, key, config[key]):
                self.row.wrong(column, wrong)
        model = read_config(self.host, config, read_as=read_as)
        self._check(model, own)
        return self._with_dimensions(model, [column for column in columns if column not in own])

    def _fields_meant(self, model_type: str, columns: list[Column], own: Mapping[Column, str]) -> dict[Column, str]:
        """Return the fields of columns that name a dimension: what the type derives from the field then follows."""
        by_name = fields_of_dimensions(self.host, model_type)
        architecture = self.host.architecture(self.host.family(model_type).architecture)
        dimensions = dimensions_by_word(architecture.dimensions)
        result: dict[Column, str] = {}
        for column in columns:
            key = by_name.get(dimensions[column.word].name, "") if column.word in dimensions else ""
            if key and column not in own and key not in (*own.values(), *result.values()):
                result[column] = key
        return result

    def _read(self, column: Column, kind: str) -> Any:
        """Return the value of a dimension of a kind, or of a config field that is none, "" for its kind."""
        readers = {"": self.row.anything, "flag": self.row.flag, "choice": self.row.text}
        return readers.get(kind, self.row.number)(column)

    def _check(self, model: Model, columns: Iterable[Column]) -> None:
        """Say which config fields give a dimension a value that it cannot have."""
        dimensions = dimensions_of(self.host.ledger(model.architecture)) if model.architecture else {}
        for column in columns:
            dimension = dimensions.get(column.word)
            if dimension and model.given.get(dimension.name) is not None:
                self._in_range(dimension, model.given[dimension.name], column)

    def _in_range(self, dimension: Dimension, value: Any, column: Column) -> None:
        try:
            check(dimension, value)
        except ValueError as error:
            self.row.wrong(column, error)

    def _with_dimensions(self, model: Model, columns: Iterable[Column]) -> Model:
        if not model.architecture:
            return model
        ledger = self.host.ledger(model.architecture)
        dimensions = dimensions_of(ledger)
        values: dict[str, Any] = {}
        for column in columns:
            if column.word == OPTIMIZER:
                values |= self._recipe(column)
            elif column.word not in dimensions:
                self._unread(column, ledger)
            elif dimensions[column.word].name in values:
                self.row.wrong(column, f"another column already gives {dimensions[column.word].name}")
            else:
                values[dimensions[column.word].name] = self._dimension(dimensions[column.word], column)
        return replace(model, given=merge_settings(self.host, model.given, values))

    def _dimension(self, dimension: Dimension, column: Column) -> Any:
        value = self._read(column, dimension.kind)
        if value is not None:
            self._in_range(dimension, value, column)
        return value

    def _recipe(self, column: Column) -> dict[str, str]:
        """Return the setting of an optimizer; none, with the problem kept, where no recipe has the name."""
        setting = {OPTIMIZER: self.row.text(column)}
        try:
            merge_settings(self.host, {}, setting)
        except UsageError as error:
            self.row.wrong(column, error)
            return {}
        return setting

    def _unread(self, column: Column, ledger: Ledger) -> None:
        """Say that nothing reads a column; it may change the count, unless it is a result or somebody's comment."""
        if column.yields_to:
            self.notes.append(f"column {show_value(column.text)} is not read: {show_value(column.yields_to)} says it")
        elif column.word not in self.row.header.inputs and is_result(column, ledger):
            self.notes.append(f"column {show_value(column.text)} is not read: it is a result")
        elif self.row.may_count(column) or is_misspelled(column.name, ledger):
            what = f"{self.row.where(column)} = {self.row.cell(column)} is not understood"
            self.doubts.append(f"{what}: it may change the count{hint_for(column.name, ledger)}")
        else:
            self.notes.append(f"column {show_value(column.text)} is not read")

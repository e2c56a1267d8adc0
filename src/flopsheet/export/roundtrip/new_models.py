"""The models of a portfolio that gives a workbook's: from their configs or sizes, else by their dimensions."""

from __future__ import annotations

import json
import os
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from flopsheet.configs.files import read_bytes, sha256
from flopsheet.configs.portfolio import unchecked
from flopsheet.configs.portfolio_models import HOW_READ, EntryReader
from flopsheet.configs.settings import SHORT
from flopsheet.configs.source import name_of
from flopsheet.export.roundtrip.cells import own_inputs, published_in, read_cell, row_values, tokens_in
from flopsheet.export.roundtrip.changes import missing_settings
from flopsheet.export.roundtrip.compare import keys
from flopsheet.export.roundtrip.document import find_failed
from flopsheet.export.roundtrip.rows import rows_of
from flopsheet.export.workbook.formula_names import own_header
from flopsheet.planning.facts import OWN_TOKENS, PUBLISHED
from flopsheet.planning.registry import all_inputs

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from flopsheet.configs.model import Model
    from flopsheet.export.roundtrip.origin import Origin
    from flopsheet.export.roundtrip.rows import FilledWorkbook, Key, Rows
    from flopsheet.host.host import Host

Entry = dict[str, Any]


class WorkbookModels(Struct, frozen=True):
    """The models of a workbook, as entries of a portfolio in the folder of which the configs' paths are."""

    host: Host
    workbook: FilledWorkbook
    origin: Origin
    folder: Path
    problems: list[str]
    notes: list[str]

    def entries(self) -> dict[int, Entry]:
        """Return an entry per model by its number; every value that its config or size does not give is stated."""
        rows = rows_of(self.workbook, "models", "No")
        self.problems.extend(rows.problems)
        entries: dict[int, Entry] = {}
        for workings in self._workings():
            self.problems.extend(problem for problem in workings.problems if problem not in self.problems)
            for key in workings.rows:
                if key in entries:
                    self.problems.append(f"{workings.address(key, 'no')}: the number {key} is another model's")
                elif isinstance(key, int):
                    entries[key] = self._entry(workings, key, rows)
        missing = [str(key) for key in rows.rows if key not in entries]
        self.problems.extend(f"model {key} of the table models has no row of workings" for key in missing)
        return dict(sorted((entries | self._place_failed(entries)).items()))

    def read(self, entries: Sequence[Entry]) -> list[Model]:
        """Return the models of entries, as the portfolio's reader will."""
        return [self._reader.model(place, entry) for place, entry in enumerate(entries)]

    @property
    def _reader(self) -> EntryReader:
        """What reads entries into models, as the portfolio's reader will."""
        return EntryReader(
            self.host, self.folder, reported=False, workload={}, problems=self.problems, check_inputs=unchecked
        )

    def _workings(self) -> list[Rows]:
        tables = [name for name in keys(self.host) if name in self.host.tables and name in self.workbook.book.tables]
        return [rows_of(self.workbook, name, "no") for name in tables]

    def _entry(self, workings: Rows, key: int, rows: Rows) -> Entry:
        """Return how a model is read, and what its rows have otherwise."""
        ledger = self.host.ledger(workings.name)
        dimensions = [dimension for dimension in ledger.dimensions if dimension.name in workings.columns]
        zeros = {d.name: 0 for d in ledger.dimensions if d not in dimensions and d.kind != "choice"}
        values = {**zeros, **row_values(workings, key, dimensions, self.problems)}
        original = json.loads(dict(self.origin.read_pairs("Model")).get(str(key), "{}"))
        entry, model = self._read(workings, key, original)
        settings, missing = missing_settings(self.host, ledger, model, values, {})
        self.problems.extend(f"{workings.address(key, 'no')} ({model.name}): {problem}" for problem in missing)
        entry |= self._of_listed(rows, key, model, original) if key in rows.rows else {}
        return entry | ({"dimensions": settings} if "architecture" in entry else settings)

    def _read(self, workings: Rows, key: int, original: Mapping[str, Any]) -> tuple[Entry, Model]:
        """Return the entry of a model as far as it says how it is read, and the model that it gives."""
        name, file = str(workings.value(key, "model") or f"Model {key}"), str(workings.value(key, "file") or "")
        settings = {word: original[word] for word in SHORT if word in original}
        how: Entry = {word: original[word] for word in HOW_READ if word in original}
        how |= {"config": self._path(file)} if self._is_at_hand(file) else {}
        if how.keys() & {"size", "config"}:
            entry = {**how, "name": name, **settings}
            model = self._reader.model(key - 1, entry)
            if model.architecture == workings.name and not model.errors:
                if name == (str(how["size"]) if "size" in how else name_of(how["config"])):
                    del entry["name"]  # it has that name anyway
                return entry, model
        if workings.value(key, "status") not in (None, "ok"):
            self.problems.append(
                f"{workings.address(key, 'status')}: {name} is not exact, and its config file {file or '(no name)'} has"
                " moved or changed: its problems would be lost; run import where the report ran"
            )
        entry = {"name": name, "architecture": workings.name, **settings}
        return entry, self._reader.model(key - 1, entry)

    def _of_listed(self, rows: Rows, key: Key, model: Model, original: Mapping[str, Any]) -> Entry:
        """Return what Models has of a model: own tokens, own inputs, and the count that somebody published."""
        tokens = read_cell(rows, key, OWN_TOKENS, tokens_in, self.problems)
        headers = {own_header(input_.name): input_ for input_ in all_inputs(self.host).values()}
        inputs = {header: input_ for header, input_ in headers.items() if header in rows.columns}
        own = own_inputs(rows, key, inputs, self.problems) | original.get("inputs", {})
        count = self._find_published(rows, key, model, original.get("published", {}))
        entry = {"tokens": tokens, "published": count, "inputs": own}
        return {word: value for word, value in entry.items() if value}

    def _find_published(self, rows: Rows, key: Key, model: Model, original: Entry) -> Entry:
        """Return the count that somebody published, with its source; nothing where it is the one of the weights."""
        number = read_cell(rows, key, PUBLISHED, published_in, self.problems)
        weights = model.stored.parameters if model.stored else None
        if number is None or (not original and number == weights):
            return {}
        if original.get("parameters") != number:
            original = {"source": f"typed at {rows.address(key, PUBLISHED)}"}
        return {**original, "parameters": number}

    def _place_failed(self, entries: Collection[int]) -> dict[int, Entry]:
        """Return the models in error, which have no rows, in the places that are free, where their configs exist."""
        free = (number for number in count(1) if number not in entries)
        result: dict[int, Entry] = {}
        for (name, file), number in zip(find_failed(self.workbook).items(), free, strict=False):
            if self._is_at_hand(file):
                result[number] = {"config": self._path(file), "name": name}
            else:
                self.notes.append(f"{name} is in error in the workbook and left out")
        return result

    def _is_at_hand(self, file: str) -> bool:
        """Return whether a config file is as it was when the workbook was made."""
        digest = dict(self.origin.read_pairs("Config")).get(file, "")
        return bool(digest) and Path(file).is_file() and sha256(read_bytes(Path(file))) == digest

    def _path(self, file: str) -> str:
        return Path(os.path.relpath(file, self.folder)).as_posix()

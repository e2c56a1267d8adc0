"""The entries of `[[models]]` in a portfolio, each read into a model."""

from __future__ import annotations

from functools import partial, reduce
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from flopsheet.accounting.optimizers import SAID
from flopsheet.accounting.values import LARGEST
from flopsheet.accounting.workload import WORKLOAD
from flopsheet.configs.model import Model, Published
from flopsheet.configs.portfolio import ENTRY
from flopsheet.configs.portfolio_values import table_of, text_of, texts_of, values_of
from flopsheet.configs.reading import read_dimensions
from flopsheet.configs.settings import SHORT, merge_settings
from flopsheet.configs.source import load_named
from flopsheet.configs.tuning import METHOD, METHODS, Method, name_entry, tune
from flopsheet.errors import FlopsheetError
from flopsheet.units.amounts import amount
from livesheets.suggestions import is_near, unknown_names

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from flopsheet.accounting.line import Dimension
    from flopsheet.configs.portfolio import KnownInputs
    from flopsheet.host.host import Host

UNSAID = ("the report that this model comes from could not cost it",)
ALONE = ("config", "architecture", "dimensions", "read_as", "rename")
"""Keys of an entry that say what its size would say."""
HOW_READ = ("size", "read_as", "rename")
"""Keys of an entry that say how its model is read; no number of the model repeats them."""
OF_A_REPORTED_MODEL = {
    "status",
    "problems",
    "notes",
    "plugin",
    "totals",
    "groups",
    "lines",
    "scenarios",
    "sha256",
    "stored",
}


class EntryReader(Struct, frozen=True):
    """Reads the entries of `[[models]]`, collecting problems."""

    host: Host
    folder: Path
    reported: bool
    workload: Mapping[str, Any]
    problems: list[str]
    check_inputs: KnownInputs

    def model(self, place: int, entry: Any) -> Model:
        """Return the model of an entry; one that is wrong becomes a model in error."""
        where = f"models[{place}]"
        if not isinstance(entry, dict):
            self.problems.append(f"{where}: a table is expected")
            return Model(name=where)
        is_reported = self.reported and "status" in entry
        keys = ENTRY | OF_A_REPORTED_MODEL if is_reported else ENTRY
        own = {key: value for key, value in entry.items() if key not in keys}
        method = self._method(where, entry)
        model = self._base(where, entry, is_reported=is_reported)
        dimensions = self._dimensions(model)
        guesses = (key for key in own if not is_near(key, keys))  # without an architecture, any may be a dimension
        names = {*keys, *SHORT, *(dimensions or (*(d.name for d in WORKLOAD), *guesses))}
        self.problems.extend(f"{where}.{problem}" for problem in unknown_names(own, names))
        settings = values_of(self.host, where, {k: v for k, v in own.items() if k in names}, dimensions, self.problems)
        dimension_table = table_of(entry, "dimensions", where, self.problems)
        settings |= values_of(self.host, f"{where}.dimensions", dimension_table, dimensions, self.problems)
        model = replace(
            model,
            name=name_entry(text_of(entry, "name", where, self.problems) or model.name, entry),
            given=self._merge_settings(model.given, method.below, self.workload, {**method.above, **settings}),
            drivers=self._inputs(where, entry),
            entry={key: entry[key] for key in HOW_READ if key in entry},
            published=_read_published(entry.get("published"), f"{where}.published", self.problems),
            **self._as_reported(where, entry, model) if is_reported else {},
        )
        return tune(self.host, model, method)

    def _merge_settings(self, *settings: Mapping[str, Any]) -> Mapping[str, Any]:
        return reduce(partial(merge_settings, self.host), settings)

    def _method(self, where: str, entry: Mapping[str, Any]) -> Method:
        name = text_of(entry, METHOD, where, self.problems)
        if name and name not in METHODS:
            self.problems.append(f"{where}.{METHOD}: {name!r}; one of {', '.join(METHODS)} is expected")
        return METHODS.get(name, Method())

    def _base(self, where: str, entry: Mapping[str, Any], *, is_reported: bool) -> Model:
        if "size" in entry and not is_reported:
            return self._of_size(where, entry)
        config, architecture = (text_of(entry, key, where, self.problems) for key in ("config", "architecture"))
        if config and not is_reported:
            rename = _renames(entry, where, self.problems)
            read_as = text_of(entry, "read_as", where, self.problems)
            return load_named(self.host, config, self.folder, read_as=read_as, rename=rename)
        if architecture:
            return replace(read_dimensions(self.host, architecture, {}), name=where)
        if not is_reported:
            self.problems.append(f'{where}: needs config = "path", size = "70B", or architecture and dimensions')
        return Model(name=where, errors=UNSAID)

    def _of_size(self, where: str, entry: Mapping[str, Any]) -> Model:
        """Return a model of which only the size is known."""
        from flopsheet.configs.sizes import model_of_size  # noqa: PLC0415 - few portfolios have one

        self.problems.extend(f"{where}: {key} cannot be combined with size" for key in ALONE if key in entry)
        try:
            return model_of_size(self.host, entry["size"], entry)
        except ValueError as error:
            self.problems.append(f"{where}.size: {error}")
            return Model(name=where, errors=UNSAID)

    def _inputs(self, where: str, entry: Mapping[str, Any]) -> dict[str, Any]:
        """Return the inputs of the plan that are a model's own: its tokens, and those under its `inputs`."""
        table = dict(table_of(entry, "inputs", where, self.problems))
        tokens = _tokens({"tokens": table.pop("tokens"), **entry} if "tokens" in table else entry, where, self.problems)
        ranges = [name for name, value in table.items() if isinstance(value, dict)]
        self.problems.extend(f"{where}.inputs.{name}: a model takes one value, not a range" for name in ranges)
        single = {name: value for name, value in table.items() if name not in ranges}
        wrong = self.check_inputs(f"{where}.inputs.", single)
        self.problems.extend(wrong)
        return {**tokens, **({} if wrong else single)}

    def _as_reported(self, where: str, entry: Mapping[str, Any], model: Model) -> dict[str, Any]:
        """Return what a report says of a model alongside its dimensions, so that it reads again as it was."""
        problems, notes = (texts_of(entry, key, where, self.problems) for key in ("problems", "notes"))
        is_error = entry["status"] == "error"
        return {
            "source": text_of(entry, "config", where, self.problems),
            "said_sha256": text_of(entry, "sha256", where, self.problems),
            "stored": _read_published(entry.get("stored"), f"{where}.stored", self.problems),
            "errors": problems or model.errors or UNSAID if is_error else model.errors,
            "problems": () if is_error else problems,
            "notes": tuple(note for note in notes if not note.startswith(SAID)),
        }

    def _dimensions(self, model: Model) -> dict[str, Dimension]:
        try:
            return {d.name: d for d in self.host.ledger(model.architecture).dimensions} if model.architecture else {}
        except FlopsheetError:
            return {}


def _renames(entry: Mapping[str, Any], where: str, problems: list[str]) -> dict[str, str]:
    renames = table_of(entry, "rename", where, problems)
    wrong = [key for key, value in renames.items() if not isinstance(value, str)]
    problems.extend(f"{where}.rename.{key}: {renames[key]!r} is not the name of a field" for key in wrong)
    return {key: value for key, value in renames.items() if key not in wrong}


def _tokens(entry: Mapping[str, Any], where: str, problems: list[str]) -> dict[str, int]:
    """Return a model's own number of training tokens, where it has one."""
    if "tokens" not in entry:
        return {}
    value = amount(entry["tokens"], "tokens")
    if isinstance(value, bool) or not isinstance(value, int | float) or not 1 <= value <= LARGEST or value % 1:
        problems.append(f"{where}.tokens: {value!r}; a whole number from 1 to 9e15 is expected, such as 15e12 or '15T'")
        return {}
    return {"tokens": int(value)}


def _read_published(value: Any, where: str, problems: list[str]) -> Published | None:
    if value is None:
        return None
    if not isinstance(value, dict) or not isinstance(value.get("parameters"), int):
        problems.append(f'{where}: {{ parameters = 8_030_261_248, source = "…", date = "…" }} is expected')
        return None
    return Published(value["parameters"], str(value.get("source", "")), str(value.get("date", "")))

"""TOML portfolios: a batch of models with their workload and the inputs of their plan, all problems in one list."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flopsheet.accounting.optimizers import SAID
from flopsheet.accounting.values import LARGEST, check
from flopsheet.accounting.workload import WORKLOAD
from flopsheet.configs.files import parse_toml, read_bytes, sha256
from flopsheet.configs.model import Model, Published
from flopsheet.configs.readers import document_of, reader_of
from flopsheet.configs.reading import read_dimensions
from flopsheet.configs.require import unmet
from flopsheet.configs.scenarios import CASES, Scenario, read_scenarios
from flopsheet.configs.settings import OPTIMIZER, SHORT, merge_settings
from flopsheet.configs.source import load_model
from flopsheet.errors import FlopsheetError, PortfolioError, UsageError
from flopsheet.host.loading import installed
from flopsheet.host.local import WRITTEN
from flopsheet.suggestions import is_near, likely, names_like
from flopsheet.units.numbers import number_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from flopsheet.accounting.line import Dimension
    from flopsheet.host.host import Host

TABLES = {
    "workload": dict,
    "inputs": dict,
    "cluster": dict,
    "layout": dict,
    "serving": dict,
    "drivers": dict,
    "models": list,
    "name": str,
    "questions": list,
    "require": list,
    "without": list,
    "plugins": list,
    "scenario": str,
    "sweep": dict,
    "scenarios": dict,
}
SECTIONS = ("inputs", "cluster", "layout", "serving", "drivers")
"""Headings under which the inputs of a plan may be written; they mean the same."""
UNSAID = ("the report that this model comes from could not cost it",)
KINDS = {dict: "table", list: "list", str: "text"}
OF_A_REPORT = {"schema", "flopsheet", "plugins", "files", "templates", "answers", "checks", "tables", "fingerprints"}
ENTRY = {"name", "config", "size", "architecture", "dimensions", "tokens", "inputs", "published", "read_as", "rename"}
ALONE = ("config", "architecture", "dimensions", "read_as", "rename")
"""Keys of an entry that say what its size would say."""
ACCELERATOR = "accelerator"
PRICE_KIND = "price_kind"
START, END, REPORT_DATE = "start", "end", "report_date"
DATED = (START, END, REPORT_DATE)
"""The inputs that are dates: the window of training, and the day against which the age of prices is measured."""
CATALOGED = (ACCELERATOR, PRICE_KIND)
"""The inputs that are names: of a row of the catalog, and of the kind of price that is taken from it."""
RANGE = ("low", "base", "high", "source", "date")
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


@dataclass(frozen=True)
class Portfolio:
    """What a portfolio file says: its models, its workload, the inputs of its plan, and the questions it asks.

    `sections` is the heading under which each input was written. `sweep` is what `flopsheet sweep` runs over.
    """

    name: str
    path: str
    sha256: str
    models: tuple[Model, ...] = ()
    workload: Mapping[str, Any] = field(default_factory=dict)
    inputs: Mapping[str, Any] = field(default_factory=dict)
    scenario: str = ""
    questions: tuple[str, ...] = ()
    sections: Mapping[str, str] = field(default_factory=dict)
    sweep: Mapping[str, Any] = field(default_factory=dict)
    scenarios: tuple[Scenario, ...] = ()


@dataclass(frozen=True)
class KnownInputs:
    """What planning says of inputs: their names, and what is wrong with values under a heading.

    Called with a heading and its values it returns the problems. `together` says what is wrong with the questions and
    inputs of a plan as a whole.
    """

    names: Collection[str]
    wrong: Callable[[str, Mapping[str, Any]], list[str]]
    together: Callable[[Sequence[str], Mapping[str, Any]], list[str]] = lambda _, __: []

    def __call__(self, where: str, table: Mapping[str, Any]) -> list[str]:
        """Return what is wrong with values, each with its place and what to write."""
        return self.wrong(where, table)


unchecked = KnownInputs((), lambda _, __: [])
"""Checks no input of a plan: for who costs models and plans nothing."""


def long_name(heading: str, name: str, known: Collection[str]) -> str:
    """Return the input that a name under a heading means: `[serving] tensor_parallel` is `serving_tensor_parallel`."""
    long = f"{heading}_{name}"
    return long if long in known else name


def read_portfolio(host: Host, path: Path, check_inputs: KnownInputs = unchecked) -> Portfolio:
    """Return a portfolio; PortfolioError lists everything wrong with it, each with its place in the file."""
    data = read_bytes(path)
    language = reader_of(host, path)
    document = document_of(language, data, path) if language else parse_toml(data, path)
    problems = _unknown_tables(document)
    document = {key: value for key, value in document.items() if isinstance(value, TABLES.get(key, object))}
    problems += [f"require: {text}" for text in unmet(document.get("require", []))]
    problems += _left_out(host, document, problems)
    problems += _missing_files(document, path)
    settings, inputs, sections = _inputs(document, check_inputs, problems)
    scenarios = read_scenarios(document, {*_WORKLOAD, *SHORT}, check_inputs, problems)
    problems += _unknown_scenario(document, [one.name for one in scenarios])
    questions = _texts(document, "questions", "questions", problems)
    problems += check_inputs.together(questions, inputs)
    workload = _values(host, "workload", settings, _WORKLOAD, problems)
    reader = _Reader(host, path.parent, "schema" in document, workload, problems, check_inputs)
    models = [reader.model(place, entry) for place, entry in enumerate(document.get("models", []))]
    if problems:
        raise PortfolioError(f"{path}: {_counted(problems)}\n" + "\n".join(f"  {problem}" for problem in problems))
    return Portfolio(
        document.get("name", path.stem),
        str(path),
        sha256(data),
        tuple(models),
        workload,
        inputs,
        document.get("scenario", ""),
        questions,
        sections,
        document.get("sweep", {}),
        scenarios,
    )


_WORKLOAD = {dimension.name: dimension for dimension in WORKLOAD}


def _inputs(
    document: Mapping[str, Any], check_inputs: KnownInputs, problems: list[str]
) -> tuple[dict[str, Any], dict[str, Any], dict[str, str]]:
    """Return what a portfolio says of the workload, the inputs of its plan, and the heading of each input."""
    workload = dict(document.get("workload", {}))
    inputs: dict[str, Any] = {}
    sections: dict[str, str] = {}
    for section in SECTIONS:
        table = document.get(section, {})
        workload |= {name: value for name, value in table.items() if name in _WORKLOAD or name in SHORT}
        stated = {name: value for name, value in table.items() if name not in workload}
        own = {long_name(section, name, check_inputs.names): value for name, value in stated.items()}
        problems += _twice(section, stated, sections, check_inputs.names)
        problems += check_inputs(section, own)
        inputs |= own
        sections |= dict.fromkeys(own, section)
    return workload, inputs, sections


def _twice(section: str, stated: Collection[str], sections: Mapping[str, str], known: Collection[str]) -> Iterator[str]:
    """Yield what is said of inputs that a heading states once more; nothing for who does not know the inputs."""
    for name in stated if known else ():
        own = long_name(section, name, known)
        if own in sections:
            yield f"{section}.{name}: already given under [{sections[own]}]"
        elif own != name and own in stated:
            yield f"{section}.{name}: also given as {own}"


@dataclass(frozen=True)
class _Reader:
    """Reads the entries of `[[models]]`, collecting problems."""

    host: Host
    folder: Path
    reported: bool
    workload: Mapping[str, Any]
    problems: list[str]
    check_inputs: KnownInputs

    def model(self, place: int, entry: Any) -> Model:
        where = f"models[{place}]"
        if not isinstance(entry, dict):
            self.problems.append(f"{where}: a table is expected")
            return Model(name=where)
        reported = self.reported and "status" in entry
        known = ENTRY | OF_A_REPORTED_MODEL if reported else ENTRY
        own = {key: value for key, value in entry.items() if key not in known}
        model = self._base(where, entry, reported=reported)
        dimensions = self._dimensions(model)
        guessed = (key for key in own if not is_near(key, known))  # without an architecture, any may be a dimension
        names = {*known, *SHORT, *(dimensions or (*(d.name for d in WORKLOAD), *guessed))}
        self.problems.extend(f"{where}.{key}: unknown{names_like(key, names)}" for key in own if key not in names)
        given = _values(self.host, where, {k: v for k, v in own.items() if k in names}, dimensions, self.problems)
        described = _table(entry, "dimensions", where, self.problems)
        given |= _values(self.host, f"{where}.dimensions", described, dimensions, self.problems)
        return replace(
            model,
            name=_text(entry, "name", where, self.problems) or model.name,
            given=merge_settings(self.host, merge_settings(self.host, model.given, self.workload), given),
            drivers=self._inputs(where, entry),
            published=_published(entry.get("published"), f"{where}.published", self.problems),
            **self._as_reported(where, entry, model) if reported else {},
        )

    def _base(self, where: str, entry: Mapping[str, Any], *, reported: bool) -> Model:
        if "size" in entry and not reported:
            return self._of_size(where, entry)
        config, architecture = (_text(entry, key, where, self.problems) for key in ("config", "architecture"))
        if config and not reported:
            rename = _renames(entry, where, self.problems)
            read_as = _text(entry, "read_as", where, self.problems)
            return load_model(self.host, Path(os.path.normpath(self.folder / config)), read_as=read_as, rename=rename)
        if architecture:
            return replace(read_dimensions(self.host, architecture, {}), name=where)
        if not reported:
            self.problems.append(f'{where}: needs config = "path", size = "70B", or architecture and dimensions')
        return Model(name=where, errors=UNSAID)

    def _of_size(self, where: str, entry: Mapping[str, Any]) -> Model:
        """Return a model of which only the size is known."""
        from flopsheet.configs.sizes import model_of_size  # noqa: PLC0415 - few portfolios have one

        self.problems.extend(f"{where}: {key} does not go with size" for key in ALONE if key in entry)
        try:
            return model_of_size(self.host, entry["size"], entry)
        except ValueError as error:
            self.problems.append(f"{where}.size: {error}")
            return Model(name=where, errors=UNSAID)

    def _inputs(self, where: str, entry: Mapping[str, Any]) -> dict[str, Any]:
        """Return the inputs of the plan that are a model's own: its tokens, and those under its `inputs`."""
        table = dict(_table(entry, "inputs", where, self.problems))
        tokens = _tokens({"tokens": table.pop("tokens"), **entry} if "tokens" in table else entry, where, self.problems)
        ranges = [name for name, value in table.items() if isinstance(value, dict)]
        self.problems.extend(f"{where}.inputs.{name}: a model takes one value, not a range" for name in ranges)
        single = {name: value for name, value in table.items() if name not in ranges}
        wrong = self.check_inputs(f"{where}.inputs", single)
        self.problems.extend(wrong)
        return {**tokens, **({} if wrong else single)}

    def _as_reported(self, where: str, entry: Mapping[str, Any], model: Model) -> dict[str, Any]:
        """Return what a report says of a model alongside its dimensions, so that it reads again as it was."""
        said, notes = (_texts(entry, key, where, self.problems) for key in ("problems", "notes"))
        failed = entry["status"] == "error"
        return {
            "source": _text(entry, "config", where, self.problems),
            "said_sha256": _text(entry, "sha256", where, self.problems),
            "stored": _published(entry.get("stored"), f"{where}.stored", self.problems),
            "errors": said or model.errors or UNSAID if failed else model.errors,
            "problems": () if failed else said,
            "notes": tuple(note for note in notes if not note.startswith(SAID)),
        }

    def _dimensions(self, model: Model) -> dict[str, Dimension]:
        try:
            ledger = self.host.ledger(model.architecture) if model.architecture else None
        except FlopsheetError:
            return {}
        return {dimension.name: dimension for dimension in ledger.dimensions} if ledger else {}


def _values(
    host: Host, where: str, table: Any, dimensions: Mapping[str, Dimension], problems: list[str]
) -> dict[str, Any]:
    if not isinstance(table, dict):
        problems.append(f"{where}: a table is expected")
        return {}
    given = _known_recipe(host, where, table, problems)
    for name, value in given.items():
        if name not in dimensions:
            if dimensions and name not in SHORT:
                problems.append(f"{where}.{name}: unknown{dimensions_like(name, dimensions)}")
            continue
        try:
            check(dimensions[name], value)
        except ValueError as error:
            problems.append(f"{where}.{name}: {error}")
    return given


def dimensions_like(name: str, dimensions: Mapping[str, Dimension]) -> str:
    """Return a `; did you mean …?` for a name that is no dimension: by names, config keys and titles."""
    spelled = {key: d.name for d in dimensions.values() for key in (*d.keys, d.title, d.name)}
    found = dict.fromkeys(spelled[near] for near in likely(name, spelled))
    return f"; did you mean {' or '.join(map(repr, found))}?" if found else ""


def _known_recipe(host: Host, where: str, given: Mapping[str, Any], problems: list[str]) -> dict[str, Any]:
    """Return the settings without an optimizer that no recipe has the name of."""
    try:
        merge_settings(host, {}, given)
    except UsageError as error:
        problems.append(f"{where}.{OPTIMIZER}: {error}")
        return {name: value for name, value in given.items() if name != OPTIMIZER}
    return dict(given)


def _unknown_tables(document: Mapping[str, Any]) -> list[str]:
    known = {*TABLES, *OF_A_REPORT} if "schema" in document else {*TABLES}
    problems = [f"{key}: unknown{names_like(key, known)}" for key in document if key not in known]
    problems += [
        f"{key}: a {KINDS[kind]} is expected"
        for key, kind in TABLES.items()
        if key in document and not isinstance(document[key], kind) and not _old_files(document, key)
    ]
    if "schema" in document and document["schema"] != 1:
        problems.append(f"schema: {document['schema']!r} is newer than this flopsheet reads; 1 is expected")
    return problems


def _left_out(host: Host, document: Mapping[str, Any], problems: list[str]) -> list[str]:
    """Say which plugins are left out under a name that is almost one; one that is not installed is left out anyway."""
    known = installed()
    said = _texts(document, "without", "without", problems)
    found = {name: names_like(name, known) for name in said if name not in known}
    late = [name for name in said if name in known and name not in host.without]
    return [
        *(f"without: {name!r}: no plugin has this name{hint}" for name, hint in found.items() if hint),
        *(f"without: {name!r}: only TOML portfolios leave plugins out; use --without {name}" for name in late),
    ]


def _missing_files(document: Mapping[str, Any], path: Path) -> list[str]:
    """Say which files of plugins a portfolio names that are not there, or that hold code: data runs none."""
    named = [] if "schema" in document else document.get("plugins", [])
    if named and path.suffix != WRITTEN:
        return [f"plugins: only TOML portfolios name plugins; use --plugin {named[0]}"]
    codes = [text for text in named if not isinstance(text, str) or not text.endswith(WRITTEN)]
    missing = [text for text in named if text not in codes and not (path.parent / text).is_file()]
    return [
        *(
            f"plugins: {text!r} is no {WRITTEN} file; what holds code is installed, or given by --plugin"
            for text in codes
        ),
        *(f"plugins: {text} does not exist" for text in missing),
    ]


def _unknown_scenario(document: Mapping[str, Any], named: Sequence[str]) -> list[str]:
    """Say that the scenario to show is none of the cases, and none that the portfolio names."""
    known = (*CASES, *named)
    given = document.get("scenario", "base")
    return [] if given in known else [f"scenario: {given!r}; one of {', '.join(known)} is expected"]


def _old_files(document: Mapping[str, Any], key: str) -> bool:
    """Tell the list of files that reports called `inputs` before inputs of a plan had that name."""
    return key == "inputs" and "schema" in document and isinstance(document[key], list)


def _text(entry: Mapping[str, Any], key: str, where: str, problems: list[str]) -> str:
    value = entry.get(key, "")
    if isinstance(value, str):
        return value
    problems.append(f"{where}.{key}: {value!r} is not a text")
    return ""


def _texts(entry: Mapping[str, Any], key: str, where: str, problems: list[str]) -> tuple[str, ...]:
    value = entry.get(key, [])
    if isinstance(value, list) and all(isinstance(text, str) for text in value):
        return tuple(value)
    problems.append(f"{where}.{key}: a list of texts is expected")
    return ()


def _table(entry: Mapping[str, Any], key: str, where: str, problems: list[str]) -> dict[str, Any]:
    value = entry.get(key, {})
    if isinstance(value, dict):
        return value
    problems.append(f"{where}.{key}: a table {{…}} is expected")
    return {}


def _renames(entry: Mapping[str, Any], where: str, problems: list[str]) -> dict[str, str]:
    renames = _table(entry, "rename", where, problems)
    wrong = [key for key, value in renames.items() if not isinstance(value, str)]
    problems.extend(f"{where}.rename.{key}: {renames[key]!r} is not the name of a field" for key in wrong)
    return {key: value for key, value in renames.items() if key not in wrong}


def _tokens(entry: Mapping[str, Any], where: str, problems: list[str]) -> dict[str, int]:
    """Return a model's own number of training tokens, where it has one."""
    if "tokens" not in entry:
        return {}
    value = entry["tokens"]
    if isinstance(value, bool) or not isinstance(value, int | float) or not 1 <= value <= LARGEST or value % 1:
        problems.append(f"{where}.tokens: {value!r}; a whole number from 1 to 9e15 is expected, such as 15e12")
        return {}
    return {"tokens": int(value)}


def _published(value: Any, where: str, problems: list[str]) -> Published | None:
    if value is None:
        return None
    if not isinstance(value, dict) or not isinstance(value.get("parameters"), int):
        problems.append(f'{where}: {{ parameters = 8_030_261_248, source = "…", date = "…" }} is expected')
        return None
    return Published(value["parameters"], str(value.get("source", "")), str(value.get("date", "")))


def _counted(problems: Iterable[str]) -> str:
    count = len(list(problems))
    return number_of(count, "problem")

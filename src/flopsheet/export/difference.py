"""What moved between two reports, and why: numbers by their paths, models, statuses, versions, formulas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from msgspec.structs import replace

from flopsheet.accounting.totals import subtotal_name
from flopsheet.configs.files import parse_json, parse_toml, read_bytes
from flopsheet.configs.model import told_apart
from flopsheet.errors import ConfigError, UsageError
from flopsheet.export.files import FORMATS, WORKBOOKS
from flopsheet.export.plan_tables import show_number as readable_number
from flopsheet.planning.fingerprints import own_of
from flopsheet.planning.question import CASES_TABLE, MODELS_TABLE
from flopsheet.units.numbers import digits

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Value = int | float | str
NUMBERS = ("tokens", "published", "dimensions", "totals", "groups", "scenarios")
"""Where a reported model holds numbers; choices among the dimensions are compared as texts."""
PLAN = ("inputs", "scenarios")
"""Where a report holds the plan's numbers; its workload is in each model's dimensions."""
SCENARIO_KEYS = ("about", "inputs")
"""What makes a named scenario: workbooks show its results."""
WORKBOOK_TOLERANCE = 1e-12
"""Relative difference up to which numbers of workbooks are equal: spreadsheet programs store 15 digits."""
MOST = 2**31
"""Bytes of a report, and its fields: there are as many as its models have."""
SMALL = 1e-3
"""Percents below are shown with an exponent."""
WORDS = frozenset({"source", "date"})
"""Texts that explain a number and are none."""


class Move(Struct, frozen=True):
    """A number that moved, came (`old` is None) or went (`new` is None), and why, where both reports tell."""

    path: str
    old: Value | None
    new: Value | None
    cause: str = ""

    @property
    def change(self) -> str:
        """Return the difference in percent, or a word where there is no such number."""
        if self.old is None or self.new is None:
            return "new" if self.old is None else "gone"
        if isinstance(self.old, str) or isinstance(self.new, str):
            return "changed"
        return _percent(self.new / self.old - 1) if self.old else "from 0"


class Difference(Struct):
    """All that differs: `moves` by model, the plan's own under the empty name; `remarks` are about no number.

    `formulas` are the lines whose own formula differs, each with its architecture or table. `figures` are those of the
    questions in the Base case, as people read them: their moves are among the others too. `tables` are those of
    questions with another row, and the verdicts of checks.
    """

    moves: dict[str, list[Move]] = field(default_factory=dict)
    added: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    statuses: dict[str, tuple[str, str]] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    formulas: list[str] = field(default_factory=list)
    tables: list[str] = field(default_factory=list)
    figures: list[Move] = field(default_factory=list)

    @property
    def moved(self) -> bool:
        """Whether a number moved, came or went, or what it means did: a model's status."""
        return bool(self.moves or self.added or self.removed or self.statuses or self.tables)


def read_report(path: Path) -> dict[str, Any]:
    """Return a TOML or JSON report, or the one that a workbook shows; UsageError says what the file is instead."""
    suffix = path.suffix.lower()
    if suffix in WORKBOOKS:
        from flopsheet.export.roundtrip.document import workbook_document  # noqa: PLC0415 - it reads spreadsheets

        return workbook_document(path)
    if suffix in FORMATS and suffix not in (".toml", ".json"):
        raise UsageError(f"{path}: a report as .toml or .json, or a workbook, is expected")
    try:
        data = read_bytes(path, MOST)
        document = parse_json(data, path, MOST) if suffix == ".json" else parse_toml(data, path)
    except ConfigError as error:
        raise UsageError(str(error)) from None
    if "schema" not in document or not _has_its_shape(document):
        raise UsageError(f"{path}: not a flopsheet report; `flopsheet report PORTFOLIO -o REPORT.toml` makes one")
    if document["schema"] != 1:
        raise UsageError(f"{path}: schema {document['schema']!r} is newer than this flopsheet reads; 1 is expected")
    return document


def _has_its_shape(document: Mapping[str, Any]) -> bool:
    lists = [document.get(key, []) for key in ("models", "plugins")]
    are_lists = all(isinstance(entries, list) and all(isinstance(e, dict) for e in entries) for entries in lists)
    return are_lists and all(isinstance(document.get(key, {}), dict) for key in ("flopsheet", "inputs"))


def compare(old: Mapping[str, Any], new: Mapping[str, Any], tolerance: float = 0) -> Difference:
    """Return what differs between two reports; numbers closer than `tolerance`, relative, count as equal."""
    remarks: list[str] = []
    if "workbook" in old or "workbook" in new:
        old, new, remarks = _on_common_ground(old, new)
        tolerance = max(tolerance, WORKBOOK_TOLERANCE)
    before, after = _models(old), _models(new)
    result = Difference(
        added=[name for name in after if name not in before],
        removed=[name for name in before if name not in after],
        remarks=[*remarks, *_versions(old, new), *_files(before, after)],
        tables=[*_changed_tables(old, new, tolerance)],
        figures=[*_figures(old, new, tolerance)],
    )
    pairs = [("", old, new, PLAN), *((name, before[name], after[name], NUMBERS) for name in before if name in after)]
    for name, old_side, new_side, tables in pairs:
        if moves := _moves(old_side, new_side, tables, tolerance):
            result.moves[name] = moves
        if name and old_side.get("status") != new_side.get("status"):
            result.statuses[name] = (str(old_side.get("status")), str(new_side.get("status")))
    if answers := _own_moves_of_answers(old, new, tolerance, result.moves):
        result.moves[""] = [*result.moves.get("", []), *answers]
    causes = Causes(old, new)
    result.formulas = causes.formulas
    given = {name for name, moves in result.moves.items() if any(causes.is_input(move.path) for move in moves)}
    for name, moves in result.moves.items():
        architecture = str(after.get(name, {}).get("architecture", ""))
        is_given = bool(given & {"", name} if name else given or result.added or result.removed)
        causes_of = ((move, causes.of(move.path, architecture, input_moved=is_given)) for move in moves)
        result.moves[name] = [replace(move, cause=cause) for move, cause in causes_of]
    return result


def show_value(value: Value | None) -> str:
    """Return a value as the list of moves shows it."""
    return "nothing" if value is None else value if isinstance(value, str) else digits(value)


def _models(report: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return the models by name; a name that appears twice gets a number."""
    models = report.get("models", [])
    return dict(zip(told_apart(str(entry.get("name", "unnamed")) for entry in models), models, strict=True))


def _on_common_ground(
    old: Mapping[str, Any], new: Mapping[str, Any]
) -> tuple[Mapping[str, Any], Mapping[str, Any], list[str]]:
    """Return two reports without what a workbook cannot show: other scenarios of models, counts, unused plugins."""
    plugins = [{plugin["name"] for plugin in report.get("plugins", [])} for report in (old, new)]
    cases = [{case for model in report["models"] for case in model.get("scenarios", {})} for report in (old, new)]
    common = plugins[0] & plugins[1], cases[0] & cases[1]
    is_other = all(cases) and not common[1]
    remarks = ["the workbooks show different scenarios: models' results differ"] if is_other else []
    typed = [place for report in (old, new) for place in report.get("typed_over", [])]
    remarks += [f"{place}: typed over a formula; what reads it is compared as it was saved" for place in typed]
    return _reduce_report(old, *common), _reduce_report(new, *common), remarks


def _reduce_report(report: Mapping[str, Any], plugins: set[str], cases: set[str]) -> dict[str, Any]:
    models = [
        {
            **{key: value for key, value in model.items() if key != "published"},
            "scenarios": {case: table for case, table in model.get("scenarios", {}).items() if case in cases},
        }
        for model in report["models"]
    ]
    own_plugins = [plugin for plugin in report.get("plugins", []) if plugin["name"] in plugins]
    scenarios = {
        case: {name: value for name, value in table.items() if name not in SCENARIO_KEYS}
        for case, table in report.get("scenarios", {}).items()
    }
    return {**report, "models": models, "plugins": own_plugins, "scenarios": scenarios}


def _moves(old: Mapping[str, Any], new: Mapping[str, Any], tables: tuple[str, ...], tolerance: float) -> list[Move]:
    before, after = (dict(_leaves({key: side[key] for key in tables if key in side})) for side in (old, new))
    return [
        Move(path, before.get(path), after.get(path))
        for path in dict.fromkeys((*before, *after))
        if _differs(before.get(path), after.get(path), tolerance)
    ]


def _own_moves_of_answers(
    old: Mapping[str, Any], new: Mapping[str, Any], tolerance: float, others: Mapping[str, list[Move]]
) -> list[Move]:
    """Return the moves of figures that are not the move of a line that they show; workbooks have no answers."""
    told = {(move.old, move.new) for moves in others.values() for move in moves}
    moves = _moves(old, new, ("answers",), tolerance) if "answers" in old and "answers" in new else []
    return [move for move in moves if (move.old, move.new) not in told]


def _changed_tables(old: Mapping[str, Any], new: Mapping[str, Any], tolerance: float) -> Iterator[str]:
    """Give the tables in which both reports have as many rows, and others: what a search lists depends on more."""
    before, after = _tables(old), _tables(new)
    for name in (name for name in before if len(before[name]) == len(after.get(name, ()))):
        if _moves(before, after, (name,), tolerance):
            yield name


def _tables(report: Mapping[str, Any]) -> dict[str, Any]:
    """Return the rows of each table by their place, and the verdicts of checks by their names."""
    verdicts = {check["name"]: check["state"] for check in report.get("checks", [])}
    tables = {name: dict(enumerate(rows)) for name, rows in report.get("tables", {}).items()}
    return {**tables, **({"checks": verdicts} if "checks" in report else {})}


def _figures(old: Mapping[str, Any], new: Mapping[str, Any], tolerance: float) -> Iterator[Move]:
    """Give the figures of questions that both reports answer and that differ in the Base case."""
    before, after = _answers(old), _answers(new)
    for path, figure in after.items():
        was, now, unit = before.get(path, {}).get("base"), figure.get("base"), str(figure.get("unit", ""))
        if None not in (was, now) and _differs(was, now, tolerance):
            change = Move(path, was, now).change
            yield Move(path, readable_number(was, unit), readable_number(now, unit), change)


def _answers(report: Mapping[str, Any]) -> dict[str, Any]:
    questions = report.get("answers", {}).items()
    return {f"{question}.{name}": figure for question, figures in questions for name, figure in figures.items()}


def _leaves(table: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Value]]:
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, f"{path}{key}.")
        elif isinstance(value, int | float | str) and key not in WORDS:
            yield f"{path}{key}", value


def _differs(old: Value | None, new: Value | None, tolerance: float) -> bool:
    if old is None or new is None or isinstance(old, str) or isinstance(new, str):
        return old != new
    return old != new and not abs(new - old) <= tolerance * max(abs(old), abs(new))


def _percent(change: float) -> str:
    percent = change * 100
    text = f"{percent:+,.4f}".rstrip("0").rstrip(".")
    return f"{percent:+.2g}%" if abs(percent) < SMALL else f"{text}%"


def _versions(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Say which versions of flopsheet and its plugins differ."""
    before, after = (_version_table(report) for report in (old, new))
    return [
        f"{name}: {before.get(name, 'not there')} → {after.get(name, 'not there')}"
        for name in dict.fromkeys((*before, *after))
        if before.get(name) != after.get(name)
    ]


def _version_table(report: Mapping[str, Any]) -> dict[str, str]:
    own = {"flopsheet": str(report.get("flopsheet", {}).get("version", "unknown"))}
    plugins = {f"plugin {p.get('name')}": f"{p.get('package')} {p.get('version')}" for p in report.get("plugins", [])}
    return own | plugins


def _files(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Say which models were read from a file whose content changed."""
    return [
        f"config of {name}: the file's content changed"
        for name in before
        if name in after and before[name].get("sha256", "") != after[name].get("sha256", "")
    ]


FINGERPRINTS, ARCHITECTURES, TABLES, FACTS = "fingerprints", "architectures", "tables", "facts"
FORMULA, INPUT, BOTH = "formula", "input", "formula and input"
"""Why a number moved."""
INPUTS = ("inputs", "dimensions", "tokens", "published")
"""How the paths of what is given begin."""


class Causes:
    """What the fingerprints of two reports say of the lines of both."""

    def __init__(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
        """Keep the fingerprints; a report without any gives no cause."""
        self._old, self._new = (report.get(FINGERPRINTS, {}) for report in (old, new))

    @property
    def formulas(self) -> list[str]:
        """The lines whose own formula moved, came or went, in tables and architectures that both reports have."""
        return [
            f"{table}.{line}"
            for kind in (ARCHITECTURES, TABLES)
            for table, lines in self._old.get(kind, {}).items()
            if (other := self._new.get(kind, {}).get(table)) is not None
            for line in dict.fromkeys((*lines, *other))
            if own_of(lines.get(line, "")) != own_of(other.get(line, ""))
        ]

    def is_input(self, path: str) -> bool:
        """Tell whether the number at a path is given, and not calculated."""
        parts = path.split(".")
        return parts[0] in INPUTS or (parts[0] == "scenarios" and "inputs" in parts)

    def of(self, path: str, architecture: str, *, input_moved: bool) -> str:
        """Return why a number moved; `input_moved` says that something which is given to its model or plan did.

        Nothing for what is given itself, where a report has no fingerprints, and where neither a formula nor anything
        given explains the move.
        """
        lines = list(self._lines(path, architecture))
        if self.is_input(path) or not lines or not self._old or not self._new:
            return ""
        formula_moved = any(_at(self._old, *line) != _at(self._new, *line) for line in lines)
        return (BOTH if input_moved else FORMULA) if formula_moved else INPUT if input_moved else ""

    def _lines(self, path: str, architecture: str) -> Iterator[tuple[str, str, str]]:
        """Give the kind, table and name of the lines behind a number: its own, and the totals that it reads."""
        parts = path.split(".")
        if parts[0] == "totals":
            yield ARCHITECTURES, architecture, parts[1]
        elif parts[0] == "groups":
            yield ARCHITECTURES, architecture, subtotal_name(parts[1], parts[2])  # type: ignore[arg-type]
        elif parts[0] == "scenarios":
            table = MODELS_TABLE if architecture else CASES_TABLE
            yield TABLES, table, parts[-1]
            facts = self._new.get(FACTS, {}).get(table, {}).get(parts[-1], [])
            owners = [architecture] if architecture else self._new.get(ARCHITECTURES, {})
            yield from ((ARCHITECTURES, owner, fact) for owner in owners for fact in facts)


def _at(fingerprints: Mapping[str, Any], kind: str, table: str, line: str) -> str:
    result: str = fingerprints.get(kind, {}).get(table, {}).get(line, "")
    return result

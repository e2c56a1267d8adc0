"""How each format of a report is made of parts: the texts of some models, and the file of all texts."""

from __future__ import annotations

import csv
import io
import json
from functools import partial
from secrets import token_hex
from typing import TYPE_CHECKING, Any, NamedTuple

import tomli_w

from flopsheet.accounting.values import show_value
from flopsheet.errors import FlopsheetError, PluginError
from flopsheet.export.batch.parts import Texts
from flopsheet.export.exporters import exporter_of, run_step
from flopsheet.export.files import shown_path
from flopsheet.export.markdown import markdown_notes, markdown_page, markdown_problems, markdown_rows
from flopsheet.export.notebook import PlanResult
from flopsheet.export.table import csv_header, csv_rows, csv_text, totals_of
from flopsheet.export.toml import (
    Gathered,
    file_of,
    file_table,
    plan_table,
    planned_model,
    planned_table,
    storable,
    toml_text,
)
from flopsheet.planning.faults import Fault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from flopsheet.export.batch.parts import Shelf
    from flopsheet.export.batch.summary import Summary
    from flopsheet.export.exporters import Exporter
    from flopsheet.host.host import Host
    from flopsheet.planning.plan import Plan

FILES = "files"
"""The text that says the file and the hash of each model, for formats that list them."""
FAILED = "{} failed"
"""The text that says why a plugin gave no part of a format."""
LONG = 60
"""Characters with which a table of TOML is no longer written in one line."""


class Whole(NamedTuple):
    """All parts of a report: the plan without its models, what was gathered of these, and their texts."""

    plan: Plan
    summary: Summary
    shelf: Shelf

    def files(self) -> Iterator[dict[str, str]]:
        """Give every file that was read, once, in the order of the models."""
        paths = set()
        own = [[shown_path(portfolio.path), portfolio.sha256] for portfolio in self.plan.portfolios]
        for some in (own, *map(json.loads, self.shelf.texts(FILES))):
            for path, sha256 in some:
                if path not in paths:
                    paths.add(path)
                    yield file_table(path, sha256)

    def head(self, files: list[dict[str, str]]) -> dict[str, Any]:
        """Return what is above the models, with these files."""
        summary = self.summary
        checks = summary.checks(self.plan)
        head = Gathered(files, summary.used, summary.architectures, checks, summary.faults, summary.reasons)
        return plan_table(self.plan, head)


class Format(NamedTuple):
    """A format that is made of parts: the texts of some models by name, and what writes the file of all parts."""

    texts: Callable[[Plan], Mapping[str, bytes]]
    write: Callable[[Whole, Path], None]
    folder: Callable[[Whole, Path, str], None] | None = None


def _of_text(texts: Callable[[Plan], Mapping[str, str]], whole: Callable[[Whole], Iterator[str]]) -> Format:
    def write(parts: Whole, path: Path) -> None:
        with path.open("w", encoding="utf-8", newline="") as file:
            file.writelines(whole(parts))

    return Format(lambda plan: {name: text.encode() for name, text in texts(plan).items()}, write)


def _of_plugin(exporter: Exporter) -> Format | None:
    whole, folder = exporter.whole, exporter.folder
    if exporter.part is None or whole is None:
        return None

    def put(parts: Whole, step: Callable[[Texts], None]) -> None:
        if message := next(parts.shelf.texts(FAILED.format(exporter.suffix)), b""):
            raise PluginError(message.decode())
        run_step(exporter, lambda: step(Texts(parts.shelf, exporter.suffix)))

    return Format(
        partial(_part, exporter, exporter.part),
        lambda parts, path: put(parts, lambda texts: whole(texts, path)),
        (lambda parts, path, by: put(parts, lambda texts: folder(texts, path, by))) if folder else None,
    )


def _part(exporter: Exporter, part: Callable[[PlanResult], bytes], plan: Plan) -> dict[str, bytes]:
    """Return a plugin's part of a plan, or why it gives none: that stops its own output alone."""
    try:
        data = run_step(exporter, lambda: part(PlanResult(plan)))
        if not isinstance(data, bytes):
            raise PluginError(f"{exporter.title} cannot be written: part gives {show_value(data)}; bytes are expected")
    except FlopsheetError as error:
        return {FAILED.format(exporter.suffix): str(error).encode()}
    return {exporter.suffix: data}


def format_of(host: Host, suffix: str) -> Format | None:
    """Return how a format is made of parts; None for one that needs all models at once."""
    exporter = exporter_of(host, suffix)
    return _of_plugin(exporter) if exporter else FORMATS.get(suffix)


def _files(plan: Plan) -> str:
    return json.dumps([pair for model in plan.models for pair in file_of(model).items()])


def _csv(plan: Plan) -> dict[str, str]:
    totals = totals_of(plan)
    return {"csv": csv_text([csv_header(plan, totals), *csv_rows(plan, totals)])}


def _whole_csv(whole: Whole) -> Iterator[str]:
    header = csv_header(whole.plan, whole.summary.totals)
    yield csv_text([header])
    first = csv_text([header])
    for text in _decode_results(whole, "csv"):
        yield text.removeprefix(first) if text.startswith(first) else csv_text(_widen_rows(text, header))


def _widen_rows(text: str, header: list[str]) -> Iterator[list[str]]:
    """Give the rows of a CSV under a header with more columns."""
    own, *rows = csv.reader(io.StringIO(text, newline=""))
    places = {name: place for place, name in enumerate(own)}
    return ([row[places[name]] if name in places else "" for name in header] for row in rows)


def _markdown(plan: Plan) -> dict[str, str]:
    parts = {"md": markdown_rows(plan), "md problems": markdown_problems(plan), "md notes": markdown_notes(plan)}
    return {name: "\n".join(lines) for name, lines in parts.items()}


def _whole_markdown(whole: Whole) -> Iterator[str]:
    lists = (_decode_results(whole, name) for name in ("md", "md problems", "md notes"))
    faults = [Fault(**fault) for fault in whole.summary.faults]
    summary = whole.summary
    return markdown_page(whole.plan, summary.checks(whole.plan), faults, summary.reasons, *lists)


def _toml(plan: Plan) -> dict[str, str]:
    return {"toml": "".join(f"\n{planned_model(plan, model)}" for model in plan.models), FILES: _files(plan)}


def _whole_toml(whole: Whole) -> Iterator[str]:
    mark = {"path": token_hex(LONG), "sha256": ""}
    before, _, after = toml_text(whole.head([mark])).partition(_file_of_toml(mark))
    yield before
    yield from _between("\n", map(_file_of_toml, whole.files()))
    yield after
    yield from _decode_results(whole, "toml")


def _file_of_toml(table: Mapping[str, str]) -> str:
    return f"[[files]]\n{tomli_w.dumps(table)}"


def _json(plan: Plan) -> dict[str, str]:
    models = (_inside(storable(planned_table(plan, model))) for model in plan.models)
    return {"json": ",\n  ".join(models), FILES: _files(plan)}


def _whole_json(whole: Whole) -> Iterator[str]:
    mark, models = token_hex(), token_hex()
    head = {**whole.head([]), "files": [mark], "models": [models]}
    before, _, rest = json.dumps(head, indent=1, ensure_ascii=False, allow_nan=False).partition(f'"{mark}"')
    between, _, after = rest.partition(f'"{models}"')
    yield before
    yield from _between(",\n  ", map(_inside, whole.files()))
    yield between
    yield from _between(",\n  ", _decode_results(whole, "json"))
    yield f"{after}\n"


def _inside(value: Any) -> str:
    """Return a value as JSON writes it in a list of a document."""
    return json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False).replace("\n", "\n  ")


def _between(sign: str, texts: Iterable[str]) -> Iterator[str]:
    for place, text in enumerate(texts):
        yield f"{sign if place else ''}{text}"


def _decode_results(whole: Whole, name: str) -> Iterator[str]:
    return (text.decode() for text in whole.shelf.texts(name))


FORMATS: Mapping[str, Format] = {
    ".csv": _of_text(_csv, _whole_csv),
    ".md": _of_text(_markdown, _whole_markdown),
    ".toml": _of_text(_toml, _whole_toml),
    ".json": _of_text(_json, _whole_json),
}
"""The formats of flopsheet's own that are made of parts, by suffix."""

"""How each format of a report is made of parts: the texts of some models, and the file of all texts."""

from __future__ import annotations

import csv
import io
import json
from functools import partial
from secrets import token_hex
from typing import TYPE_CHECKING, Any

import tomli_w
from msgspec import Struct

from flopsheet.accounting.values import show_value
from flopsheet.errors import FlopsheetError, PluginError
from flopsheet.export import toml
from flopsheet.export.batch.parts import Texts
from flopsheet.export.documents import json_text
from flopsheet.export.exporters import exporter_of, run_step
from flopsheet.export.files import shown_path, write_lines
from flopsheet.export.markdown import markdown_notes, markdown_page, markdown_problems, markdown_rows
from flopsheet.export.notebook import PlanResult
from flopsheet.export.table import as_csv, csv_header, csv_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from flopsheet.export.batch.parts import Shelf
    from flopsheet.export.batch.summary import Summary
    from flopsheet.export.exporters import Exporter
    from flopsheet.host.host import Host
    from flopsheet.planning.plan import Plan

FILES = "files"
"""The text that says the file and the hash of each model, for formats that list them."""
FAILURE = "{} failed"
"""The text that says why a plugin gave no part of a format."""
LONG = 60
"""Characters with which a table of TOML is no longer written in one line."""


class Whole(Struct, frozen=True):
    """All parts of a report: the plan without its models, what was gathered of these, and their texts."""

    plan: Plan
    summary: Summary
    shelf: Shelf

    def texts(self, name: str) -> Iterator[str]:
        """Give a text of every part that has one, in order."""
        return (text.decode() for text in self.shelf.texts(name))

    def files(self) -> Iterator[dict[str, str]]:
        """Give every file that was read, once, in the order of the models."""
        paths = set()
        own = [[shown_path(portfolio.path), portfolio.sha256] for portfolio in self.plan.portfolios]
        for some in (own, *map(json.loads, self.shelf.texts(FILES))):
            for path, sha256 in some:
                if path not in paths:
                    paths.add(path)
                    yield toml.file_table(path, sha256)

    def head(self, files: Sequence[Mapping[str, str]] = ()) -> toml.ReportHead:
        """Return what is said of all models above them, with these files."""
        summary, checks = self.summary, self.summary.checks(self.plan)
        faults = summary.list_faults()
        return toml.ReportHead(files, summary.used, summary.architectures, checks, faults, summary.reasons)


class Format(Struct, frozen=True):
    """A format that is made of parts: the texts of some models by name, and what writes the file of all parts."""

    texts: Callable[[Plan], Mapping[str, bytes]]
    write: Callable[[Whole, Path], None]
    folder: Callable[[Whole, Path, str], None] | None = None


def _of_text(texts: Callable[[Plan], Mapping[str, str]], whole: Callable[[Whole], Iterator[str]]) -> Format:
    return Format(
        lambda plan: {name: text.encode() for name, text in texts(plan).items()},
        lambda parts, path: write_lines(path, whole(parts)),
    )


def _of_plugin(exporter: Exporter) -> Format | None:
    whole, folder = exporter.whole, exporter.folder
    if exporter.part is None or whole is None:
        return None

    def put(parts: Whole, step: Callable[[Texts], None]) -> None:
        if message := next(parts.shelf.texts(FAILURE.format(exporter.suffix)), b""):
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
        return {FAILURE.format(exporter.suffix): str(error).encode()}
    return {exporter.suffix: data}


def format_of(host: Host, suffix: str) -> Format | None:
    """Return how a format is made of parts; None for one that needs all models at once."""
    exporter = exporter_of(host, suffix)
    return _of_plugin(exporter) if exporter else FORMATS.get(suffix)


def _files(plan: Plan) -> str:
    return json.dumps([pair for model in plan.models for pair in toml.file_of(model).items()])


def _csv(plan: Plan) -> dict[str, str]:
    return {"csv": as_csv(plan)}


def _whole_csv(whole: Whole) -> Iterator[str]:
    header = csv_header(whole.plan, whole.summary.totals)
    first = csv_text([header])
    yield first
    for text in whole.texts("csv"):
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
    lists = (whole.texts(name) for name in ("md", "md problems", "md notes"))
    return markdown_page(whole.plan, whole.head(), *lists)


def _toml(plan: Plan) -> dict[str, str]:
    return {"toml": "".join(f"\n{toml.planned_model(plan, model)}" for model in plan.models), FILES: _files(plan)}


def _whole_toml(whole: Whole) -> Iterator[str]:
    mark = {"path": token_hex(LONG), "sha256": ""}
    head = toml.plan_table(whole.plan, whole.head([mark]))
    before, _, after = toml.toml_text(head).partition(_file_of_toml(mark))
    yield before
    yield from _between("\n", map(_file_of_toml, whole.files()))
    yield after
    yield from whole.texts("toml")


def _file_of_toml(table: Mapping[str, str]) -> str:
    return f"[[files]]\n{tomli_w.dumps(table)}"


def _json(plan: Plan) -> dict[str, str]:
    models = (_inside(toml.storable(toml.planned_table(plan, model))) for model in plan.models)
    return {"json": ",\n  ".join(models), FILES: _files(plan)}


def _whole_json(whole: Whole) -> Iterator[str]:
    mark, models = token_hex(), token_hex()
    head = {**toml.plan_table(whole.plan, whole.head()), "files": [mark], "models": [models]}
    before, _, rest = json_text(head).partition(f'"{mark}"')
    between, _, after = rest.partition(f'"{models}"')
    yield before
    yield from _between(",\n  ", map(_inside, whole.files()))
    yield between
    yield from _between(",\n  ", whole.texts("json"))
    yield f"{after}\n"


def _inside(value: Any) -> str:
    """Return a value as JSON writes it in a list of a document."""
    return json_text(value).replace("\n", "\n  ")


def _between(sign: str, texts: Iterable[str]) -> Iterator[str]:
    for place, text in enumerate(texts):
        yield f"{sign if place else ''}{text}"


FORMATS: Mapping[str, Format] = {
    ".csv": _of_text(_csv, _whole_csv),
    ".md": _of_text(_markdown, _whole_markdown),
    ".toml": _of_text(_toml, _whole_toml),
    ".json": _of_text(_json, _whole_json),
}
"""The formats of flopsheet's own that are made of parts, by suffix."""

"""One output of a plan, by its suffix: a workbook, a format of text, or what a plugin writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet.export.exporters import writer_of
from flopsheet.export.files import WORKBOOKS, write_lines
from flopsheet.export.shipped_templates import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from flopsheet.planning.plan import Plan
    from livesheets import FillReport

TEXTS = (".toml", ".json", ".csv", ".md", ".html")


def plan_texts(suffix: str, plan: Plan) -> Iterable[str]:
    """Return the text of a plan in the format of a suffix, piece by piece."""
    from flopsheet.export import markdown, table, toml  # noqa: PLC0415 - a workbook needs none of them

    if suffix == ".toml":
        return toml.report_document(plan)
    if suffix == ".html":
        from flopsheet.export.page.page import plan_page  # noqa: PLC0415 - same

        return [plan_page(plan)]
    writers = {".json": table.as_json, ".csv": table.as_csv, ".md": markdown.as_markdown}
    return [writers[suffix](plan)]


def write_output(plan: Plan, path: Path, template: str = DEFAULT, **filling: Any) -> FillReport | None:
    """Write a plan to a path; of a workbook, return how its template was filled.

    `filling` are the options of `write_workbook`. UsageError names the suffixes that are known.
    """
    suffix = path.suffix.lower()
    if own := writer_of(plan.host, suffix, plan):
        own(path)
    elif suffix in WORKBOOKS:
        from flopsheet.export.workbook import write_workbook  # noqa: PLC0415 - lxml is for workbooks only
        from livesheets import locate_errors  # noqa: PLC0415 - same

        with locate_errors(template):
            return write_workbook(plan, path, template=template, **filling)
    else:
        write_lines(path, plan_texts(suffix, plan))
    return None

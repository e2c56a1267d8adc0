"""A plan in each format of flopsheet's own that is text."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flopsheet.planning.plan import Plan

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

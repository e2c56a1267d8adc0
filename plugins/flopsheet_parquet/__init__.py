"""Plans as Parquet: models by case, each column with title, unit, formula and source in the schema."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet import FlopsheetError, hookimpl

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from flopsheet import Exporter, PlanResult


def _write(result: PlanResult, path: Path) -> None:
    try:
        from pyarrow.parquet import write_table  # noqa: PLC0415 - few reports are of this format
    except ImportError:
        raise FlopsheetError("pyarrow is needed: pip install 'flopsheet[sweep]'") from None
    write_table(result.to_arrow(), path)


@hookimpl
def flopsheet_exporters() -> Iterable[Exporter]:
    """Write reports whose name ends in .parquet."""
    from flopsheet import Exporter  # noqa: PLC0415 - few starts write a report

    return [Exporter(suffix=".parquet", title="one row per model and case, with units and sources", write=_write)]

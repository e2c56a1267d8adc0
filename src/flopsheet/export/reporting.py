"""Reports in Python: a plan written into workbooks, pages and other formats, as `flopsheet report` writes them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from flopsheet.export.aside import write_aside
from flopsheet.export.exporters import formats_for, writing_plugins
from flopsheet.export.files import check_outputs
from flopsheet.export.notebook import PlanResult, plan
from flopsheet.export.outputs import write_output
from flopsheet.export.shipped import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Sequence


def report(
    planned: PlanResult | Path | str, outputs: Sequence[Path | str], *, template: str = DEFAULT, **asked: Any
) -> list[str]:
    """Write a plan, or that of a portfolio, to each output by its suffix; return what to know of its workbooks.

    `planned` is what `plan` gave, or a portfolio's path with `asked` as `plan` takes it. `template` is the name of a
    shipped template or the path of one. Outputs are written aside and renamed, so that an error leaves what was there:
    UsageError for a suffix that nothing writes, TemplateError for a template that cannot be filled.
    """
    result = planned if isinstance(planned, PlanResult) else plan(planned, **asked)
    paths = [Path(output) for output in outputs]
    check_outputs(paths, formats_for(result.plan.host, paths))
    said: list[str] = []

    def write(path: Path) -> None:
        if filled := write_output(result.plan, path, template):
            said.extend((*filled.warning, *filled.refused, *filled.failing, *filled.unbound))

    write_aside(dict.fromkeys(paths, write), writing_plugins(result.plan.host, paths))
    return said

"""Reports in Python: a plan written into workbooks, pages and other formats, as `flopsheet report` writes them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from flopsheet.errors import UsageError
from flopsheet.export.aside import write_aside
from flopsheet.export.exporters import formats_for, writing_plugins
from flopsheet.export.files import WORKBOOKS, check_inputs_kept, check_outputs
from flopsheet.export.notebook import PlanResult, plan
from flopsheet.export.outputs import write_output
from flopsheet.export.shipped_templates import DEFAULT, plan_for, replaced_by

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.planning.plan import Plan


def report(
    planned: PlanResult | Path | str,
    outputs: Path | str | Sequence[Path | str],
    *,
    template: Path | str = DEFAULT,
    **asked: Any,
) -> list[str]:
    """Write a plan, or that of a portfolio, to each output by its suffix; return what to know of its workbooks.

    `planned` is what `plan` gave, or a portfolio's path with `asked` as `plan` takes it. `template` is the name of a
    shipped template or the path of one; what it asks further is planned too, of a portfolio. Outputs are written aside
    and renamed, so that an error leaves what was there: UsageError for a suffix that nothing writes, for an output
    that is an input, for `asked` of a plan that is made, and for a plan that does not ask what the template does;
    TemplateError for a template that cannot be filled.
    """
    if asked and isinstance(planned, PlanResult):
        raise UsageError(f"{', '.join(asked)}: the plan is made already; give them to plan, or the portfolio's path")
    result = planned if isinstance(planned, PlanResult) else plan(planned, **asked)
    own, paths, template = result.plan, _paths(outputs), str(template)
    check_inputs_kept(paths, result.read)
    check_outputs(paths, formats_for(own.host, paths))

    def with_questions(questions: Sequence[str]) -> Plan:
        if isinstance(planned, PlanResult):
            raise UsageError(f"template {template}: plan with questions={[*questions]}, or give the portfolio's path")
        return plan(planned, **asked | {"questions": questions}).plan

    is_book = any(path.suffix.lower() in WORKBOOKS for path in paths)
    book = plan_for(template, own, with_questions) if is_book else own
    remarks = [remark] if (remark := replaced_by(template, own, book)) else []

    def write(path: Path) -> None:
        if written := write_output(book if path.suffix.lower() in WORKBOOKS else own, path, template):
            remarks.extend((*written.warning, *written.refused, *written.failing, *written.unbound))

    write_aside(dict.fromkeys(paths, write), writing_plugins(own.host, paths))
    return remarks


def _paths(outputs: Path | str | Sequence[Path | str]) -> list[Path]:
    return [Path(outputs)] if isinstance(outputs, str | Path) else [Path(output) for output in outputs]

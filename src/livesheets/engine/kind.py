"""A workbook's content type and its file's suffix: Excel opens a file only where they agree."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from livesheets.engine.active import content_types
from livesheets.engine.book import WORKBOOK
from livesheets.engine.draft import declare
from livesheets.errors import TemplateError
from livesheets.parts import AGAIN

if TYPE_CHECKING:
    from collections.abc import Iterable

    from livesheets.engine.active import Active
    from livesheets.engine.draft import Draft

PLAIN = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"
WITH_MACROS = "application/vnd.ms-excel.sheet.macroEnabled.main+xml"
KINDS = {".xlsx": PLAIN, ".xlsm": WITH_MACROS}

_CODE = re.compile("vbaproject|macrosheet", re.IGNORECASE)
_WORKBOOKS = {kind.replace("sheet.", f"{form}.") for kind in KINDS.values() for form in ("sheet", "template", "addin")}


def agree(draft: Draft, suffix: str, active: Iterable[Active]) -> None:
    """Declare the workbook as what the output's suffix promises; code in an .xlsx is a TemplateError."""
    types = content_types(draft.package)
    current = types[WORKBOOK]
    if current not in _WORKBOOKS:
        raise TemplateError(
            f"the template's [Content_Types].xml calls {WORKBOOK} {current!r}, which is not a workbook; {AGAIN}"
        )
    target = KINDS.get(suffix.lower(), current)
    code = [item.place for item in active if _CODE.search(types.get(item.place, ""))]
    if target == PLAIN and code:
        raise TemplateError(f"the template has macros ({code[0]}), which an .xlsx cannot hold; name the output *.xlsm")
    if target != current:
        declare(draft, WORKBOOK, target)

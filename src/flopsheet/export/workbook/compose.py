"""The template of a plan with further questions: laid out when it is first asked for, then kept by its content."""

from __future__ import annotations

import os
import sys
import zipfile
from contextlib import suppress
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING

from msgspec.structs import replace

import flopsheet
from flopsheet.export.shipped_templates import hidden_by
from flopsheet.export.workbook.figures import cover_layout
from flopsheet.export.workbook.question_sheets import question_sheets
from flopsheet.planning.inputs import CASES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.export.layout.spec import CoverLayout, SheetLayout
    from flopsheet.export.shipped_templates import Shipped
    from flopsheet.planning.plan import Plan


def laid_out(plan: Plan, template: Shipped, *, brief: bool = False) -> bytes:
    """Return a shipped template with the sheets of a plan's questions, not filled."""
    sheets = [sheet.lay_out() for sheet in question_sheets(plan)]
    cover = cover_layout(plan.program, plan.cases[len(CASES) :], plan.lead, template.without)
    cover = replace(cover, hidden=hidden_by(plan.lead), brief=brief)
    return composed_template(cover, sheets)


def composed_template(cover: CoverLayout, sheets: Sequence[SheetLayout]) -> bytes:
    """Return the shipped template with the sheets of further questions."""
    cached_file = _folder() / f"{template_key(cover, sheets)}.xlsx"
    with suppress(OSError):
        if zipfile.is_zipfile(cached_file):
            return cached_file.read_bytes()
    from flopsheet.export.layout.book import template_bytes  # noqa: PLC0415 - openpyxl, for templates that are new only

    data = template_bytes(cover, sheets)
    with suppress(OSError):
        _keep(cached_file, data)
    return data


def template_key(cover: CoverLayout, sheets: Sequence[SheetLayout]) -> str:
    """Return a hash of what is laid out, and of the code and the data that do it."""
    result = sha256(f"{flopsheet.__version__} {sys.version_info[:2]} {cover!r} {list(sheets)!r}".encode())
    for part in sorted(files("flopsheet.export.layout").iterdir(), key=lambda file: file.name):
        if part.name.endswith((".py", ".toml")):
            result.update(part.read_bytes())
    return result.hexdigest()


def _folder() -> Path:
    """Return where a person's caches are."""
    cache_home = os.environ.get("XDG_CACHE_HOME") or (os.environ.get("LOCALAPPDATA") if os.name == "nt" else None)
    with suppress(RuntimeError):
        return Path(cache_home or Path.home() / ".cache") / "flopsheet" / "templates"
    return Path(os.devnull)


def _keep(path: Path, data: bytes) -> None:
    """Write a file whole or not at all; two programs that write the same one write the same bytes."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with NamedTemporaryFile(dir=path.parent, delete=False) as draft:
        draft.write(data)
    try:
        Path(draft.name).replace(path)
    except OSError:
        Path(draft.name).unlink(missing_ok=True)
        raise

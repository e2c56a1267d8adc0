"""The checklist's verdicts on copies of the shipped template."""

from importlib.resources import files

from broken import Copy

from flopsheet.audit.audit import audit
from flopsheet.host.host import load

SHIPPED = (files("flopsheet_templates") / "plan.xlsx").read_bytes()


def failures(path):
    """Return what fails each item of a template, by item."""
    return {one.name: one.failures for one in audit(load(), str(path)).verdicts if one.failures}


def broken(folder, *changes):
    """Return what fails each item of a copy of the shipped template with some changes."""
    copy = Copy(SHIPPED)
    for change in changes:
        change(copy)
    (folder / "broken.xlsx").write_bytes(copy.saved())
    return failures(folder / "broken.xlsx")

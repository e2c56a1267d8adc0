"""The checklist's verdicts on copies of the shipped template."""

from importlib.resources import files

from broken import Copy

from flopsheet.audit.audit import cells_of, filler_of, view_of
from flopsheet.audit.items import check
from flopsheet.host.loading import load

SHIPPED = (files("flopsheet_templates") / "plan.xlsx").read_bytes()


def failures(path, *items):
    """Return what fails each item of a template, by item; with some items, those alone are asked."""
    filler = filler_of(load(), str(path))
    result = check(view_of(load(), filler, cells_of(filler)), items or None)
    return {one.name: one.failures for one in result if one.failures}


def copied(folder, *changes):
    """Return where a copy of the shipped template with some changes is."""
    copy = Copy(SHIPPED)
    for change in changes:
        change(copy)
    (folder / "broken.xlsx").write_bytes(copy.saved())
    return folder / "broken.xlsx"


def broken(folder, *changes):
    """Return what fails each item of a copy of the shipped template with some changes."""
    return failures(copied(folder, *changes))


def said_of(way, folder, change):
    """Return what fails the item that a way begins with, which alone is asked, of a copy with a change."""
    item = way.partition(":")[0]
    return failures(copied(folder, change), item).get(item, ())

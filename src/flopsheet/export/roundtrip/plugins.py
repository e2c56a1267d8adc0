"""The plugins that a workbook was made with: which to load, and which are missing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from flopsheet.configs.made_with import changed_plugins, missing_plugins
from flopsheet.errors import UsageError
from flopsheet.host.local import Choice

if TYPE_CHECKING:
    from flopsheet.export.roundtrip.origin import Origin
    from flopsheet.host.host import Host


def plugins_for(origin: Origin, choice: Choice) -> Choice:
    """Return the plugins to load for a workbook: those given now, and the files that it was made with.

    A file that was given is used in place of the one of its name.
    """
    names = {Path(str(file)).resolve().stem for file in choice.plugins}
    made_with = dict.fromkeys((*origin.choice.plugins, *origin.written_plugins))
    files = [file for file in made_with if Path(str(file)).exists() and Path(str(file)).resolve().stem not in names]
    return Choice(tuple(dict.fromkeys((*origin.choice.without, *choice.without))), (*choice.plugins, *files))


def check_plugins(origin: Origin, host: Host) -> list[str]:
    """Return what is to be said of other versions; UsageError where a plugin is missing: its numbers would be lost."""
    if missing := missing_plugins(host, origin.plugins):
        head = f"{origin.workbook} needs plugins that are missing; without them its questions and inputs would be lost:"
        raise UsageError("\n  ".join([head, *missing]))
    return [f"{origin.workbook} was {text}" for text in changed_plugins(host, origin.plugins)]

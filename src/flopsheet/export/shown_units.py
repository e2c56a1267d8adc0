"""How numbers of a unit are shown, as layout/units.toml says: templates are laid out by it too."""

from __future__ import annotations

from typing import Any

from flopsheet.accounting.data import read_table


def shown_units(what: str) -> dict[str, Any]:
    """Return what units.toml says of the units of which it says that."""
    return {
        unit: entry[what]
        for unit, entry in read_table("flopsheet.export.layout", "units.toml").items()
        if what in entry
    }

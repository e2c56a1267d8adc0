"""What a project's pyproject.toml says of the plugins that it would install."""

from __future__ import annotations

from typing import TYPE_CHECKING

import tomli
from msgspec import Struct

from flopsheet.errors import UsageError
from flopsheet.host.hookspecs import PROJECT

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


class Project(Struct, frozen=True):
    """A distribution that is not built: name, version, what it needs, and its entry points by name."""

    name: str
    version: str
    needs: tuple[str, ...]
    points: Mapping[str, str]


def declared_in(file: Path) -> Project:
    """Return what a pyproject.toml declares; UsageError where it cannot be read."""
    try:
        project = tomli.loads(file.read_text("utf-8"))["project"]
        return Project(
            str(project["name"]),
            str(project.get("version", "0")),
            tuple(project.get("dependencies", ())),
            dict(project.get("entry-points", {}).get(PROJECT, {})),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"{file}: not a project of Python: {type(error).__name__}: {error}") from None

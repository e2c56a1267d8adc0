"""Values of a portfolio as they are expected: texts, tables and dimensions; what is wrong is said with its place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet.accounting.values import check
from flopsheet.configs.settings import OPTIMIZER, SHORT, merge_settings
from flopsheet.errors import MAX_PROBLEMS, UsageError
from livesheets.suggestions import likely

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.accounting.line import Dimension
    from flopsheet.host.host import Host


def text_of(entry: Mapping[str, Any], key: str, where: str, problems: list[str]) -> str:
    """Return a key's text, nothing without one."""
    value = entry.get(key, "")
    if isinstance(value, str):
        return value
    problems.append(f"{where}.{key}: {value!r} is not a text")
    return ""


def texts_of(entry: Mapping[str, Any], key: str, where: str, problems: list[str]) -> tuple[str, ...]:
    """Return a key's list of texts."""
    value = entry.get(key, [])
    if isinstance(value, list) and all(isinstance(text, str) for text in value):
        return tuple(value)
    problems.append(f"{where}.{key}: a list of texts is expected")
    return ()


def table_of(entry: Mapping[str, Any], key: str, where: str, problems: list[str]) -> dict[str, Any]:
    """Return a key's table."""
    value = entry.get(key, {})
    if isinstance(value, dict):
        return value
    problems.append(f"{where}.{key}: a table {{…}} is expected")
    return {}


def values_of(
    host: Host, where: str, table: Any, dimensions: Mapping[str, Dimension], problems: list[str]
) -> dict[str, Any]:
    """Return the settings of a table as they are given; those that are no dimension or out of range are problems."""
    if not isinstance(table, dict):
        problems.append(f"{where}: a table is expected")
        return {}
    settings = _known_recipe(host, where, table, problems)
    for name, value in settings.items():
        if name not in dimensions:
            if dimensions and name not in SHORT:
                like = dimensions_like(name, dimensions) if len(problems) < MAX_PROBLEMS else ""
                problems.append(f"{where}.{name}: unknown{like}")
            continue
        try:
            check(dimensions[name], value)
        except ValueError as error:
            problems.append(f"{where}.{name}: {error}")
    return settings


def dimensions_like(name: str, dimensions: Mapping[str, Dimension]) -> str:
    """Return a `; did you mean …?` for a name that is no dimension: by names, config keys and titles."""
    names = {key: d.name for d in dimensions.values() for key in (*d.keys, d.title, d.name)}
    result = dict.fromkeys(names[near] for near in likely(name, names))
    return f"; did you mean {' or '.join(map(repr, result))}?" if result else ""


def _known_recipe(host: Host, where: str, settings: Mapping[str, Any], problems: list[str]) -> dict[str, Any]:
    """Return the settings without an optimizer that no recipe has the name of."""
    try:
        merge_settings(host, {}, settings)
    except UsageError as error:
        problems.append(f"{where}.{OPTIMIZER}: {error}")
        return {name: value for name, value in settings.items() if name != OPTIMIZER}
    return dict(settings)

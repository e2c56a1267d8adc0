"""Which plugins are loaded, and how: those that are installed, those of files, and who may be imported at all."""

from __future__ import annotations

import copyreg
import os
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from flopsheet.errors import UsageError
from flopsheet.host import hookspecs
from flopsheet.host.candidate import ARCHITECTURE, MODEL_TYPE, Plugin, read_declared
from flopsheet.host.claims import answers_for, claim, run_guarded
from flopsheet.host.entry_points import Point, installed_points
from flopsheet.host.host import Host
from flopsheet.host.local import Given, LocalPoint, in_place_of, local_points, of_user
from flopsheet.host.registering import describe_point, register
from livesheets.suggestions import names_like

if TYPE_CHECKING:
    from collections.abc import Iterable

ALLOWED = "FLOPSHEET_PLUGINS"
"""The environment variable that names the only plugins, or packages of plugins, that are loaded next to the bundled."""


def _bundled_first(point: Point) -> tuple[bool, str, str]:
    """Order entry points: a bundled plugin keeps its name, whoever else takes it."""
    return (describe_point(point).package != hookspecs.PROJECT, point.name, point.value)


def load(without: tuple[str, ...] = (), plugins: tuple[Given, ...] = ()) -> Host:
    """Return the host of all installed plugins but those named, and of some `plugins` that are not installed.

    FLOPSHEET_PLUGINS names the only ones that are loaded of those that are installed, beside the bundled ones. The host
    is made once a process, and again where the content of a plugin that is not installed has changed. UsageError names
    one that is not there.
    """
    result = _find_points(tuple(sys.path))
    extra = local_points(plugins, result)
    files = {Path(point.file).resolve() for point in extra}
    users = [point for point in local_points(of_user(), result) if Path(point.file).resolve() not in files]
    present: tuple[Point | LocalPoint, ...] = (*result, *users)
    not_allowed = tuple(plugin for plugin in map(describe_point, present) if not _is_allowed(plugin))
    local = [*(point for point in users if describe_point(point) not in not_allowed), *extra]
    allowed_points = [point for point in result if describe_point(point) not in not_allowed]
    points: tuple[Point | LocalPoint, ...] = (*in_place_of(local, allowed_points), *local)
    names = [*(point.name for point in present), *(point.name for point in extra)]
    for name in without:
        if name not in names:
            raise UsageError(f"--without {name}: no plugin has this name{names_like(name, names)}")
    host = _load_points(points, without, not_allowed)
    host.given = plugins
    return host


copyreg.pickle(Host, lambda host: (load, (host.without, host.given)))  # plans go to other processes


@cache
def _load_points(
    points: tuple[Point | LocalPoint, ...], without: tuple[str, ...], not_allowed: tuple[Plugin, ...]
) -> Host:
    host = load_from(points, without)
    host.barred = list(not_allowed)
    return host


def list_installed() -> set[str]:
    """Return the names of all plugins that are installed."""
    return {point.name for point in _find_points(tuple(sys.path))}


@cache
def _find_points(_: tuple[str, ...]) -> list[Point]:
    """Return the installed plugins on a path, bundled ones first; hundreds of distributions are looked at once."""
    return sorted(installed_points(), key=_bundled_first)


def _is_allowed(plugin: Plugin) -> bool:
    """Tell whether a plugin may be imported: bundled ones always, others where the list has their name or package."""
    names = os.environ.get(ALLOWED)
    if names is None or plugin.package == hookspecs.PROJECT:
        return True
    return not {plugin.name, plugin.package}.isdisjoint(part.strip() for part in names.split(","))


def load_from(points: Iterable[Point | LocalPoint], without: tuple[str, ...] = ()) -> Host:
    """Return the host of the given entry points: asked in rounds, so that an extension may come before its owner."""
    host = Host(without=without)
    by_name: dict[str, Plugin] = {}
    for point in points:
        if point.name in without:
            continue
        plugin = describe_point(point)
        candidate = run_guarded(host, plugin, register, plugin, point, by_name)
        host.imported += [candidate] if candidate else []
    pairs = [(candidate, run_guarded(host, candidate.plugin, read_declared, candidate)) for candidate in host.imported]
    sound = [(candidate, both) for candidate, both in pairs if both]
    claim(host, ARCHITECTURE, host.architectures, {candidate.plugin: both[0] for candidate, both in sound})
    host.joining = {name: entry for name, entry in host.architectures.items() if entry[0].joins}
    host.architectures = {name: entry for name, entry in host.architectures.items() if name not in host.joining}
    claim(host, MODEL_TYPE, host.families, {candidate.plugin: both[1] for candidate, both in sound})
    for candidate, _ in sound:
        names = run_guarded(host, candidate.plugin, answers_for, host, candidate)
        if names is not None:
            host.plugins.append(candidate.plugin)
            host.loaded.append(candidate)
            for name in names:
                host.candidates.setdefault(name, []).append(candidate)
    return host

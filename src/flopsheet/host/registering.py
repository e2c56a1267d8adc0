"""Registering one plugin: described, imported, checked, and given a manager of its own."""

from __future__ import annotations

import re
from functools import cache
from time import perf_counter
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pluggy

import flopsheet
from flopsheet.errors import PluginError
from flopsheet.host import hookspecs
from flopsheet.host.candidate import API, IMPORT, Candidate, Plugin
from flopsheet.host.shelter import kept_clean, shelter
from livesheets.suggestions import names_like

if TYPE_CHECKING:
    from importlib.metadata import Distribution

    from packaging.specifiers import SpecifierSet

    from flopsheet.host.entry_points import Folder, Package, Point
    from flopsheet.host.local import LocalPoint

EXTENDING = ("extends", "extends_if_present", "replaces")
"""What a module says of the architectures of others."""
OWN_NEED = r"(?i)Requires-Dist:\s*flopsheet\s*(\[[^]]*\]\s*)?[(<>=!~]"
"""A line of a package's metadata that says which versions of flopsheet it wants."""


class Manager(pluggy.PluginManager):
    """A manager that looks only at the marks of a module's functions; pluggy inspects all names that it imports."""

    def parse_hookimpl_opts(self, plugin: object, name: str) -> pluggy.HookimplOpts | None:
        """Return how a function answers a hook, None for what is no such function."""
        if isinstance(plugin, ModuleType) and not hasattr(vars(plugin).get(name), f"{self.project_name}_impl"):
            return None
        return super().parse_hookimpl_opts(plugin, name)

    def parse_hookspec_opts(self, module_or_class: Any, name: str) -> pluggy.HookspecOpts | None:
        """Return how a hook is specified, None for what is no hook."""
        result: pluggy.HookspecOpts | None = getattr(vars(module_or_class).get(name), f"{self.project_name}_spec", None)
        return result


def describe_point(point: Point | LocalPoint) -> Plugin:
    """Return what an entry point says of itself; nothing is imported."""
    if point.dist is None:
        return Plugin(point.name, "unknown package", "unknown version")
    return Plugin(point.name, *_name_and_version(point.dist))


@cache
def _name_and_version(distribution: Distribution | Folder | Package) -> tuple[str, str]:
    """Return what the head of the metadata says; parsing it all, with its readme, would take as long as a model."""
    text = distribution.read_text("METADATA") or distribution.read_text("PKG-INFO") or ""
    head = dict(line.split(": ", 1) for line in text.split("\n\n", 1)[0].splitlines() if ": " in line)
    return head.get("Name", "unknown package"), head.get("Version", "unknown version")


def register(plugin: Plugin, point: Point | LocalPoint, by_name: dict[str, Plugin]) -> Candidate:
    """Import a plugin and register it with a manager of its own: nothing that it does reaches another."""
    if by_name.setdefault(plugin.name, plugin) is not plugin:
        raise PluginError(f"a plugin with this name is already loaded: {by_name[plugin.name]}")
    if plugin.package != hookspecs.PROJECT:
        _check_required(point)
    start = perf_counter()
    with kept_clean():
        module = shelter(point.load, f"the import of {plugin}")
    seconds = {IMPORT: perf_counter() - start}
    _check_api(module)
    _check_marked(module)
    manager = Manager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    manager.register(module, plugin.name)
    _check_hooks(manager, module)
    manager.check_pending()
    extends, present, replaces = (_names(module, name) for name in EXTENDING)
    return Candidate(plugin, manager.hook, extends, present, replaces, getattr(module, API, ""), seconds)


def _names(module: Any, what: str) -> tuple[str, ...]:
    """Return the names that a module says under one of the words of EXTENDING: one, or several."""
    value = getattr(module, what, ())
    names = (value,) if isinstance(value, str) else value
    if not isinstance(names, tuple | list | set | frozenset) or not all(isinstance(name, str) for name in names):
        raise PluginError(f"{what} is {value!r}: a name is expected, or several")
    return tuple(names)


def _check_marked(module: Any) -> None:
    """Refuse a plugin with a function that is called like a hook and is not marked as one: nobody would ask it."""
    own = {name: value for name, value in vars(module).items() if name.startswith(f"{hookspecs.PROJECT}_")}
    for name, value in own.items():
        if callable(value) and not hasattr(value, f"{hookspecs.PROJECT}_impl"):
            raise PluginError(f"{name} is not marked with @flopsheet.hookimpl, so it would never be called")


def _check_hooks(manager: Manager, module: Any) -> None:
    """Refuse a plugin with a marked hook that this flopsheet does not ask, unless the mark says that it may be so."""
    hooks = [name for name in vars(hookspecs) if name.startswith(f"{hookspecs.PROJECT}_")]
    for name in vars(module) if isinstance(module, ModuleType) else ():
        options = manager.parse_hookimpl_opts(module, name)
        if options and not options["optionalhook"] and (options["specname"] or name) not in hooks:
            raise PluginError(f"unknown hook {name!r}{names_like(name, hooks)}; a newer hook needs a newer flopsheet")


def _check_api(module: Any) -> None:
    """Refuse a plugin that is written for an API that this flopsheet does not have."""
    version = getattr(module, API, hookspecs.API_VERSION)
    major, _, minor = hookspecs.API_VERSION.partition(".")
    if not isinstance(version, str) or not re.fullmatch(r"[0-9]+\.[0-9]+", version):
        raise PluginError(f"{API} is {version!r}: a version such as {hookspecs.API_VERSION!r} is expected")
    plugin_major, _, plugin_minor = version.partition(".")
    if plugin_major != major or int(plugin_minor) > int(minor):
        raise PluginError(f"it is written for version {version} of the plugin API; this flopsheet has {major}.{minor}")


def _check_required(point: Point | LocalPoint) -> None:
    """Refuse a plugin whose package wants another version of flopsheet than this one."""
    text = (point.dist.read_text("METADATA") or "") if point.dist is not None else ""
    head = text.split("\n\n", 1)[0]
    for line in filter(re.compile(OWN_NEED).match, head.splitlines()):
        specifiers = _versions_needed(line.partition(":")[2].strip())
        if specifiers is not None and not specifiers.contains(flopsheet.__version__, prereleases=True):
            raise PluginError(f"it needs flopsheet {specifiers}; this is {flopsheet.__version__}")


def _versions_needed(line: str) -> SpecifierSet | None:
    """Return the versions that a requirement wants; None where it does not hold here, or is none."""
    from packaging.specifiers import InvalidSpecifier, SpecifierSet  # noqa: PLC0415 - few packages say a version

    if ";" in line:
        return _needed_here(line)
    try:
        return SpecifierSet(re.sub(r"^[^(<>=!~]*", "", line).strip("() "))
    except InvalidSpecifier:
        return None


def _needed_here(line: str) -> SpecifierSet | None:
    """Return the versions that a requirement wants under its own condition."""
    from packaging.requirements import InvalidRequirement, Requirement  # noqa: PLC0415 - slow, and conditions are rare

    try:
        need = Requirement(line)
    except InvalidRequirement:
        return None
    return need.specifier if need.marker is None or need.marker.evaluate({"extra": ""}) else None

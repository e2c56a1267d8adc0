"""Which plugins a name, a file or a folder means, loaded and ready to be checked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from flopsheet.errors import UsageError
from flopsheet.host.loading import load
from flopsheet.host.local import local_points
from flopsheet.kit.examples import configs_beside
from flopsheet.kit.subject import Subject
from livesheets.suggestions import names_like

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.host.candidate import Plugin
    from flopsheet.host.host import Host


def subjects(targets: Sequence[str], configs: Sequence[Path] = ()) -> list[Subject]:
    """Return the plugins to check: those named, those of files and folders, or all that are installed.

    Configs that lie next to a file or in a folder are taken with it. UsageError where there is no such plugin.
    """
    everything = load()
    names = [plugin.name for plugin in _plugins(everything)]
    paths = tuple(target for target in targets if target not in names)
    for path in paths:
        if not Path(path).exists():
            raise UsageError(f"{path}: no plugin has this name, and no file or folder{names_like(path, names)}")
    host = load((), paths) if paths else everything
    if not targets:
        return [Subject(host, plugin, configs) for plugin in _plugins(host)]
    results = []
    for target in dict.fromkeys(targets):
        if target in paths:
            results += [_beside(host, plugin, Path(target), configs) for plugin in _of_path(host, target)]
        else:
            results += [Subject(host, plugin, configs) for plugin in _plugins(host) if plugin.name == target]
    return results


def _beside(host: Host, plugin: Plugin, target: Path, configs: Sequence[Path]) -> Subject:
    """Return a plugin of a file or folder with the configs that lie there and are of its types."""
    beside = configs_beside(host, plugin, target)
    return Subject(host, plugin, [*configs, *beside.own], beside.others)


def found_in(target: str) -> tuple[Host, list[Plugin]]:
    """Return the plugins that a name, a file or a folder means, and their host; UsageError where there is none."""
    result = subjects([target])
    if not result:
        raise UsageError(f"{target}: no plugin is in it")
    return result[0].host, [subject.plugin for subject in result]


def _plugins(host: Host) -> list[Plugin]:
    """Return all plugins, those that could not be loaded too."""
    return list(dict.fromkeys([*host.plugins, *(failure.plugin for failure in host.failures)]))


def _of_path(host: Host, path: str) -> list[Plugin]:
    """Return the plugins of a file or folder."""
    packages = {(point.dist.name, point.dist.version) for point in local_points([path], ())}
    return [plugin for plugin in _plugins(host) if (plugin.package, plugin.version) in packages]

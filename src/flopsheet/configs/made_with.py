"""The plugins that a workbook or report was made with, compared with those that are loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flopsheet.host.candidate import Plugin
    from flopsheet.host.host import Host

OF_FILE = "sha256:"
"""How the version of a plugin begins that came from a file."""


def missing_plugins(host: Host, made_with: Iterable[Plugin]) -> list[str]:
    """Return a sentence for each plugin that is not loaded: its package and version, why, and how to get it."""
    names = {plugin.name for plugin in host.plugins}
    return [_missing(host, plugin) for plugin in made_with if plugin.name not in names]


def _missing(host: Host, plugin: Plugin) -> str:
    failure = next((candidate for candidate in host.failures if candidate.plugin.name == plugin.name), None)
    if failure:
        return host.tell(failure)
    if plugin.name in host.without:
        return f"plugin {plugin} is left out by 'without'; remove it there to use it"
    if any(candidate.name == plugin.name for candidate in host.barred):
        return f"plugin {plugin} is installed, but FLOPSHEET_PLUGINS does not allow it"
    if plugin.version.startswith(OF_FILE):
        return f"plugin {plugin.name} came from {plugin.package}, which was not given or has moved: add --plugin FILE"
    return (
        f"plugin {plugin.name} of {plugin.package} {plugin.version} is not installed: pip install"
        f" '{plugin.package}=={plugin.version}'"
    )


def changed_plugins(host: Host, made_with: Iterable[Plugin]) -> list[str]:
    """Return a sentence for each package whose version is another one now."""
    plugins = {plugin.name: plugin for plugin in host.plugins}
    pairs = [(then, plugins[then.name]) for then in made_with if then.name in plugins]
    return [
        *dict.fromkeys(
            f"made with {then.package} {then.version}, {now.package} {now.version} is in use: numbers may differ"
            for then, now in pairs
            if (then.package, then.version) != (now.package, now.version)
        )
    ]

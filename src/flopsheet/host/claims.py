"""What plugins claim as they are loaded: a name belongs to one of them, and one that fails is withdrawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from flopsheet.host.candidate import ARCHITECTURE
from flopsheet.host.hookspecs import PROJECT
from flopsheet.host.places import reason_of
from flopsheet.host.reserved_names import TABLES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from flopsheet.host.candidate import Candidate, Plugin
    from flopsheet.host.host import Host

T = TypeVar("T")


def run_guarded(host: Host, plugin: Plugin, step: Callable[..., T], *arguments: Any) -> T | None:
    """Return what one step of loading gives; on failure withdraw what the plugin said and keep the reason."""
    try:
        return step(*arguments)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a plugin may raise anything
        host.fail(plugin, reason_of(plugin, error))
        for table in (host.architectures, host.families):
            for name in [name for name, entry in table.items() if entry[1] == plugin]:
                del table[name]
        return None


def claim(host: Host, what: str, table: dict[str, Any], declarations: Mapping[Plugin, Mapping[str, Any]]) -> None:
    """Enter what plugins declare; a bundled plugin keeps its names, and one that several others declare is refused."""
    claims: dict[str, list[Plugin]] = {}
    for plugin, items in declarations.items():
        for name in items:
            claims.setdefault(name, []).append(plugin)
    for name, claimants in claims.items():
        owner = _owner(claimants)
        if what == ARCHITECTURE and name.casefold() in TABLES:
            owner, reason = None, f"{what} {name!r}: a table of every workbook is called so; give yours another name"
            host.refused[what, name] = reason
        elif owner:
            table[name] = (declarations[owner][name], owner)
            reason = f"{what} {name!r} is that of {owner}, which keeps it: give yours another name"
        else:
            reason = f"{what} {name!r} is claimed by {' and '.join(map(str, claimants))}: leave one out with --without"
            host.refused[what, name] = reason
        for plugin in claimants:
            if plugin != owner:
                host.fail(plugin, reason)


def _owner(claimants: list[Plugin]) -> Plugin | None:
    """Return the plugin that has a name of those that claim it: the only one, or the bundled one."""
    own = [plugin for plugin in claimants if plugin.package == PROJECT]
    return next(iter(own or claimants), None) if len(own or claimants) == 1 else None


def answers_for(host: Host, candidate: Candidate) -> set[str]:
    """Return the architectures that a plugin answers for; PluginError names one that it extends and nobody has."""
    architectures = {**host.architectures, **host.joining}
    own = {name for name, (_, owner) in architectures.items() if owner == candidate.plugin}
    for name in candidate.extends:
        host.provider(name)
    return own.union(candidate.extends, architectures.keys() & set(candidate.extends_if_present))

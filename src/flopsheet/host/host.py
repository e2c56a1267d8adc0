"""Find, load and ask plugins, one at a time: a bad plugin is refused with its reason and harms no other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, TypeVar

import pluggy

from flopsheet.accounting.ledger import Ledger, build, names_like
from flopsheet.accounting.line import Architecture, Dimension, Family, Line, Rule
from flopsheet.errors import FlopsheetError, PluginError
from flopsheet.host import hookspecs

T = TypeVar("T")
LINE_HOOKS: Mapping[str, type] = {
    "flopsheet_dimensions": Dimension,
    "flopsheet_parameters": Line,
    "flopsheet_flops": Line,
    "flopsheet_memory": Line,
    "flopsheet_rules": Rule,
}
UNITS = {"flopsheet_parameters": "parameters", "flopsheet_flops": "FLOP", "flopsheet_memory": "bytes"}


@dataclass(frozen=True, slots=True)
class Plugin:
    """An entry point of the group: its name, and the package and version that it came with."""

    name: str
    package: str
    version: str

    def __str__(self) -> str:
        return f"{self.name} ({self.package} {self.version})"


@dataclass(frozen=True, slots=True)
class Failure:
    """A plugin that is not used, or a name that two plugins claim, and why."""

    plugin: Plugin
    reason: str


@dataclass(slots=True)
class Host:
    """What the loaded plugins said: architectures, families, and the answers for each architecture."""

    plugins: list[Plugin] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    architectures: dict[str, tuple[Architecture, Plugin]] = field(default_factory=dict)
    families: dict[str, tuple[Family, Plugin]] = field(default_factory=dict)
    contested: dict[str, str] = field(default_factory=dict)
    answers: dict[tuple[str, str], list[Any]] = field(default_factory=dict)
    ledgers: dict[str, Ledger] = field(default_factory=dict)

    def architecture(self, name: str) -> Architecture:
        """Return the architecture of this name; PluginError says what there is."""
        if name in self.architectures:
            return self.architectures[name][0]
        raise PluginError(self.contested.get(name) or f"no plugin has an architecture {name!r}{_known(name, self)}")

    def family(self, model_type: str) -> Family:
        """Return the family of this `model_type`; PluginError says why there is none, and what to do."""
        if model_type in self.families:
            return self.families[model_type][0]
        raise PluginError(
            self.contested.get(model_type)
            or f"model_type {model_type!r} is supported by no plugin{names_like(model_type, self.families)}"
            " (a portfolio can say read_as = '…' for a type that works like another)"
        )

    def provider(self, architecture: str) -> Plugin:
        """Return the plugin that declared an architecture."""
        return self.architectures[architecture][1]

    def ledger(self, architecture: str) -> Ledger:
        """Return the architecture's ledger, built when first asked; PluginError says what is wrong with its lines."""
        if architecture not in self.ledgers:
            parts = [self.answers.get((architecture, hook), []) for hook in LINE_HOOKS]
            self.ledgers[architecture] = build(self.architecture(architecture), *parts[:4])
        return self.ledgers[architecture]

    def rules(self, architecture: str) -> list[Rule]:
        """Return the rules of thumb for an architecture."""
        return self.answers.get((architecture, "flopsheet_rules"), [])


@cache
def load(without: tuple[str, ...] = ()) -> Host:
    """Return the host of all installed plugins but those named; loaded once a process."""
    return load_from(sorted(entry_points(group=hookspecs.PROJECT)), without)


def load_from(points: Iterable[EntryPoint], without: tuple[str, ...] = ()) -> Host:
    """Return the host of the given entry points: two rounds, so that an extension may come before what it extends."""
    host = Host()
    manager = pluggy.PluginManager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    loaded: list[tuple[Plugin, Any]] = []
    for point in points:
        if point.name not in without:
            plugin = _described(point)
            _guarded(host, manager, plugin, lambda p=point, q=plugin: loaded.append((q, _register(manager, q, p))))
    named = [(p, m) for p, m in loaded if _guarded(host, manager, p, lambda p=p, m=m: _declare(host, manager, p, m))]
    for plugin, module in named:
        if _guarded(host, manager, plugin, lambda p=plugin, m=module: _answer(host, manager, p, m)):
            host.plugins.append(plugin)
    return host


def _described(point: EntryPoint) -> Plugin:
    distribution = point.dist
    if distribution is None:
        return Plugin(point.name, "unknown package", "unknown version")
    metadata = _metadata(distribution)
    return Plugin(point.name, *metadata)


@cache
def _metadata(distribution: Any) -> tuple[str, str]:
    metadata = distribution.metadata
    return metadata["Name"], metadata["Version"]


def _guarded(host: Host, manager: pluggy.PluginManager, plugin: Plugin, step: Callable[[], Any]) -> bool:
    """Run one step of loading; on failure unregister the plugin, withdraw what it said and keep the reason."""
    try:
        step()
    except Exception as error:  # noqa: BLE001 - a plugin may raise anything
        reason = str(error) if isinstance(error, FlopsheetError) else f"{type(error).__name__}: {error}"
        host.failures.append(Failure(plugin, reason))
        if manager.has_plugin(plugin.name):
            manager.unregister(name=plugin.name)
        for table in (host.architectures, host.families):
            for name in [name for name, entry in table.items() if entry[1] == plugin]:
                del table[name]
        return False
    return True


def _register(manager: pluggy.PluginManager, plugin: Plugin, point: EntryPoint) -> Any:
    if manager.has_plugin(plugin.name):
        raise PluginError(f"another package already registered a plugin named {plugin.name!r}")
    module = point.load()
    manager.register(module, plugin.name)
    manager.check_pending()
    return module


def _declare(host: Host, manager: pluggy.PluginManager, plugin: Plugin, module: Any) -> None:
    for architecture in _ask(manager, module, "flopsheet_architectures", Architecture):
        _claim(host, host.architectures, "architecture", architecture.name, (architecture, plugin))
    for family in _ask(manager, module, "flopsheet_families", Family):
        _claim(host, host.families, "model_type", family.model_type, (family, plugin))


def _claim(host: Host, table: dict[str, Any], what: str, name: str, entry: tuple[Any, Plugin]) -> None:
    if name not in table and name not in host.contested:
        table[name] = entry
        return
    others = f"{table.pop(name)[1]}" if name in table else host.contested[name]
    reason = f"{what} {name!r} is claimed by {others} and {entry[1]}: leave one out with --without"
    host.contested[name] = reason
    host.failures.append(Failure(entry[1], reason))


def _answer(host: Host, manager: pluggy.PluginManager, plugin: Plugin, module: Any) -> None:
    own = [name for name, (_, owner) in host.architectures.items() if owner == plugin]
    answers = {}
    for name in (*own, *getattr(module, "extends", ())):
        architecture = host.architecture(name)
        for hook, kind in LINE_HOOKS.items():
            answers[name, hook] = _ask(manager, module, hook, kind, architecture=architecture)
            _check_units(hook, answers[name, hook])
    for key, lines in answers.items():
        host.answers.setdefault(key, []).extend(lines)


def _ask(manager: pluggy.PluginManager, module: Any, hook: str, kind: type[T], **arguments: Any) -> list[T]:
    others = [plugin for plugin in manager.get_plugins() if plugin is not module]
    answers = manager.subset_hook_caller(hook, others)(**arguments)
    given = [item for answer in answers for item in answer]
    for item in given:
        if not isinstance(item, kind):
            raise PluginError(f"{hook} gave {item!r}: {kind.__name__} is expected")
    return given


def _check_units(hook: str, lines: Iterable[Any]) -> None:
    for line in lines:
        if hook in UNITS and line.additive and line.unit != UNITS[hook]:
            raise PluginError(f"{hook}: line {line.name} has unit {line.unit!r}; {UNITS[hook]!r} is expected")


def _known(name: str, host: Host) -> str:
    return names_like(name, host.architectures) or f"; there are {', '.join(host.architectures) or 'none'}"

"""One plugin asked: described, imported, registered with a manager of its own, and what it declares and answers."""

from __future__ import annotations

import re
from functools import cache, partial
from itertools import chain, islice
from time import perf_counter
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import pluggy

import flopsheet
from flopsheet.accounting.line import NOTHING, Architecture, Dimension, Family, Line, Rule
from flopsheet.errors import PluginError
from flopsheet.host import hookspecs
from flopsheet.host.shelter import RaisedError, kept_clean, sheltered
from flopsheet.host.sound import check_item
from flopsheet.suggestions import names_like

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from importlib.metadata import Distribution

    from flopsheet.accounting.blocks import Block
    from flopsheet.host.installed import Folder, Point
    from flopsheet.host.local import LocalPoint, Package

T = TypeVar("T")
LINE_HOOKS: Mapping[str, type] = {
    "flopsheet_dimensions": Dimension,
    "flopsheet_parameters": Line,
    "flopsheet_flops": Line,
    "flopsheet_memory": Line,
}
PARTS = {**{hook: hook.removeprefix("flopsheet_") for hook in LINE_HOOKS}, "flopsheet_activations": "activations"}
"""The part of a block that says what a hook says."""
UNITS = {"flopsheet_parameters": "parameters", "flopsheet_flops": "FLOP", "flopsheet_memory": "bytes"}
EXTENDING = ("extends", "extends_if_present", "replaces")
"""What a module says of the architectures of others."""
MOST = 100_000
"""Items of one answer, which is cut off behind them: one without an end would take all memory."""
API = "flopsheet_api"
"""How a module states the version of the API that it is written for."""
ARCHITECTURE, MODEL_TYPE = "architecture", "model_type"
OWN_NEED = r"(?i)Requires-Dist:\s*flopsheet\s*(\[[^]]*\]\s*)?[(<>=!~]"
"""A line of a package's metadata that says which versions of flopsheet it wants."""


class Plugin(NamedTuple):
    """An entry point of the group: its name, and the package and version that it came with."""

    name: str
    package: str
    version: str

    def __str__(self) -> str:
        return f"{self.name} ({self.package} {self.version})"


class PluginResult(NamedTuple):
    """What one plugin says of one architecture: dimensions and lines by hook, and how to ask for what few need.

    `replaces` are the lines of others that its own take the place of.
    """

    plugin: Plugin
    items: Mapping[str, list[Any]]
    ask_rules: Callable[[], list[Rule]]
    ask_activations: Callable[[], list[Line]]
    replaces: frozenset[str] = frozenset()


class Candidate(NamedTuple):
    """A plugin that has been imported in so many seconds: its hooks, which nobody else answers, and what it extends.

    It also extends those architectures of `extends_if_present` that some plugin has.
    """

    plugin: Plugin
    hooks: Any
    extends: tuple[str, ...]
    extends_if_present: tuple[str, ...] = ()
    seconds: float = 0
    replaces: tuple[str, ...] = ()
    api: str = ""

    def part(
        self, hook: str, kind: type[T], architecture: Architecture, lines: Mapping[str, Line] = NOTHING
    ) -> list[T]:
        """Return what the plugin says of one part of an architecture, by that part's hook and in its block."""
        said = self.ask(hook, kind, architecture=architecture)
        if not self.hooks.flopsheet_block.get_hookimpls():
            return said
        given: list[T] = getattr(self._block(architecture, lines), PARTS[hook])
        if kind is Dimension:
            known = {one.name for one in (*architecture.dimensions, *said)}  # type: ignore[attr-defined]
            given = [one for one in given if one.name not in known]  # type: ignore[attr-defined]
        for item in given:
            check_item(item)
        return [*said, *given]

    def _block(self, architecture: Architecture, lines: Mapping[str, Line]) -> Block:
        from flopsheet.accounting.blocks.block import Block  # noqa: PLC0415 - few starts need lines

        given = self._run("flopsheet_block", lambda: self.hooks.flopsheet_block(architecture=architecture, lines=lines))
        if len(given) != 1 or not isinstance(given[0], Block):
            raise PluginError(f"flopsheet_block gave {given[0] if given else None!r}: Block is expected")
        return given[0]

    def _run(self, hook: str, step: Callable[[], T]) -> T:
        """Return what a hook's code gives; PluginError names the hook where it raised something else."""
        try:
            return sheltered(step, f"{hook} of {self.plugin}")
        except RaisedError as error:
            raise PluginError(f"{hook}: {error}") from None

    def ask(self, hook: str, kind: type[T], **arguments: Any) -> list[T]:
        """Return what the plugin answers to a hook; PluginError shows an answer of another type, or what it raised."""
        caller = getattr(self.hooks, hook)

        def asked() -> list[Any]:
            answers = caller(**arguments)
            if not answers and caller.get_hookimpls():
                raise PluginError(f"{hook} gave None: an iterable of {kind.__name__} is expected")
            return [_read(item, kind) for item in islice(chain.from_iterable(answers), MOST + 1)]

        given = self._run(hook, asked)
        if len(given) > MOST:
            raise PluginError(f"{hook} gives more than {MOST:,} items: does it end?")
        for item in given:
            if not isinstance(item, kind):
                raise PluginError(f"{hook} gave {item!r}: {kind.__name__} is expected")
            check_item(item)
        return given


def _read(item: Any, kind: type) -> Any:
    """Return an item of a hook's answer; a table of a file is read as the record that is asked for."""
    return item.as_record(kind) if hasattr(item, "as_record") else item


class Manager(pluggy.PluginManager):
    """A manager that looks only at the marks of a module's functions; pluggy inspects all names that it imports."""

    def parse_hookimpl_opts(self, plugin: object, name: str) -> pluggy.HookimplOpts | None:
        """Return how a function answers a hook, None for what is no such function."""
        if isinstance(plugin, ModuleType) and not hasattr(vars(plugin).get(name), f"{self.project_name}_impl"):
            return None
        return super().parse_hookimpl_opts(plugin, name)

    def parse_hookspec_opts(self, module_or_class: Any, name: str) -> pluggy.HookspecOpts | None:
        """Return how a hook is specified, None for what is no hook."""
        found: pluggy.HookspecOpts | None = getattr(vars(module_or_class).get(name), f"{self.project_name}_spec", None)
        return found


def described(point: Point | LocalPoint) -> Plugin:
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


def registered(plugin: Plugin, point: Point | LocalPoint, seen: dict[str, Plugin]) -> Candidate:
    """Import a plugin and register it with a manager of its own: nothing that it does reaches another."""
    if seen.setdefault(plugin.name, plugin) is not plugin:
        raise PluginError(f"a plugin with this name is already loaded: {seen[plugin.name]}")
    if plugin.package != hookspecs.PROJECT:
        _check_required(point)
    start = perf_counter()
    with kept_clean():
        module = sheltered(point.load, f"the import of {plugin}")
    seconds = perf_counter() - start
    _check_api(module)
    _check_marked(module)
    manager = Manager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    manager.register(module, plugin.name)
    _check_hooks(manager, module)
    manager.check_pending()
    extends, present, replaces = (_names(module, name) for name in EXTENDING)
    return Candidate(plugin, manager.hook, extends, present, seconds, replaces, getattr(module, API, ""))


def _names(module: Any, what: str) -> tuple[str, ...]:
    """Return the names that a module says under one of the words of EXTENDING: one, or several."""
    said = getattr(module, what, ())
    names = (said,) if isinstance(said, str) else said
    if not isinstance(names, tuple | list | set | frozenset) or not all(isinstance(name, str) for name in names):
        raise PluginError(f"{what} is {said!r}: a name is expected, or several")
    return tuple(names)


def _check_marked(module: Any) -> None:
    """Refuse a plugin with a function that is called like a hook and is not marked as one: nobody would ask it."""
    own = {name: one for name, one in vars(module).items() if name.startswith(f"{hookspecs.PROJECT}_")}
    for name, one in own.items():
        if callable(one) and not hasattr(one, f"{hookspecs.PROJECT}_impl"):
            raise PluginError(f"{name} is not marked with @flopsheet.hookimpl, so it would never be called")


def _check_hooks(manager: Manager, module: Any) -> None:
    """Refuse a plugin with a marked hook that this flopsheet does not ask, unless the mark says that it may be so."""
    known = [name for name in vars(hookspecs) if name.startswith(f"{hookspecs.PROJECT}_")]
    for name in vars(module) if isinstance(module, ModuleType) else ():
        options = manager.parse_hookimpl_opts(module, name)
        if options and not options["optionalhook"] and (options["specname"] or name) not in known:
            raise PluginError(f"unknown hook {name!r}{names_like(name, known)}; a newer hook needs a newer flopsheet")


def _check_api(module: Any) -> None:
    """Refuse a plugin that is written for an API that this flopsheet does not have."""
    said = getattr(module, API, hookspecs.API_VERSION)
    major, _, minor = hookspecs.API_VERSION.partition(".")
    if not isinstance(said, str) or not re.fullmatch(r"[0-9]+\.[0-9]+", said):
        raise PluginError(f"{API} is {said!r}: a version such as {hookspecs.API_VERSION!r} is expected")
    wanted, _, level = said.partition(".")
    if wanted != major or int(level) > int(minor):
        raise PluginError(f"it is written for version {said} of the plugin API; this flopsheet has {major}.{minor}")


def _check_required(point: Point | LocalPoint) -> None:
    """Refuse a plugin whose package wants another version of flopsheet than this one."""
    text = (point.dist.read_text("METADATA") or "") if point.dist is not None else ""
    wanted = [
        line.partition(":")[2].strip() for line in text.split("\n\n", 1)[0].splitlines() if re.match(OWN_NEED, line)
    ]
    if not wanted:
        return
    from packaging.requirements import InvalidRequirement, Requirement  # noqa: PLC0415 - few packages say a version

    for line in wanted:
        try:
            need = Requirement(line)
        except InvalidRequirement:
            continue
        applies = need.marker is None or need.marker.evaluate({"extra": ""})
        if applies and not need.specifier.contains(flopsheet.__version__, prereleases=True):
            raise PluginError(f"it needs flopsheet {need.specifier}; this is {flopsheet.__version__}")


def declared(candidate: Candidate) -> tuple[dict[str, Architecture], dict[str, Family]]:
    """Return the architectures and families that a plugin declares, by name; PluginError for one that appears twice."""
    architectures = candidate.ask("flopsheet_architectures", Architecture)
    families = candidate.ask("flopsheet_families", Family)
    return (
        _by_name(ARCHITECTURE, [(architecture.name, architecture) for architecture in architectures]),
        _by_name(MODEL_TYPE, [(family.model_type, family) for family in families]),
    )


def _by_name(what: str, named: list[tuple[str, T]]) -> dict[str, T]:
    table = dict(named)
    names = [name for name, _ in named]
    for name in table:
        if names.count(name) > 1:
            raise PluginError(f"{what} {name!r} is declared {names.count(name)} times")
    return table


def answered(candidate: Candidate, architecture: Architecture, before: Iterable[PluginResult] = ()) -> PluginResult:
    """Return what a plugin answers for an architecture; PluginError for an answer of another type or unit.

    `before` are the answers of those whose lines it may see and, by name, replace.
    """
    seen = {line.name: line for one in before for hook in UNITS for line in one.items[hook]}
    items: dict[str, list[Any]] = {
        hook: candidate.part(hook, kind, architecture, MappingProxyType(seen)) for hook, kind in LINE_HOOKS.items()
    }
    for hook, unit in UNITS.items():
        _check_units(hook, items[hook], unit)
    _check_replaced(candidate, [line for hook in UNITS for line in items[hook]], seen)
    return PluginResult(
        candidate.plugin,
        items,
        partial(candidate.ask, "flopsheet_rules", Rule, architecture=architecture),
        partial(candidate.part, "flopsheet_activations", Line, architecture, seen),
        frozenset(seen).intersection(candidate.replaces),
    )


def _check_replaced(candidate: Candidate, lines: Iterable[Line], seen: Mapping[str, Line]) -> None:
    """Refuse a line that takes the name of another without saying so, or in the place of none, or of another unit."""
    names = {line.name: line for line in lines}
    for name in candidate.replaces:
        if name in names and name not in seen:
            raise PluginError(f"replaces names {name!r}, and there is no such line{names_like(name, seen)}", name)
    for name, line in names.items():
        if name in seen and name not in candidate.replaces:
            raise PluginError(
                f"the name {name!r} cannot be used: a line has it already; to replace that, say replaces = ({name!r},)",
                name,
            )
        if name in seen and line.unit != seen[name].unit:
            raise PluginError(f"the line {name} would replace one of {seen[name].unit} by one of {line.unit}", name)


def _check_units(hook: str, lines: Iterable[Line], unit: str) -> None:
    for line in lines:
        if line.additive and line.unit != unit:
            raise PluginError(f"{hook}: line {line.name} has unit {line.unit!r}; {unit!r} is expected", line.name)

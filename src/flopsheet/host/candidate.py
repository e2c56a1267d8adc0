"""One plugin asked: what it declares and answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from itertools import chain, islice
from time import perf_counter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from msgspec import Struct, field

from flopsheet.accounting.line import NOTHING, Architecture, Dimension, Family, Line, Rule
from flopsheet.accounting.values import show_value
from flopsheet.errors import PluginError
from flopsheet.host.hookspecs import PROJECT
from flopsheet.host.shelter import RaisedError, shelter, show_code
from flopsheet.host.sound import check_item
from flopsheet.host.typed_records import record
from livesheets.suggestions import names_like

if TYPE_CHECKING:
    from collections.abc import Callable

    from flopsheet.accounting.blocks import Block

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
HELD = (
    *("Accelerator", "Price", "Optimizer", "WeightFormat", "ScalingLaw", "Exporter", "Reader"),
    *("Architecture", "Dimension"),
)
"""Records of Python that are held to the types of their fields as they are given; tables of files are as they are read.

Those that come with flopsheet are tested. Lines are checked by their words, families when they are needed, and
questions with all that they fit to."""
MOST = 100_000
"""Items of one answer, which is cut off behind them: one without an end would take all memory."""
API = "flopsheet_api"
"""How a module states the version of the API that it is written for."""
IMPORT = "import"
ARCHITECTURE, MODEL_TYPE = "architecture", "model_type"


class Plugin(NamedTuple):
    """An entry point of the group: its name, and the package and version that it came with."""

    name: str
    package: str
    version: str

    def __str__(self) -> str:
        return f"{self.name} ({self.package} {self.version})"


class PluginResult(Struct, frozen=True):
    """What one plugin says of one architecture: dimensions and lines by hook, and how to ask for what few need.

    `replaces` are the lines of others that its own take the place of.
    """

    plugin: Plugin
    items: Mapping[str, list[Any]]
    ask_rules: Callable[[], list[Rule]]
    ask_activations: Callable[[], list[Line]]
    replaces: frozenset[str] = frozenset()


class Candidate(Struct, frozen=True):
    """A plugin that has been imported: its hooks, which nobody else answers, and what it extends.

    It also extends those architectures of `extends_if_present` that some plugin has. `seconds` are those that its
    import and its hooks took, `answered` what it said of an architecture, for which no hook is asked twice.
    """

    plugin: Plugin
    hooks: Any
    extends: tuple[str, ...]
    extends_if_present: tuple[str, ...] = ()
    replaces: tuple[str, ...] = ()
    api: str = ""
    seconds: dict[str, float] = field(default_factory=dict)
    answered: dict[tuple[str, ...], Any] = field(default_factory=dict)

    def module(self, hook: str) -> str:
        """Return the file of the module that answers a hook, "" where it has none."""
        implementations = getattr(self.hooks, hook).get_hookimpls()
        return next((getattr(implementation.plugin, "__file__", None) or "" for implementation in implementations), "")

    def _place(self, hook: str) -> str:
        """Return the file and line of the code that answers a hook, in parentheses, "" where it is no function."""
        codes = (getattr(one.function, "__code__", None) for one in getattr(self.hooks, hook).get_hookimpls())
        return next((show_code(code.co_filename, code.co_firstlineno) for code in codes if code), "")

    def part(
        self, hook: str, kind: type[T], architecture: Architecture, lines: Mapping[str, Line] = NOTHING
    ) -> list[T]:
        """Return what the plugin says of one part of an architecture, by that part's hook and in its block."""
        results = self._once((hook, architecture.name), partial(self.ask, hook, kind, architecture=architecture))
        if not self.hooks.flopsheet_block.get_hookimpls():
            return [*results]
        block = self._once(
            ("flopsheet_block", architecture.name, *lines), partial(self._ask_block, architecture, lines)
        )
        items: list[T] = getattr(block, PARTS[hook])
        if kind is Dimension:
            names = {dimension.name for dimension in (*architecture.dimensions, *results)}  # type: ignore[attr-defined]
            items = [dimension for dimension in items if dimension.name not in names]  # type: ignore[attr-defined]
        for item in items:
            check_item(item, hook)
        return [*results, *items]

    def _once(self, key: tuple[str, ...], step: Callable[[], T]) -> T:
        """Return what a step gives, from the second time on what it gave."""
        if key not in self.answered:
            self.answered[key] = step()
        result: T = self.answered[key]
        return result

    def _ask_block(self, architecture: Architecture, lines: Mapping[str, Line]) -> Block:
        from flopsheet.accounting.blocks.block import Block  # noqa: PLC0415 - few starts need lines

        ask_hook = partial(self.hooks.flopsheet_block, architecture=architecture, lines=lines)
        blocks = self._run("flopsheet_block", ask_hook)
        if len(blocks) != 1 or not isinstance(blocks[0], Block):
            raise PluginError(f"flopsheet_block gave {blocks[0] if blocks else None!r}: Block is expected")
        return blocks[0]

    def _run(self, hook: str, step: Callable[[], T]) -> T:
        """Return what a hook's code gives; PluginError names the hook where it raised something else."""
        start = perf_counter()
        try:
            return shelter(step, f"{hook} of {self.plugin}")
        except RaisedError as error:
            raise PluginError(f"{hook}: {error}") from None
        finally:
            self.seconds[hook] = self.seconds.get(hook, 0) + perf_counter() - start

    def ask(
        self, hook: str, kind: type[T], refuse: Callable[[PluginError], None] | None = None, **arguments: Any
    ) -> list[T]:
        """Return what the plugin answers to a hook; PluginError shows an answer of another type, or what it raised.

        Where one of the answers can be refused alone, `refuse` is told why.
        """
        caller = getattr(self.hooks, hook)

        def ask_hooks() -> list[Any]:
            answers = caller(**arguments)
            if not answers and caller.get_hookimpls():
                raise PluginError(f"{hook} gave None: an iterable of {kind.__name__} is expected{self._place(hook)}")
            for single in filter(_is_single, answers):
                what = f"{hook} gave a single {type(single).__name__}"
                raise PluginError(f"{what}: a list of {kind.__name__} is expected{self._place(hook)}")
            return list(islice(chain.from_iterable(answers), MOST + 1))

        items = self._run(hook, ask_hooks)
        if len(items) > MOST:
            raise PluginError(f"{hook} gives more than {MOST:,} items: does it end?")
        results: list[T] = []
        for item in items:
            try:
                results.append(_sound(hook, item, kind, is_strict=self.plugin.package != PROJECT))
            except PluginError as error:
                if refuse is None:
                    raise
                refuse(error)
        return results


def _is_single(answer: Any) -> bool:
    """Tell a record, a text or a table from the items that a hook gives."""
    return hasattr(answer, "_fields") or isinstance(answer, str | Mapping) or not isinstance(answer, Iterable)


def _sound(hook: str, item: Any, kind: type[T], *, is_strict: bool) -> T:
    """Return an item of a hook's answer, held to its types if strict; a table of a file is read as its record."""
    value = item.as_record(kind) if hasattr(item, "as_record") else item
    if not isinstance(value, kind):
        raise PluginError(f"{hook} gave {show_value(value)}: {kind.__name__} is expected")
    check_item(value, hook)
    return record(kind, value, kind.__name__) if is_strict and kind.__name__ in HELD and value is item else value


def read_declared(candidate: Candidate) -> tuple[dict[str, Architecture], dict[str, Family]]:
    """Return the architectures and families that a plugin declares, by name; PluginError for one that appears twice."""
    architectures = candidate.ask("flopsheet_architectures", Architecture)
    families = candidate.ask("flopsheet_families", Family)
    return _by_name(ARCHITECTURE, "name", architectures), _by_name(MODEL_TYPE, "model_type", families)


def _by_name(what: str, key: str, items: list[T]) -> dict[str, T]:
    names = [getattr(item, key) for item in items]
    if (twice := next((name for name in names if names.count(name) > 1), None)) is not None:
        raise PluginError(f"{what} {twice!r} is declared {names.count(twice)} times")
    return dict(zip(names, items, strict=True))


def ask(candidate: Candidate, architecture: Architecture, before: Iterable[PluginResult] = ()) -> PluginResult:
    """Return what a plugin answers for an architecture; PluginError for an answer of another type or unit.

    `before` are the answers of those whose lines it may see and, by name, replace.
    """
    earlier = {line.name: line for result in before for hook in UNITS for line in result.items[hook]}
    items: dict[str, list[Any]] = {
        hook: candidate.part(hook, kind, architecture, MappingProxyType(earlier)) for hook, kind in LINE_HOOKS.items()
    }
    for hook, unit in UNITS.items():
        _check_units(hook, items[hook], unit)
    if earlier:
        _check_optional(items["flopsheet_dimensions"])
    _check_replaced(candidate, [line for hook in UNITS for line in items[hook]], earlier)
    return PluginResult(
        candidate.plugin,
        items,
        partial(candidate.ask, "flopsheet_rules", Rule, architecture=architecture),
        partial(candidate.part, "flopsheet_activations", Line, architecture, earlier),
        frozenset(earlier).intersection(candidate.replaces),
    )


def _check_optional(dimensions: Iterable[Dimension]) -> None:
    """Refuse a dimension that a plugin adds to somebody else's models and that all of them would have to say."""
    if name := next((dimension.name for dimension in dimensions if dimension.default is None), ""):
        what = f"dimension {name} has no default, so that no model without it could be counted"
        raise PluginError(f"{what}; give it one at which nothing changes, such as default=0, minimum=0", name)


def _check_replaced(candidate: Candidate, lines: Iterable[Line], earlier: Mapping[str, Line]) -> None:
    """Refuse a line that takes the name of another without saying so, or in the place of none, or of another unit."""
    names = {line.name: line for line in lines}
    for name in candidate.replaces:
        if name in names and name not in earlier:
            raise PluginError(f"replaces names {name!r}, and there is no such line{names_like(name, earlier)}", name)
    for name, line in names.items():
        if name in earlier and name not in candidate.replaces:
            raise PluginError(
                f"the name {name!r} cannot be used: a line has it already; to replace that, say replaces = ({name!r},)",
                name,
            )
        if name in earlier and line.unit != earlier[name].unit:
            raise PluginError(f"the line {name} would replace one of {earlier[name].unit} by one of {line.unit}", name)


def _check_units(hook: str, lines: Iterable[Line], unit: str) -> None:
    for line in lines:
        if line.additive and line.unit != unit:
            raise PluginError(f"{hook}: line {line.name} has unit {line.unit!r}; {unit!r} is expected", line.name)

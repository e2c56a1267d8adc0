"""What loaded plugins said, asked when it is first needed; a bad one is refused with its reason and harms no other."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Struct, field, structs

from flopsheet.accounting.line import Dimension
from flopsheet.accounting.tables import whole
from flopsheet.accounting.values import MAX_SHOWN, show_value
from flopsheet.errors import PluginError
from flopsheet.host.candidate import (
    ARCHITECTURE,
    IMPORT,
    MODEL_TYPE,
    UNITS,
    Candidate,
    Plugin,
    PluginResult,
    ask,
)
from flopsheet.host.joining import activation_lines, joined_ledger, side_by_side
from flopsheet.host.places import place_in_code, place_of, place_of_family, reason_of
from flopsheet.host.sound import check_family, check_tables
from livesheets.suggestions import names_like

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from flopsheet.accounting.ledger import Ledger
    from flopsheet.accounting.line import Architecture, Family, Rule
    from flopsheet.accounting.optimizers import Optimizer
    from flopsheet.host.local import Given

T = TypeVar("T")
SLOW_SECONDS = 1.0
"""From here on, people are told which plugin they wait for."""


class Failure(Struct, frozen=True):
    """A plugin that is not used, or only in part, and why; `architecture` is one that is counted without its lines."""

    plugin: Plugin
    reason: str
    architecture: str = ""


class Host(Struct, eq=False):
    """What the loaded plugins said: architectures, families, and the answers for each architecture.

    `joining` holds the architectures that are next to others: see `joined`.
    `candidates` are the plugins that answer for an architecture, `answers` what they said once it was needed.
    `refused` holds the architectures and model_types that cannot be used although a plugin names them, and why.
    `checked_families` are the model_types whose tables were checked, `full_architectures` have the dimensions of all.
    `imported` are the plugins whose import went well, `loaded` those of them that are used.
    `barred` are the plugins that FLOPSHEET_PLUGINS does not allow, `without` the names of those that were left out,
    `given` those that are used without being installed: paths, and in Python modules.
    """

    plugins: list[Plugin] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    architectures: dict[str, tuple[Architecture, Plugin]] = field(default_factory=dict)
    joining: dict[str, tuple[Architecture, Plugin]] = field(default_factory=dict)
    families: dict[str, tuple[Family, Plugin]] = field(default_factory=dict)
    refused: dict[tuple[str, str], str] = field(default_factory=dict)
    candidates: dict[str, list[Candidate]] = field(default_factory=dict)
    answers: dict[str, list[PluginResult]] = field(default_factory=dict)
    ledgers: dict[str, Ledger] = field(default_factory=dict)
    training_ledgers: dict[str, Ledger] = field(default_factory=dict)
    serving_ledgers: dict[str, Ledger] = field(default_factory=dict)
    answered_rules: dict[tuple[str, Plugin], list[Rule]] = field(default_factory=dict)
    full_architectures: dict[str, Architecture] = field(default_factory=dict)
    loaded: list[Candidate] = field(default_factory=list)
    checked_families: set[str] = field(default_factory=set)
    imported: list[Candidate] = field(default_factory=list)
    hook_answers: dict[str, list[tuple[Plugin, list[Any]]]] = field(default_factory=dict)
    barred: list[Plugin] = field(default_factory=list)
    without: tuple[str, ...] = ()
    given: tuple[Given, ...] = ()

    @property
    def slow(self) -> list[tuple[Plugin, str, float]]:
        """The plugins whose import or hooks took long so far: which of these, and the seconds."""
        return [
            (candidate.plugin, "to import" if step == IMPORT else f"in {step}", seconds)
            for candidate in self.imported
            for step, seconds in candidate.seconds.items()
            if seconds > SLOW_SECONDS
        ]

    def ask_all(self, hook: str, kind: type[T]) -> list[tuple[Plugin, list[T]]]:
        """Return what each plugin answers to a hook without an argument, asked once; failures are kept with reasons.

        An answer that is wrong is left out alone.
        """
        if hook not in self.hook_answers:
            self.hook_answers[hook] = []
            for candidate in self.loaded:
                try:
                    items = candidate.ask(hook, kind, partial(self._refuse, candidate.plugin))
                    self.hook_answers[hook].append((candidate.plugin, items))
                except (Exception, SystemExit) as error:  # noqa: BLE001 - a plugin may raise anything
                    self._refuse(candidate.plugin, error)
        return self.hook_answers[hook]

    def has_answers(self, hook: str) -> bool:
        """Whether a loaded plugin answers to a hook; none is asked."""
        return any(getattr(candidate.hooks, hook).get_hookimpls() for candidate in self.loaded)

    def _refuse(self, plugin: Plugin, error: BaseException) -> None:

        self.fail(plugin, reason_of(plugin, error))

    def collect_named(
        self,
        hook: str,
        kind: type[T],
        own_names: Collection[str],
        by: str = "name",
        wrong: Callable[[T], str] = lambda _: "",
    ) -> dict[str, T]:
        """Return what plugins answer to a hook by name; a name that is taken is refused, with the reason.

        `wrong` says what else cannot be of one, "" where nothing is wrong. What has an empty name is looked up in
        another way.
        """
        result: dict[str, T] = {}
        for plugin, items in self.ask_all(hook, kind):
            for item in items:
                name = getattr(item, by)
                if reason := wrong(item):
                    self.fail(plugin, f"{hook}: {by} {name!r}: {reason}", name)
                elif name and (name in own_names or name in result):
                    self.fail(plugin, f"{hook}: there is already {by} {name!r}", name)
                elif name:
                    result[name] = item
        return result

    def optimizers(self) -> dict[str, Optimizer]:
        """Return every optimizer recipe by name: those that come with flopsheet, and those of plugins."""
        from flopsheet.accounting.optimizers import Optimizer, recipes, wrong  # noqa: PLC0415 - few starts need them

        own = recipes()
        return {**own, **self.collect_named("flopsheet_optimizers", Optimizer, own, wrong=wrong)}

    def fail(self, plugin: Plugin, reason: str, of: str = "") -> None:
        """Keep why a part of a plugin is not used, once; `of` is what the reason is about, as an error says it."""
        failure = Failure(plugin, reason + place_of(plugin, of))
        if failure not in self.failures:
            self.failures.append(failure)

    def place(self, plugin: Plugin, hook: str, of: str) -> str:
        """Return the file and line at which a plugin says something in its answer to a hook, if that can be found."""
        modules = (candidate.module(hook) for candidate in self.loaded if candidate.plugin == plugin)
        return place_of(plugin, of) or next((place_in_code(module, of) for module in modules if module), "")

    def tell(self, failure: Failure) -> str:
        """Say in one line what became of a plugin that failed, and why."""
        became = "was only partly loaded" if failure.plugin in self.plugins else "was refused"
        return f"plugin {failure.plugin} {became}: {' '.join(failure.reason.split())}"

    def architecture(self, name: str) -> Architecture:
        """Return the architecture of this name, with all dimensions that plugins give it.

        No line is asked for: an extension whose lines turn out not to fit still lends its dimensions. PluginError as of
        the ledger where the plugin that declared it cannot say its dimensions. One that joins others has those that it
        declares itself.
        """
        if name in self.joining:
            return self.joining[name][0]
        if name not in self.full_architectures:
            self.full_architectures[name] = self._describe(name, self.provider(name))
        return self.full_architectures[name]

    def join(self, base: str, joining: str) -> str:
        """Return the name of two architectures in one ledger: `dense` and `mm` make `dense_mm`."""
        name = f"{base}_{joining}"
        if name not in self.architectures and base in self.architectures:
            side, plugin = self.joining[joining]
            main = self.architectures[base][0]
            self.architectures[name] = side_by_side(name, main, side), plugin
        return name

    @property
    def tables(self) -> list[str]:
        """The names of all architectures, joined ones included, as workbooks have tables of them."""
        own = [name for name in self.architectures if not self.sides(name)]
        return [*own, *(f"{base}_{side}" for side in self.joining for base in own)]

    def sides(self, name: str) -> tuple[str, str] | None:
        """Return the architectures that a joined one is made of."""
        base, _, side = name.rpartition("_")
        known = base in self.architectures or (ARCHITECTURE, base) in self.refused
        return (base, side) if side in self.joining and known else None

    def family(self, model_type: str) -> Family:
        """Return the family of this `model_type`; PluginError says why there is none, and what to do."""
        if model_type in self.families:
            self._complete(model_type)
        if model_type in self.families:
            return self.families[model_type][0]
        raise PluginError(
            self.refused.get((MODEL_TYPE, model_type))
            or f"model_type {show_value(model_type)} is not supported"
            f"{names_like(model_type[:MAX_SHOWN], self.families)}"
            " (in a portfolio, read_as = '…' reads it as a type that works alike)"
        )

    def provider(self, architecture: str) -> Plugin:
        """Return the plugin that declared an architecture; PluginError says which architectures there are."""
        if sides := self.sides(architecture):
            self.join(*sides)
        if architecture in self.architectures:
            return self.architectures[architecture][1]
        raise PluginError(
            self.refused.get((ARCHITECTURE, sides[0] if sides else architecture))
            or f"no plugin has an architecture {architecture!r}{_list_known(architecture, self)}"
        )

    def ledger(self, architecture: str) -> Ledger:
        """Return the architecture's ledger, built when first asked; PluginError says what is wrong with its lines.

        It holds the lines of the plugin that declared it and of each extension whose lines fit to them. Plugins are
        asked for lines when this is first needed, since few commands need all architectures. Whoever spoils the ledger
        is found here, and is in `failures` from then on.
        """
        if architecture not in self.ledgers:
            self.ledgers[architecture] = self._build(architecture, self.provider(architecture))
        return self.ledgers[architecture]

    def giver(self, architecture: str, line: str) -> Plugin:
        """Return the plugin that gave a line of an architecture; the one that declared it where flopsheet made it."""
        answers = self._all_answers(architecture)
        plugins = {item.name: answer.plugin for answer in answers for hook in UNITS for item in answer.items[hook]}
        return plugins.get(line) or self.provider(architecture)

    def _all_answers(self, architecture: str) -> list[PluginResult]:
        """Return the answers for an architecture, behind those for the one that it is joined to."""
        sides = self.sides(architecture)
        return [*(self.answers[sides[0]] if sides else ()), *self.answers[architecture]]

    def extensions(self, architecture: str) -> list[tuple[Plugin, list[str]]]:
        """Return the plugins that add lines to an architecture which they did not declare, with these lines' names."""
        owners = {self.provider(name) for name in (architecture, *(self.sides(architecture) or ())[:1])}
        return [
            (answer.plugin, [item.name for hook in UNITS for item in answer.items[hook]])
            for answer in self.answers[architecture]
            if answer.plugin not in owners
        ]

    def find_replaced(self, architecture: str) -> dict[str, Plugin]:
        """Return the lines of an architecture's owner that a plugin replaces, with that plugin."""
        return {name: answer.plugin for answer in self.answers[architecture] for name in sorted(answer.replaces)}

    def training_ledger(self, architecture: str) -> Ledger:
        """Return the ledger with what plans of training and serving ask for: what a pass keeps, and who holds what.

        PluginError where no plugin says what the architecture's layers keep, or says it wrongly.
        """
        if architecture not in self.training_ledgers:
            from flopsheet.accounting.training_ledger import with_training  # noqa: PLC0415 - few starts need it

            ledger = self.ledger(architecture)
            lines = [line for answer in self._all_answers(architecture) for line in activation_lines(answer)]
            self.training_ledgers[architecture] = with_training(ledger, lines)
        return self.training_ledgers[architecture]

    def serving_ledger(self, architecture: str) -> Ledger:
        """Return the ledger of training with what prompts and decode steps of any length cost.

        PluginError as of the ledger of training, which says who holds which weights.
        """
        if architecture not in self.serving_ledgers:
            from flopsheet.accounting.serving_ledger import with_serving  # noqa: PLC0415 - few starts need it

            self.serving_ledgers[architecture] = with_serving(self.training_ledger(architecture))
        return self.serving_ledgers[architecture]

    def every_ledger(self) -> dict[str, Ledger]:
        """Return the ledgers of all architectures but those in which a fault is found, which is in `failures`."""
        for name in list(self.architectures):
            with suppress(PluginError):
                self.ledger(name)
        return {name: self.ledgers[name] for name in self.architectures}

    def rules(self, architecture: str) -> list[Rule]:
        """Return the rules of thumb for an architecture."""
        return [rule for rule, _ in self.rules_with_plugins(architecture)]

    def rules_with_plugins(self, architecture: str) -> list[tuple[Rule, Plugin]]:
        """Return each rule of thumb with the plugin that gave it.

        Plugins are asked when this is first needed, since few commands show rules. One that fails keeps its lines; its
        rules are left out and the reason is in `failures`.
        """
        if architecture not in self.answers:
            self.ledger(architecture)
        answers = self.answers[architecture]
        return [(rule, answer.plugin) for answer in answers for rule in self._rules_of(architecture, answer)]

    def _rules_of(self, architecture: str, answer: PluginResult) -> list[Rule]:
        key = architecture, answer.plugin
        if key not in self.answered_rules:
            try:
                self.answered_rules[key] = _once(answer.ask_rules())
            except (Exception, SystemExit) as error:  # noqa: BLE001 - a plugin may raise anything
                self.failures.append(
                    Failure(answer.plugin, f"its rules are left out: {reason_of(answer.plugin, error)}")
                )
                self.answered_rules[key] = []
        return self.answered_rules[key]

    def _complete(self, model_type: str) -> None:
        """Parse and check a family's table, once; one that is unsound is refused like a plugin that fails."""
        family, plugin = self.families[model_type]
        package = family.package
        if model_type in self.checked_families:
            return
        self.checked_families.add(model_type)
        try:
            family = whole(family)
            self.families[model_type] = family, plugin
            check_tables(family)
            self._check_known(family)
            if family.architecture in self.architectures:  # a reader of parts knows what they are made of
                check_family(family, self.architecture(family.architecture).dimensions)
        except PluginError as error:
            earlier = self.refused.get((ARCHITECTURE, family.architecture))  # of the architecture, among the failures
            reason = reason_of(plugin, error) + place_of_family(package, error.of)
            self.failures += [] if earlier else [Failure(plugin, reason)]
            self.refused[MODEL_TYPE, model_type] = earlier or f"{plugin}: {reason}"
            del self.families[model_type]

    def _check_known(self, family: Family) -> None:
        """Raise PluginError for a family of an architecture that nobody declared; one that failed tells itself."""
        name = family.architecture
        if name not in self.architectures and name not in self.joining and (ARCHITECTURE, name) not in self.refused:
            where = f"family {family.model_type}: architecture {name!r}"
            raise PluginError(
                f"{where}: no plugin has it{_list_known(name, self)}", f"families.{family.model_type}.architecture"
            )

    def _find_candidates(self, name: str, owner: Plugin) -> list[Candidate]:
        """Return the plugins that answer for an architecture, its owner first."""
        sides = self.sides(name)
        return sorted(self.candidates[sides[1] if sides else name], key=lambda candidate: candidate.plugin != owner)

    def _describe(self, name: str, owner: Plugin) -> Architecture:
        architecture, sides = self.architectures[name][0], self.sides(name)
        if sides:
            architecture = replace(architecture, dimensions=self.architecture(sides[0]).dimensions)
        for candidate in self._find_candidates(name, owner):
            try:
                more = candidate.part("flopsheet_dimensions", Dimension, architecture)
            except (Exception, SystemExit) as error:  # noqa: BLE001 - a plugin may raise anything
                if candidate.plugin == owner:
                    raise self._withdraw_failed(name, owner, error) from None
                continue  # the ledger says so
            architecture = replace(architecture, dimensions=(*architecture.dimensions, *more))
        return architecture

    def _withdraw_failed(self, name: str, owner: Plugin, error: BaseException) -> PluginError:
        """Withdraw an architecture whose own plugin fails, and return the reason."""
        reason = reason_of(owner, error)
        self.failures.append(Failure(owner, reason))
        self.refused[ARCHITECTURE, name] = f"{owner}: {reason}"
        del self.architectures[name]
        return PluginError(self.refused[ARCHITECTURE, name])

    def _build(self, name: str, owner: Plugin) -> Ledger:
        architecture, sides = self.architectures[name][0], self.sides(name)
        base = self._answers_of(sides[0], name) if sides else []
        own, *extensions = self._find_candidates(name, owner)
        try:
            answers = [*base, ask(own, architecture)]
            ledger = joined_ledger(architecture, answers)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a plugin may raise anything
            raise self._withdraw_failed(name, owner, error) from None
        for extension in extensions:
            try:
                more = [*answers, ask(extension, ledger.architecture, answers)]
                ledger, answers = joined_ledger(architecture, more), more
            except (Exception, SystemExit) as error:  # noqa: BLE001 - a plugin may raise anything
                self.failures.append(Failure(extension.plugin, reason_of(extension.plugin, error), name))
        self.answers[name] = answers[len(base) :]  # rules of thumb mean models without what is joined to them
        return ledger

    def _answers_of(self, base: str, name: str) -> list[PluginResult]:
        """Return what was answered for the architecture that another is joined to; who failed there fails here."""
        self.ledger(base)
        failures = [failure for failure in self.failures if failure.architecture == base]
        self.failures += [structs.replace(failure, architecture=name) for failure in failures]
        return self.answers[base]


def _once(rules: list[Rule]) -> list[Rule]:
    """Return rules of different names; PluginError names one that is given twice."""
    names = [rule.name for rule in rules]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise PluginError(f"rule {twice} is given twice", twice)
    return rules


def _list_known(name: str, host: Host) -> str:
    names = ", ".join(host.architectures)
    return names_like(name, host.architectures) or (f"; expected one of {names}" if names else "; none is loaded")

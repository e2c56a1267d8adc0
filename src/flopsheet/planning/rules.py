"""Rules of thumb next to the exact numbers of a model: how far a published formula is off, and its corrected form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from flopsheet.accounting import formula
from flopsheet.accounting.formula.compose import times
from flopsheet.errors import FormulaError, PluginError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from flopsheet.accounting.formula import Formula
    from flopsheet.accounting.line import Number, Rule
    from flopsheet.host.candidate import Plugin
    from flopsheet.host.host import Host
    from flopsheet.planning.costed_model import Costed

EVERYWHERE = "1"
"""What a rule for all models of its architecture says of where it applies."""
DIFFERENCE = formula.read("number / exact - 1")
"""What a form of a rule is off, as a share of the exact number."""


def where(rule: Rule, exact: str) -> str:
    """Return the formula that is 0 for models that a rule does not mean, and for those without what it counts.

    `exact` is the formula of the exact number, or its name.
    """
    return exact if rule.applies == EVERYWHERE else times(rule.applies, exact)


class RuleResult(Struct, frozen=True):
    """A rule of thumb evaluated for one model; a difference is a share of the exact number."""

    rule: Rule
    published: Number
    corrected: Number | None
    exact: Number

    @property
    def difference(self) -> float:
        """What the published form is off."""
        return _difference(self.published, self.exact)

    @property
    def corrected_difference(self) -> float | None:
        """What the corrected form is off, None without one."""
        return None if self.corrected is None else _difference(self.corrected, self.exact)


class RuleForm(Struct, frozen=True):
    """A rule of thumb whose formulas have been read; `where` is 0 for a model that it does not mean."""

    rule: Rule
    plugin: Plugin
    where: Formula
    published: Formula
    corrected: Formula | None
    exact: Formula

    @property
    def formulas(self) -> list[Formula]:
        """The formulas of its numbers."""
        return [part for part in (self.published, self.corrected, self.exact) if part]

    @property
    def texts(self) -> list[str]:
        """The texts of the published, corrected and exact formulas, "" for none."""
        return [part.text if part else "" for part in (self.published, self.corrected, self.exact)]

    @property
    def names(self) -> set[str]:
        """Every name that it uses."""
        return {name for part in (*self.formulas, self.where) for name in part.names}

    def evaluate(self, numbers: Mapping[str, Number]) -> RuleResult | None:
        """Return the rule for a model's dimensions and lines, None where it does not apply.

        PluginError names the rule that gives no number.
        """
        try:
            if not self.where.evaluate(numbers):
                return None
            exact, original = self.exact.evaluate(numbers), self.published.evaluate(numbers)
            fixed_form = self.corrected.evaluate(numbers) if self.corrected else None
        except FormulaError as error:
            raise _refuse_rule(self.rule, self.plugin, error) from None
        return RuleResult(self.rule, original, fixed_form, exact)


def read_rule(rule: Rule, plugin: Plugin, names: Collection[str]) -> RuleForm:
    """Return a rule with its formulas read; they use these names. PluginError names the rule that cannot be read."""
    try:
        return RuleForm(
            rule,
            plugin,
            formula.read(where(rule, rule.compares), names),
            formula.read(rule.formula, names),
            formula.read(rule.corrected, names) if rule.corrected else None,
            formula.read(rule.compares, names),
        )
    except FormulaError as error:
        raise _refuse_rule(rule, plugin, error) from None


def sound_rules(host: Host, architecture: str, names: Collection[str]) -> list[RuleForm]:
    """Return the rules of an architecture that can be read; each other is kept as a failure of its plugin."""
    results = []
    for rule, plugin in host.rules_with_plugins(architecture):
        try:
            results.append(read_rule(rule, plugin, names))
        except PluginError as error:
            host.fail(plugin, f"a rule is left out: {error}", error.of)
    return results


def _refuse_rule(rule: Rule, plugin: Plugin, error: FormulaError) -> PluginError:
    return PluginError(f"rule {rule.name} of {plugin}:\n{error}", rule.name)


def apply_rules(host: Host, model: Costed) -> list[RuleResult]:
    """Return the rules that apply to a model, evaluated on its dimensions and lines.

    Left out are rules whose exact number is 0: the model has nothing of what they count. PluginError names the rule
    whose formula cannot be read or gives no number, and its plugin.
    """
    rules = host.rules_with_plugins(model.model.architecture) if model.ledger else []
    forms = [read_rule(rule, plugin, model.numbers.keys()) for rule, plugin in rules]
    return [result for form in forms if (result := form.evaluate(model.numbers))]


def _difference(number: Number, exact: Number) -> float:
    return float(DIFFERENCE.evaluate({"number": number, "exact": exact}))

"""Which columns a table of workings needs: what can be nothing but 0 in this batch is left out."""

from __future__ import annotations

import ast
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING

from msgspec import Struct

from flopsheet.accounting import formula
from flopsheet.accounting.formula.compose import plus, terms
from flopsheet.accounting.formula.exact import HELPERS, divide
from flopsheet.accounting.totals import COUNTED_BY_HOST
from flopsheet.export.workbook.rule_results import rule_results

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from flopsheet.accounting.formula import Formula
    from flopsheet.accounting.ledger import Ledger
    from flopsheet.accounting.line import Dimension, Number, Rule
    from flopsheet.accounting.totals import Entry
    from flopsheet.export.workbook.rule_results import RuleResults
    from flopsheet.host.host import Host
    from flopsheet.planning.costed_model import Costed


class ArchitectureTable(Struct, frozen=True, dict=True):
    """One architecture's table of workings: its models by number, and the dimensions, lines and rules that it shows."""

    ledger: Ledger
    models: Mapping[int, Costed]
    dimensions: tuple[Dimension, ...]
    entries: tuple[Entry, ...]
    left_out: frozenset[str]
    rules: Sequence[RuleResults] = ()

    @property
    def table(self) -> str:
        """The table's name in the workbook."""
        return self.ledger.architecture.name

    @property
    def sheet(self) -> str:
        """The name of the sheet of workings."""
        return f"Workings {self.table}"

    @property
    def card(self) -> str:
        """The name of the sheet with the card."""
        return f"Card {self.table}"

    @cached_property
    def names(self) -> frozenset[str]:
        """Every name that has a column."""
        return frozenset({d.name for d in self.dimensions} | {e.line.name for e in self.entries})

    @cached_property
    def defaults(self) -> frozenset[str]:
        """The names of dimensions that some model's family has a default for."""
        return frozenset[str]().union(*(model.model.defaults for model in self.models.values()))

    @property
    def last(self) -> str:
        """The name of the last column."""
        return self.entries[-1].line.name


def architecture_table(
    ledger: Ledger, models: Mapping[int, Costed], rules: Sequence[RuleResults] = ()
) -> ArchitectureTable:
    """Return the table of an architecture for the models of a batch.

    A line is left out only if it stays 0 whatever a planner types into the columns that remain: dimensions that are 0
    for every model go only together with all lines that they silence. Totals always stay.
    """
    rows = [model.numbers.row for model in models.values()]
    zeros = {d.name for d in ledger.dimensions if not any(map(itemgetter(ledger.places[d.name]), rows))}
    rule_names = _rule_names(result.rule for result in rules)
    out = _idle(ledger, _silent(ledger, zeros), rule_names)
    while stays := zeros & _names_read(ledger, out):
        zeros -= stays
        out = _idle(ledger, _silent(ledger, zeros), rule_names)
    unread = {d.name for d in ledger.dimensions} - _names_read(ledger, out) - {"max_positions"}
    out |= unread & zeros
    return ArchitectureTable(
        ledger,
        models,
        tuple(d for d in ledger.dimensions if d.name not in out),
        tuple(e for e in ledger.entries if e.line.name not in out),
        frozenset(out),
        rules,
    )


def _rule_names(rules: Iterable[Rule]) -> set[str]:
    """Return the names that rules of thumb use."""
    texts = (text for rule in rules for text in (rule.formula, rule.corrected, rule.compares, rule.applies) if text)
    return {name for text in texts for name in formula.read(text).names}


def _silent(ledger: Ledger, zeros: set[str]) -> set[str]:
    """Return the lines that are 0 for every value of the other dimensions."""
    silent: set[str] = set()
    for entry in ledger.entries:
        name = entry.line.name
        if entry.role != "total" and constant_value(ledger.formulas[name].tree, zeros | silent) == 0:
            silent.add(name)
    return silent


def _idle(ledger: Ledger, out: set[str], rule_names: set[str]) -> set[str]:
    """Return what is out, and the helpers that no line or rule which stays needs, directly or through another."""
    helpers = {entry.line.name for entry in ledger.entries if entry.role == "helper"} - rule_names
    while more := helpers - _names_read(ledger, out, with_sums=True) - out:
        out |= more
    return out


def _names_read(ledger: Ledger, out: set[str], *, with_sums: bool = False) -> set[str]:
    """Return what is not out and is read by lines that are not, by those that only add others up `with_sums`."""
    entries = (entry for entry in ledger.entries if entry.line.name not in out and (with_sums or not is_sum(entry)))
    return {name for entry in entries for name in ledger.formulas[entry.line.name].names} - out


def is_sum(entry: Entry) -> bool:
    """Tell whether an entry only adds other lines up, so that one that is 0 can go unnoticed."""
    return entry.line.source == COUNTED_BY_HOST and all(map(_name_of, terms(entry.line.formula)))


def without(whole: Formula, out: frozenset[str]) -> str:
    """Return the text of a formula without the terms that are left out."""
    if out.isdisjoint(whole.names):
        return whole.text
    return plus(*(term for term in terms(whole.text) if _name_of(term) not in out))


def _name_of(term: str) -> str:
    """Return the name that a term of a sum is, added or taken away; nothing for any other term."""
    name = term.removeprefix("-")
    return name if name.isidentifier() else ""


def architecture_tables(plan_models: Sequence[Costed], host: Host | None = None) -> list[ArchitectureTable]:
    """Return the tables of a batch, one an architecture, its models numbered by their place in the batch.

    With a host they show its rules of thumb too.
    """
    batches: dict[str, dict[int, Costed]] = {}
    for number, model in enumerate(plan_models, start=1):
        if model.ledger:
            batches.setdefault(model.model.architecture, {})[number] = model
    ledgers = {name: next(iter(models.values())).ledger for name, models in batches.items()}
    return [
        architecture_table(ledger, batches[name], rule_results(host, name, batches[name]) if host else ())
        for name, ledger in ledgers.items()
        if ledger
    ]


FUNCTIONS = ("min", "max", "ceil", "floor")


def constant_value(tree: ast.expr, zeros: Collection[str]) -> Number | None:  # noqa: PLR0911  one return for each kind of node
    """Return the number that an expression always gives; None where another name can change it."""
    match tree:
        case ast.Constant(value=int() | float() as value):
            return value
        case ast.Name(id=name):
            return 0 if name in zeros else None
        case ast.UnaryOp(op=op, operand=operand):
            inner = constant_value(operand, zeros)
            return -inner if inner is not None and isinstance(op, ast.USub) else inner
        case ast.BinOp(left=left, op=op, right=right):
            return _fold_operation(op, constant_value(left, zeros), constant_value(right, zeros))
        case ast.IfExp(test=test, body=body, orelse=orelse):
            condition, then, other = (constant_value(part, zeros) for part in (test, body, orelse))
            return (then if condition else other) if condition is not None else then if then == other else None
        case ast.Call(func=ast.Name(id=name), args=args) if name in FUNCTIONS:
            return _fold_call(name, [constant_value(argument, zeros) for argument in args])
    return None


def _fold_operation(op: ast.operator, left: Number | None, right: Number | None) -> Number | None:
    if left == 0 and isinstance(op, ast.Mult | ast.Div):
        return 0
    if right == 0 and isinstance(op, ast.Mult | ast.Div):
        return 0 if isinstance(op, ast.Mult) else None
    if left is None or right is None:
        return None
    if isinstance(op, ast.Div):
        return divide(left, right)
    return left * right if isinstance(op, ast.Mult) else left + right if isinstance(op, ast.Add) else left - right


def _fold_call(name: str, values: list[Number | None]) -> Number | None:
    numbers = [value for value in values if value is not None]
    if len(numbers) < len(values) or (name == "ceil" and numbers[0] < 0):
        return None
    result: Number = HELPERS[f"{name}()"](*numbers)
    return result

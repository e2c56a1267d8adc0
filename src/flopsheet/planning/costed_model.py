"""A model with its numbers: what every report shows of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from flopsheet.accounting.numbers import Numbers
from flopsheet.accounting.values import expand_choices, plain

if TYPE_CHECKING:
    from flopsheet.accounting.ledger import Ledger
    from flopsheet.accounting.line import Group
    from flopsheet.accounting.totals import Section
    from flopsheet.configs.model import Model, Status
    from flopsheet.host.candidate import Plugin

SECTIONS: tuple[Section, ...] = ("parameters", "flops", "memory")


class Costed(Struct, frozen=True, eq=False, dict=True):
    """A model with the number of its every dimension and line; in error it has none, only the reasons.

    What reports show of the numbers is made each time that it is asked for: a batch holds each number once.
    """

    model: Model
    plugin: Plugin | None = None
    ledger: Ledger | None = None
    numbers: Numbers = field(default_factory=Numbers)

    def __repr__(self) -> str:
        """Say what the model is, without its ledger, which is too long for a prompt."""
        count = f", {plain(self.numbers['parameters']):,} parameters" if self.ledger else ""
        return f"<model {self.name!r}: {self.status}{count}>"

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model.name

    @property
    def status(self) -> Status:
        """`ok`, `approximate` or `error`, the worst of the model's quantities."""
        return self.model.status

    @property
    def problems(self) -> list[str]:
        """Why the status is not `ok`; empty exactly when it is."""
        return [*self.model.errors, *self.model.problems]

    @property
    def notes(self) -> list[str]:
        """Conventions that a reader should know."""
        return list(self.model.notes)

    @property
    def dimensions(self) -> dict[str, Any]:
        """Each dimension's value, choices by label."""
        return expand_choices(self.ledger.dimensions, self.numbers) if self.ledger else {}

    @property
    def totals(self) -> dict[str, int | float]:
        """Each total by name; whole numbers are int."""
        if self.ledger is None:
            return {}
        numbers = self.numbers.some(self.ledger.totals)
        return {name: number if type(number) is int else plain(number) for name, number in numbers.items()}

    @property
    def groups(self) -> dict[str, dict[Group, int | float]]:
        """For parameters, flops and memory, each group's subtotal."""
        result: dict[str, dict[Group, int | float]] = {section: {} for section in SECTIONS}
        for entry in self.ledger.entries if self.ledger else ():
            if entry.role == "subtotal":
                result[entry.section][entry.line.group] = plain(self.numbers[entry.line.name])
        return result

    @property
    def lines(self) -> list[dict[str, Any]]:
        """Each line with its formula, value, unit, group, about and source."""
        if self.ledger is None:
            return []
        return [
            {
                "name": entry.line.name,
                "formula": entry.line.formula,
                "value": plain(self.numbers[entry.line.name]),
                "unit": entry.line.unit,
                "group": entry.line.group,
                "about": entry.line.about or entry.line.label,
                "source": entry.line.source,
            }
            for entry in self.ledger.entries
        ]

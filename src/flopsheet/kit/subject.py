"""What is checked: a plugin, the host that it is loaded in, its architectures, and models to count."""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct, field

from flopsheet.errors import FlopsheetError
from flopsheet.export.ask_plugins import ask_everything
from flopsheet.host.candidate import UNITS
from flopsheet.kit.examples import Example, examples_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from flopsheet.accounting.ledger import Ledger
    from flopsheet.accounting.line import Line
    from flopsheet.host.candidate import Plugin
    from flopsheet.host.host import Failure, Host


class Subject(Struct, frozen=True, eq=False, dict=True):
    """A plugin under check."""

    host: Host
    plugin: Plugin
    configs: Sequence[Path] = ()
    left_out: Mapping[Path, str] = field(default_factory=dict)
    """Configs that lie with the plugin and are of types that it does not read, with these."""

    @cached_property
    def examples(self) -> list[Example]:
        """The models that it is checked with."""
        return examples_of(self.host, self.plugin, self.configs)

    @cached_property
    def countable(self) -> list[Example]:
        """The examples that can be counted."""
        return [example for example in self.examples if example.costed.ledger is not None]

    @cached_property
    def ledgers(self) -> dict[str, Ledger]:
        """The ledgers that hold lines of the plugin, by architecture; those that cannot be built are left out."""
        result = {}
        for name in self.host.tables:
            with suppress(FlopsheetError):
                ledger = self.host.ledger(name)
                if self.lines(name):
                    result[name] = ledger
        return result

    def lines(self, architecture: str) -> list[Line]:
        """Return the lines that the plugin gives to an architecture."""
        return [
            line
            for answer in self.host.answers.get(architecture, ())
            if answer.plugin == self.plugin
            for hook in UNITS
            for line in answer.items[hook]
        ]

    @cached_property
    def failures(self) -> list[Failure]:
        """What the host refuses of the plugin, after everything that it declares was asked for."""
        ask_everything(self.host)
        return [failure for failure in self.host.failures if failure.plugin == self.plugin]

    @property
    def own_architectures(self) -> list[str]:
        """The architectures that the plugin declares, those that are next to others left out."""
        names = [name for name, (_, owner) in self.host.architectures.items() if owner == self.plugin]
        return [name for name in names if not self.host.sides(name)]

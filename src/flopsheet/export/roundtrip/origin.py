"""What a workbook says of its making, in the table Provenance, and the plugins that it was made with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, field

from flopsheet.configs.files import read_bytes, sha256
from flopsheet.configs.made_with import changed_plugins, missing_plugins
from flopsheet.errors import UsageError
from flopsheet.host.candidate import Plugin
from flopsheet.host.local import WRITTEN, Choice, of_user
from flopsheet.units.numbers import number_of
from livesheets.days import FROM_1900

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.host.host import Host
    from livesheets import Spreadsheet

Pairs = tuple[tuple[str, str], ...]
TABLE = "provenance"


class Origin(Struct, frozen=True):
    """The rows of Provenance by what they tell: pairs of a name and a version or SHA-256."""

    workbook: str
    rows: dict[str, Pairs] = field(default_factory=dict)

    def read_pairs(self, what: str) -> Pairs:
        """Return the pairs of one kind: Program, Plugin, Question, Stated, Option, Config and others."""
        return self.rows.get(what, ())

    def option(self, name: str) -> list[str]:
        """Return the values that an option of the command line had."""
        return [value for option, value in self.read_pairs("Option") if option == name]

    @property
    def choice(self) -> Choice:
        """The plugins that were left out, and those that were used without being installed."""
        left_out = (*self.option("--without"), *dict(self.read_pairs("Without")))
        return Choice(tuple(dict.fromkeys(left_out)), tuple(self.option("--plugin")))

    @property
    def plugins(self) -> list[Plugin]:
        """The plugins that the numbers come from."""
        parts = [(name, *text.rpartition(" ")) for name, text in self.read_pairs("Plugin")]
        return [Plugin(name, package, version) for name, package, _, version in parts]

    @property
    def written_plugins(self) -> list[str]:
        """The files of plugins without code, but for those of the user's configuration, which are always used."""
        return [one.package for one in self.plugins if one.package.endswith(WRITTEN) and one.package not in of_user()]


def read_origin(book: Spreadsheet, workbook: str) -> Origin:
    """Return what the workbook says of its making; UsageError where it says nothing."""
    if TABLE not in book.tables:
        why = (
            "only workbooks of shipped templates and of their copies are read back, not those of a template of your own"
        )
        raise UsageError(f"{workbook} has no table {TABLE!r}: {why}")
    if book.day_offset:
        raise UsageError(f"{workbook} counts its days from 1904, and flopsheet wrote them from 1900: {FROM_1900}")
    table = book.tables[TABLE]
    sheet = book.sheet(table.sheet)
    top, left = table.first
    rows: dict[str, Pairs] = {}
    for row in range(top + 1, table.last[0] + 1):
        cells = [sheet.value((row, left + place)) for place in range(3)]
        what, name, value = ("" if cell is None else str(cell) for cell in cells)
        rows[what] = (*rows.get(what, ()), (name, value))
    return Origin(workbook, rows)


def check_portfolio(origin: Origin, portfolio: Path) -> None:
    """Raise UsageError where a file is not the portfolio that the workbook was made from."""
    made_from = origin.read_pairs("Portfolio")
    if len(made_from) != 1:
        count = "no portfolio" if not made_from else number_of(len(made_from), "portfolio")
        raise UsageError(
            f"{origin.workbook} was made from {count}; import changes the one that a workbook is made from"
        )
    ((name, digest),) = made_from
    result = sha256(read_bytes(portfolio))
    if result != digest:
        raise UsageError(
            f"{portfolio} is not the portfolio of {origin.workbook}, or has changed since: the workbook was made from"
            f" {name} with SHA-256 {digest[:12]}…, this one has {result[:12]}…; report again and edit that workbook"
        )


def check_inputs(origin: Origin, fresh: Origin, portfolio: Path) -> None:
    """Raise UsageError where the portfolio's config files are not those that the workbook was made from."""
    then, now = origin.read_pairs("Config"), fresh.read_pairs("Config")
    if len(then) != len(now):
        raise UsageError(
            f"{origin.workbook} was made from {number_of(len(then), 'config file')}, {portfolio} names {len(now)}:"
            " other inputs were reported with it; report the portfolio alone and edit that workbook"
        )
    names = [name for (name, one), (_, other) in zip(then, now, strict=True) if one != other]
    if names:
        raise UsageError(f"changed since {origin.workbook} was made: {', '.join(names)}; report again and edit that")


def drift(origin: Origin, fresh: Origin) -> Iterator[str]:
    """Say which versions differ between then and now, since formulas and defaults may differ for that reason."""
    for what in ("Program", "Plugin", "Formulas", "Template", "Accelerator"):
        then, now = dict(origin.read_pairs(what)), dict(fresh.read_pairs(what))
        for name in dict.fromkeys((*then, *now)):
            one, other = (versions.get(name, "not there") for versions in (then, now))
            if one != other:
                yield f"{what} {name} changed since the workbook was made: {one[:20]} → {other[:20]}"


def plugins_for(origin: Origin, choice: Choice) -> Choice:
    """Return the plugins to load for a workbook: those given now, and the files that it was made with.

    A file that was given is used in place of the one of its name.
    """
    names = {Path(str(file)).resolve().stem for file in choice.plugins}
    made_with = dict.fromkeys((*origin.choice.plugins, *origin.written_plugins))
    files = [file for file in made_with if Path(str(file)).exists() and Path(str(file)).resolve().stem not in names]
    return Choice(tuple(dict.fromkeys((*origin.choice.without, *choice.without))), (*choice.plugins, *files))


def check_plugins(origin: Origin, host: Host) -> list[str]:
    """Return what is to be said of other versions; UsageError where a plugin is missing: its numbers would be lost."""
    if missing := missing_plugins(host, origin.plugins):
        head = f"{origin.workbook} needs plugins that are missing; without them its questions and inputs would be lost:"
        raise UsageError("\n  ".join([head, *missing]))
    return [f"{origin.workbook} was {text}" for text in changed_plugins(host, origin.plugins)]

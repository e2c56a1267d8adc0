"""The shipped template's named cells: what is in them, what they are, and which a template may keep."""

from __future__ import annotations

from functools import cache, cached_property
from importlib.resources import files
from typing import TYPE_CHECKING

from msgspec import Struct

from flopsheet.accounting.data import read_table
from flopsheet.export.binding.names import NamedValue
from flopsheet.export.layout.spec import check_cell
from flopsheet.export.workbook.about import about_names, together_unit
from flopsheet.export.workbook.assumptions import driver_names
from flopsheet.export.workbook.bridge import bridge_names
from flopsheet.export.workbook.cells import unit_size
from flopsheet.export.workbook.checks import CASE, HERE, master
from flopsheet.export.workbook.figures import base_answers, figure_meanings
from flopsheet.export.workbook.sensitivity import EACH_POINT, grid_names, result_spans, sensitivity_names
from flopsheet.units.readable import NAMED, size
from livesheets import Formula, Template, Value, read_template
from livesheets.excel import read
from livesheets.references import references
from livesheets.tokens import tokens

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet.export.workbook.model_columns import Scales
    from flopsheet.export.workbook.question_sheets import QuestionSheet
    from flopsheet.planning.plan import Plan
    from livesheets import Table
    from livesheets.references import Reference
    from livesheets.tokens import Token

CHECKED = ("The state of all checks", "", "Whether all are passed, as each sheet shows it")
"""Title, unit and about of the cells that no table describes."""


class NamedCells(Struct, frozen=True, dict=True):
    """A plan's values for the shipped template's named cells, in a template that may have any part of them."""

    plan: Plan
    template: Template
    units: Scales
    fills_drivers: bool
    questions: Sequence[QuestionSheet]

    @cached_property
    def values(self) -> Mapping[str, Value | Formula]:
        """Every named cell, by name."""
        plan = self.plan
        names: dict[str, Value | Formula] = {
            **about_names(plan),
            **bridge_names(plan, self.units),
            **sensitivity_names(plan),
            **grid_names(plan),
            **self._stated_formulas,
            **{name: cell for sheet in self.questions for name, cell in sheet.cells().items()},
        }
        names |= {name: size(unit) for unit, name in NAMED.items()}
        names["chk_master"] = master(names_case=CASE in self.template.names, has_gaps=plan.has_gaps)
        layouts = read_table("flopsheet.export.layout", "sheets.toml").items()
        checks = ("chk_about", *(check_cell(tab, layout) for tab, layout in layouts if "own_names" not in layout))
        return names | dict.fromkeys(checks, HERE)

    @property
    def _stated_formulas(self) -> dict[str, Formula]:
        """The cells whose formula cells.toml states."""
        names = {
            **result_spans(self.plan),
            "each_point": EACH_POINT,
            "together_unit": unit_size(together_unit(self.plan)),
        }
        texts = {name: entry["formula"] for name, entry in _cells().items() if "formula" in entry}
        if not self.plan.costed:
            texts |= {name: entry["no_models"] for name, entry in _cells().items() if "no_models" in entry}
        return {name: Formula(read(text, names=names)) for name, text in texts.items()}

    @property
    def named_values(self) -> dict[str, NamedValue]:
        """What each named cell is."""
        answers = base_answers(self.plan)
        figures = {name: meaning for answer in answers for name, meaning in figure_meanings(answer).items()}
        for sheet in self.questions:
            figures |= sheet.describe_cells()
        texts = {name: (entry["title"], entry.get("unit", ""), entry["about"]) for name, entry in _cells().items()}
        texts = figures | texts
        return {name: NamedValue(name, *texts.get(name, CHECKED), value) for name, value in self.values.items()}

    def new_names(self) -> dict[str, str]:
        """Return the names of the live drivers' cells, where the table of drivers stands.

        A name that points out of that table is the author's own.
        """
        if not self.fills_drivers:
            return {}
        table = self.template.book.tables["drivers"]
        targets = {name.casefold(): references(text) for name, text in self.template.names.items()}
        names = driver_names(self.plan, table)
        return {name: cell for name, cell in names.items() if _is_of(table, targets.get(name.casefold()))}

    def wrote(self, name: str, formula: str) -> bool:
        """Whether a formula in a named cell is what flopsheet puts there, so that it may be replaced."""
        value = self.values.get(name)
        own = value.text if isinstance(value, Formula) else None
        if own is None or "#REF!" in formula or formula == own:
            return own is not None
        if self._is_filled and _without_constants(formula) == _without_constants(own):
            return True
        return formula == shipped_formulas().get(name)

    @cached_property
    def _is_filled(self) -> bool:
        """Whether the template is an earlier plan's workbook: its texts say that plan's units and accelerator."""
        table = self.template.book.tables.get("provenance")
        rows = range(table.area.top + 1, table.area.bottom + 1) if table else ()
        return any(self.template.value(table.sheet, row, table.area.left) == "Plan" for row in rows if table)


@cache
def shipped_formulas() -> Mapping[str, str]:
    """Return the formulas in the named cells of the default template; those of others are filled as a plan's are."""
    template = read_template((files("flopsheet_templates") / "plan.xlsx").read_bytes())
    places = {name: template.place(name) for name in template.names}
    return {name: template.formula_text(*place) or "" for name, place in places.items() if place}


def _without_constants(formula: str) -> list[Token]:
    return [piece for piece in tokens(formula) if piece.kind not in {"text", "number"}]


def _is_of(table: Table, targets: Sequence[Reference] | None) -> bool:
    """Whether a name is new, or points to cells of a table."""
    areas = [target.area if target.sheet == table.sheet else None for target in targets or ()]
    return all(area and table.area.meets(area) for area in areas)


def _cells() -> Mapping[str, Mapping[str, str]]:
    """Return what cells.toml says of the named cells that are no figures, inputs or checks."""
    return read_table("flopsheet.export.workbook", "cells.toml")

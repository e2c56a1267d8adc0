"""Plans and sweeps in Python: typed results that notebooks show, and that become pandas or Arrow tables and plots."""

from __future__ import annotations

from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from flopsheet.configs.inputs import read_inputs
from flopsheet.configs.plugin_choice import load_for
from flopsheet.configs.python_values import from_python
from flopsheet.errors import UsageError
from flopsheet.export.plan_tables import show_number
from flopsheet.export.sweeps.column_facts import choose_axes, facts_of, title_with_unit
from flopsheet.host.local import choose, several
from flopsheet.planning.costing import cost_all
from flopsheet.planning.inputs import TITLES
from flopsheet.planning.making import make_plan
from flopsheet.planning.question import MODELS_TABLE
from flopsheet.planning.registry import input_checker
from flopsheet.planning.verdicts import WARNING
from flopsheet.units.named_values import is_called
from flopsheet.units.numbers import human, number_of
from livesheets.suggestions import names_like

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pandas as pd
    import pyarrow as pa
    from matplotlib.axes import Axes

    from flopsheet.accounting.line import Line
    from flopsheet.configs.portfolio import Portfolio
    from flopsheet.export.page.page import Designs
    from flopsheet.host.local import Given
    from flopsheet.planning.designs.selection import Table
    from flopsheet.planning.designs.sweep import Counts, DesignSweep
    from flopsheet.planning.plan import Plan

SHOWN_ROWS = 20
"""Rows of a sweep that a notebook shows."""
LARGE = 10_000
"""Numbers below are written in full."""


def _frame_page(plan: Plan, designs: Designs | None = None) -> str:
    """Return the page of a plan in a frame that keeps it apart from the notebook."""
    from flopsheet.export.page.page import plan_page  # noqa: PLC0415 - only notebooks show it

    permissions = "allow-scripts allow-downloads allow-modals"
    title, page = escape(plan.name), escape(plan_page(plan, designs))
    return f'<iframe title="{title}" sandbox="{permissions}" width="100%" height="760" srcdoc="{page}"></iframe>'


class PlanResult(Struct, frozen=True, eq=False, dict=True):
    """The answers of a plan; `plan` is the plan itself, for who needs more of it, and `read` the files it is from."""

    plan: Plan
    read: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Say what the plan is of: its tables are too long for a prompt."""
        asked = ", ".join(question.name for question in self.plan.questions)
        return f"<plan {self.plan.name!r} of {number_of(len(self.plan.models), 'model')}: {asked}>"

    @cached_property
    def _document(self) -> dict[str, Any]:
        from flopsheet.export.plan_answers import plan_document  # noqa: PLC0415 - a report shows no answers

        return plan_document(self.plan)

    @property
    def report(self) -> dict[str, Any]:
        """The plan as the document that JSON and TOML reports hold."""
        from flopsheet.export.toml import report_table  # noqa: PLC0415 - few results are written

        return report_table(self.plan)

    @property
    def answers(self) -> dict[str, dict[str, dict[str, Any]]]:
        """Each figure by question and name: its value in each case, and its unit."""
        result: dict[str, dict[str, dict[str, Any]]] = self._document["answers"]
        return result

    @property
    def checks(self) -> list[dict[str, Any]]:
        """Each check with whether it holds, and the message where it does not."""
        results: list[dict[str, Any]] = self._document["checks"]
        return results

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of the tables that `rows`, `to_arrow` and `to_pandas` give."""
        return (MODELS_TABLE, *self._document["tables"])

    def rows(self, table: str = MODELS_TABLE) -> list[dict[str, Any]]:
        """Return the rows of a table in the shown case; of models one row per model and case. UsageError for others."""
        if table == MODELS_TABLE:
            return [
                {"name": model["name"], "status": model["status"], "case": case, **model[case]}
                for model in self._document["models"]
                for case in self.cases
                if case in model
            ]
        if table not in self._document["tables"]:
            raise UsageError(f"the plan has no table {table!r}; expected one of {', '.join(self.tables)}")
        results: list[dict[str, Any]] = self._document["tables"][table]
        return results

    @property
    def cases(self) -> list[str]:
        """The cases of the plan by name."""
        return list(next((model for model in self._document["models"] if model["status"] != "error"), {}))[3:]

    def to_arrow(self, table: str = MODELS_TABLE) -> pa.Table:
        """Return a table as Arrow columns, with title, unit, formula and source of each line in the schema."""
        import pyarrow as pa  # noqa: PLC0415 - only who asks for it has it

        rows = self.rows(table)
        lines = {line.name: line for line in self.plan.program.lines(table)}
        arrays, fields = [], []
        for name in rows[0] if rows else ():
            cells, line = [row[name] for row in rows], lines.get(name)
            if is_number := line is not None and not is_called(line.unit):
                cells = [None if cell is None else float(cell) for cell in cells]
            arrays.append(pa.array(cells, pa.float64() if is_number else None))
            fields.append(pa.field(name, arrays[-1].type, metadata=None if line is None else facts_of(line)))
        return pa.Table.from_arrays(arrays, schema=pa.schema(fields))

    def models_to_arrow(self) -> pa.Table:
        """Return one row per model in the shown case: dimensions, totals, its plan and every line; null in error."""
        from flopsheet.export.arrow import models_table  # noqa: PLC0415 - few results are written

        return models_table(self.plan)

    def to_pandas(self, table: str = MODELS_TABLE) -> pd.DataFrame:
        """Return a table as a data frame."""
        return self.to_arrow(table).to_pandas()

    def plot(self, line: str = "") -> Axes:
        """Draw a line of each model: a bar for the base case, from the least to the most of all cases.

        Without a name, the line whose sensitivity is offered first of what was asked first. UsageError for an unknown
        one, and where no model has a number of it.
        """
        result = self._line(line)
        models = [row for row in self.rows() if row[result.name] is not None]
        if not models:
            raise UsageError(f"no model of the plan has a number of {result.name}: there is nothing to draw")
        axes = _axes()
        rows = {case: [float(row[result.name]) for row in models if row["case"] == case] for case in self.cases}
        names = [row["name"] for row in models if row["case"] == "base"]
        every = list(zip(*rows.values(), strict=True))
        below = [value - min(cases) for value, cases in zip(rows["base"], every, strict=True)]
        above = [max(cases) - value for value, cases in zip(rows["base"], every, strict=True)]
        axes.barh(names, rows["base"], xerr=[below, above], color="#1F3864", ecolor="#7F7F7F", capsize=4)
        axes.set_xlabel(f"{result.label} ({result.unit}), base case and range of all cases")
        axes.xaxis.set_major_formatter(_readable)
        axes.invert_yaxis()
        return axes

    def _line(self, name: str) -> Line:
        lines = {line.name: line for line in self.plan.model_lines if not is_called(line.unit)}
        if name and name not in lines:
            raise UsageError(f"the plan has no line {name!r} with a number per model{names_like(name, lines)}")
        lead = self.plan.questions[0].name
        return lines[name] if name else self.plan.program.list_offered(MODELS_TABLE, lead)[0]

    def _repr_html_(self) -> str:
        """Show the plan's page, live; of more models than a page has the figures in all cases, and failing checks."""
        from flopsheet.export.page.page import MOST_MODELS  # noqa: PLC0415 - only notebooks show it

        return self._still() if len(self.plan.costed) > MOST_MODELS else _frame_page(self.plan)

    def _still(self) -> str:
        parts = [f"<h3>{escape(self.plan.name)}</h3>"]
        for question in self.plan.questions:
            figures = self.answers.get(question.name, {})
            titles = {figure.name: figure.title for figure in question.figures}
            rows = [
                [titles[name], *(show_number(figure[case], figure["unit"]) for case in self.cases)]
                for name, figure in figures.items()
            ]
            if rows:
                parts.append(_html(question.title, ["", *(TITLES.get(case, case) for case in self.cases)], rows))
        for title, state in (("Failing checks", "fail"), ("Warnings", WARNING)):
            results = [f"<li>{escape(check['message'])}</li>" for check in self.checks if check["state"] == state]
            parts += [f"<p>{title}:</p><ul>{''.join(results)}</ul>"] if results else []
        return "".join(parts)


class SweepResult(Struct, frozen=True, eq=False, dict=True):
    """The kept designs of a sweep, and how many there were."""

    opened: DesignSweep
    counts: Counts
    table: Table

    def __repr__(self) -> str:
        """Say how many designs there are: their table is too long for a prompt."""
        return f"<sweep of {self.opened.plan.name!r}: {number_of(len(self), 'design')}>"

    def __len__(self) -> int:
        """Return how many designs are kept."""
        return len(next(iter(self.table.values()), ()))

    def to_arrow(self) -> pa.Table:
        """Return the designs as Arrow columns, with title, unit, formula and source of each in the schema."""
        import pyarrow as pa  # noqa: PLC0415 - only who asks for it has it

        from flopsheet.export.sweeps.arrow import batch, schema  # noqa: PLC0415 - same reason

        columns = schema(self.opened)
        return pa.Table.from_batches([batch(self.opened, self.table, columns)] if len(self) else [], columns)

    def to_pandas(self) -> pd.DataFrame:
        """Return the designs as a data frame."""
        return self.to_arrow().to_pandas()

    def plot(self) -> Axes:
        """Draw the designs by the two columns that they are judged by."""
        axes = _axes()
        across, up = choose_axes(self.opened)
        axes.scatter(self.table[across], self.table[up], s=12, color="#1F3864")
        for name, label in ((across, axes.set_xlabel), (up, axes.set_ylabel)):
            label(title_with_unit(self.opened, name))
        axes.xaxis.set_major_formatter(_readable)
        axes.yaxis.set_major_formatter(_readable)
        return axes

    def _repr_html_(self) -> str:
        """Show the first designs on the page of their plan, which is live; as a table alone where it cannot be.

        It cannot where a design is more than inputs: an accelerator, or dimensions of a model.
        """
        from flopsheet.export.page.page import MOST_MODELS, Designs  # noqa: PLC0415 - only notebooks show it
        from flopsheet.export.sweeps.page import shown_places, shown_rows, summarize_counts  # noqa: PLC0415 - same reason

        headers, rows = shown_rows(self.opened, self.table, SHOWN_ROWS)
        axes, plan = [axis.name for axis in self.opened.design.axes], self.opened.plan
        if len(plan.costed) > MOST_MODELS or not {*axes} <= {driver.name for driver in plan.drivers}:
            return _html(summarize_counts(self.counts), headers, rows)
        places = shown_places(self.opened, self.table, SHOWN_ROWS)
        changes = [{name: float(self.table[name][place]) for name in axes} for place in places]
        designs = Designs(summarize_counts(self.counts), headers, rows, changes)
        return _frame_page(plan.show_case(self.opened.case), designs)


def plan(
    *portfolios: Path | str,
    questions: Sequence[str] = (),
    inputs: Mapping[str, Any] | None = None,
    plugins: Iterable[Path | Given] = (),
    **workload: Any,
) -> PlanResult:
    """Return the answers of portfolios' questions, as `flopsheet plan` gives them.

    `portfolios` are portfolio files, or anything else that the command takes. `inputs` are inputs of the plan for all
    cases, such as `{"mfu": 0.4}`, `workload` names and dimensions of every model, such as `batch=8`. `plugins` are as
    for `evaluate`. PortfolioError and UsageError say what is wrong with them.
    """
    if wrong := next((path for path in portfolios if not isinstance(path, str | Path)), None):
        raise UsageError(f"a portfolio is a {type(wrong).__name__}: a path is expected, each as an argument of its own")
    paths, asked = [str(path) for path in portfolios], several("questions", questions)
    host = load_for(paths, choose(plugins))
    models, read = read_inputs(host, paths, check_inputs=input_checker(host))
    given = from_python(inputs or {})
    problems = input_checker(host)("inputs.", given)
    if problems:
        raise UsageError("\n".join(problems))
    planned = make_plan(host, cost_all(host, models, from_python(workload)), read, inputs=given, questions=asked)
    return PlanResult(planned, (*paths, *(model.source for model in models)))


def load_portfolio(path: Path | str, *, plugins: Iterable[Path | Given] = ()) -> Portfolio:
    """Return what a portfolio file says, checked: its models, workload, inputs, questions and scenarios.

    `plugins` are as for `evaluate`. PortfolioError lists what is wrong with it; UsageError: it is no portfolio.
    """
    host = load_for([str(path)], choose(plugins))
    _, result = read_inputs(host, [str(path)], check_inputs=input_checker(host))
    if not result:
        raise UsageError(f"{path} is no portfolio; expected a TOML file with models or inputs")
    return result[0]


def sweep(
    design: Path | str,
    *,
    inputs: Mapping[str, Any] | None = None,
    case: str = "",
    jobs: int = 1,
    plugins: Iterable[Path | Given] = (),
    **workload: Any,
) -> SweepResult:
    """Return the kept designs of a sweep, as `flopsheet sweep` finds them; all of them where the design keeps all.

    `inputs`, `plugins` and `workload` are as for `plan`; `case` is low, base or high. PortfolioError says what is
    wrong, UsageError that several `jobs` cannot be given a module: they take its path.
    """
    from flopsheet.planning.designs.sweep import Request, find_kept, open_sweep, run  # noqa: PLC0415 - needs numpy
    from flopsheet.planning.workers import Workers  # noqa: PLC0415 - same reason

    request = Request(str(design), from_python(inputs or {}), from_python(workload), case, choose(plugins))
    if jobs > 1 and any(not isinstance(plugin, str) for plugin in request.choice.plugins):
        raise UsageError("plugins: with several jobs, paths are expected in place of modules")
    design_sweep = open_sweep(request)
    return SweepResult(design_sweep, *find_kept(design_sweep, run(request, design_sweep, Workers(jobs))))


def _axes() -> Axes:
    import matplotlib.pyplot as plt  # noqa: PLC0415 - only who plots has it

    return plt.subplots(figsize=(8, 4.5), layout="constrained")[1]


def _readable(value: float, _: object) -> str:
    return human(value) if abs(value) >= LARGE else f"{value:g}"


def _html(title: str, headers: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = "".join(f"<th>{escape(text)}</th>" for text in headers)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<p><b>{escape(title)}</b></p><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

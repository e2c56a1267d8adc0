"""What `flopsheet plan` shows on the terminal: the answer, the options, figures and checks; more where asked."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from flopsheet.accounting.nonumber import no_number
from flopsheet.export.columns import align_rows, room
from flopsheet.export.csv_text import harmless
from flopsheet.export.plan_tables import compare_cases, figures, listings, of_table, show_number, tables, varied_tables
from flopsheet.export.sentences import answers, options
from flopsheet.export.text import clean, cut, one_line
from flopsheet.planning.faults import faults_of
from flopsheet.planning.inputs import CASES
from flopsheet.planning.plan_checks import check_results
from flopsheet.planning.registry import BASE
from flopsheet.planning.verdicts import SAID, checks_said
from flopsheet.units.numbers import number_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from flopsheet.export.plan_tables import Section
    from flopsheet.planning.plan import Plan
    from flopsheet.planning.sheet_records import Best

WIDTH = 100
SERVING = "serving"
BRIEF, LONGER = (40, 7, 3), (120, 12, 8)
"""Lines, options and messages for a plan of one question, and of several."""
MORE_LINES, MOST_FIGURES = 3, 6
"""Lines that say where the rest is, the empty one before them included; and figures of a question."""
ROWS = 200
"""Rows of a table that `--all` shows."""
BAR, OPTION_WIDTH = 5, 22


def lines_of(section: Section) -> list[str]:
    """Return the lines of a table with its title above."""
    title, headers, rows, lead, _ = section
    return [clean(title), *align_rows(headers, rows, lead, room())]


def write_answers(plan: Plan, most: int) -> Iterator[list[str]]:
    """Give the answers in words, and the options behind them."""
    for sentence in answers(plan):
        yield textwrap.wrap(clean(sentence), WIDTH)
    best = next((question.described.best for question in plan.questions if question.name == "decision"), None)
    if best and plan.costed:
        yield _options(plan, best, most)


def _options(plan: Plan, best: Best, most: int) -> list[str]:
    """Return so many options, the best first: each excludes the others."""
    result = options(plan, best)
    cells = [_option(plan, *option) for option in result[:most]]
    headers = ["Option", "", "Program", "Cap used", "Days", "of the window", "Done", "Loss"]
    left = [f"… and {len(result) - most} more: --table {best.table}"] if len(result) > most else []
    return [*align_rows(headers, cells, 2, WIDTH), *left]


def _option(plan: Plan, case: str, row: Mapping[str, Any]) -> list[str]:
    """Return the cells of an option: whether it is viable, cost and cap, days and window, end and loss."""
    inputs = plan.case(case)
    name = row["model"] if case in CASES else f"{plan.titles[case]}: {row['model']}"
    return [
        clean(cut(name, OPTION_WIDTH)),
        _mark(row),
        show_number(row["option_program"], "USD"),
        _share(row["option_capped"], inputs["budget_usd"]),
        show_number(row["option_days"], ""),
        _share(row["option_days"], inputs["days"]),
        "" if row["option_end"] == "" else show_number(row["option_end"], "date"),
        show_number(row["option_loss"], "nats per token").partition(" ")[0],
    ]


def _mark(row: Mapping[str, Any]) -> str:
    """Return whether an option is viable, else the month in which it goes over the cap, or why not."""
    month, gap = row["option_over"], no_number(row["option_reason"])
    if gap is not None:
        return f"? {gap.word}"
    why = f"cap, month {month}" if month else row["option_reason"]
    return f"✗ {why}" if row["option_reason"] else "✓"


def _share(value: Any, most: Any) -> str:
    """Return a bar of how much of a limit something takes, "" without a limit."""
    if no_number(value) is not None or no_number(most) is not None or not most:
        return ""
    share = float(value) / float(most)
    full = min(round(BAR * share), BAR)
    return f"{'█' * full}{'·' * (BAR - full)} {100 * share:3.0f}%"


def as_table(plan: Plan) -> str:
    """Return the answer, the options, figures and checks; where one question is asked, its tables as room is left."""
    alone = len(plan.asked) <= 1
    most, options_shown, messages = BRIEF if alone else LONGER
    first, last = [_write_heading(plan), *write_answers(plan, options_shown)], _last(plan, messages)
    left = most - sum(len(block) + 1 for block in (*first, last)) - MORE_LINES
    below = listings(plan, ROWS)
    blocks, is_cut = _fitting([*_figures(plan, alone=alone), *(below if alone else [])], left)
    variations = [lines_of(section) for section in varied_tables(plan)]
    more = [_more(plan)] if is_cut or (below and not alone) else []
    return _join_blocks([*first, *blocks, *variations, last, *more])


def as_all(plan: Plan) -> str:
    """Return everything: the answer, figures in all cases, each table, and checks."""
    sections = ([*lines_of(section), *_left(section.more)] for section in tables(plan, ROWS))
    return _join_blocks([_write_heading(plan), *write_answers(plan, ROWS), *sections, _last(plan, ROWS)])


def as_compared(plan: Plan, cases: Sequence[str]) -> str:
    """Return the answer, and the figures of some cases beside those of the shown one."""
    sections = (lines_of(section) for section in (*compare_cases(plan, cases), *varied_tables(plan)))
    return _join_blocks([_write_heading(plan), *write_answers(plan, ROWS), *sections, _last(plan, ROWS)])


def as_section(plan: Plan, table: str) -> str:
    """Return one table with all its rows."""
    return _join_blocks(lines_of(section) for section in of_table(plan, table))


def _fitting(sections: Sequence[Section], most: int) -> tuple[list[list[str]], bool]:
    """Return the tables for which there is room, the last with as many rows as fit, and whether any is left out."""
    results: list[list[str]] = []
    for section in sections:
        whole = lines_of(section)
        block = whole if len(whole) < most else _first_rows(section, most)
        if not block:
            return results, True
        most -= len(block) + 1
        results.append(block)
        if block is not whole:
            return results, True
    return results, False


def _first_rows(section: Section, most: int) -> list[str]:
    """Return a table with as many rows as go into fewer lines than `most`; nothing where that is hardly one."""
    for rows in range(min(len(section.rows) - 1, most), 0, -1):
        block = [*lines_of(section._replace(rows=section.rows[:rows])), *_left(len(section.rows) - rows)]
        if len(block) < most:
            return block
    return []


def _write_heading(plan: Plan) -> list[str]:
    return [clean(plan.name), *(f"ERROR  {clean(fault.sentence)}" for fault in faults_of(plan))]


def _figures(plan: Plan, *, alone: bool) -> Iterator[Section]:
    """Give the first figures of each question; of one that is asked alone, all of them."""
    for place, section in enumerate(_list_sections(plan)):
        yield section if alone and not place else section._replace(rows=section.rows[:MOST_FIGURES])


def _list_sections(plan: Plan) -> list[Section]:
    """Return the figures, without what the cluster trains where serving alone is asked."""
    result = figures(plan)
    if {*plan.asked} != {SERVING}:
        return result
    titles = {question.title for question in plan.questions if question.name in BASE}
    return [section for section in result if section.title not in titles]


def _left(more: int) -> list[str]:
    return [f"… and {number_of(more, 'more row')}"] if more else []


def _last(plan: Plan, most: int) -> list[str]:
    """Return the checks that fail or warn, the models that have no numbers, and how many checks there are."""
    results = check_results(plan)
    texts = [f"{SAID[state]}  {clean(result.message)}" for state in SAID for result in results if result.state == state]
    errors = [model for model in plan.models if model.status == "error"]
    texts += [f"Not counted: {harmless(model.name)}: {one_line(model.problems[0])}" for model in errors]
    left = [f"… and {len(texts) - most} more: --all"] if len(texts) > most else []
    lines = [line for text in texts[:most] for line in textwrap.wrap(text, WIDTH, subsequent_indent="      ")]
    return [*lines, *left, checks_said(results)]


def _more(plan: Plan) -> list[str]:
    """Return where the rest is."""
    names = ", ".join(plan.program.tables)
    text = f"More: --all, --format md, or --table with one of {names}"
    return textwrap.wrap(text, WIDTH, max_lines=MORE_LINES - 1, placeholder=" …")


def _join_blocks(blocks: Iterable[Sequence[str]]) -> str:
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"

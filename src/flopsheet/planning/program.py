"""Questions as a program: in which order their lines are evaluated, in segments of one table each."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct

from flopsheet.accounting import formula
from flopsheet.errors import PluginError
from flopsheet.planning import recurrences
from flopsheet.planning.compiled.references import Linked
from flopsheet.planning.memo import memo, share_results
from flopsheet.planning.ordering import order_lines
from flopsheet.planning.question import MODELS, MODELS_TABLE, OTHERS
from flopsheet.planning.question_set import WITHIN, QuestionSet

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from flopsheet.planning.compiled.references import Ref
    from flopsheet.planning.question import Node, Question


class Segment(Struct, frozen=True):
    """Lines of one table that follow each other without needing another table in between, and what they read."""

    table: str
    reads: Mapping[str, Ref]
    steps: formula.Steps

    @property
    def recurring(self) -> dict[str, Linked]:
        """The links that read its own lines in the row before, by name."""
        links = {name: ref for name, ref in self.reads.items() if isinstance(ref, Linked)}
        return {name: ref for name, ref in links.items() if ref.table == self.table and ref.line in self.steps.formulas}


class Program(QuestionSet, frozen=True, eq=False, dict=True):
    """Questions whose lines are in an order, lines of a recurrence as one group, and in segments."""

    @cached_property
    def order(self) -> tuple[Node, ...]:
        """Every line after those that it reads, lines of one table together where they can be."""
        return tuple(node for group in self._groups for node in group)

    @cached_property
    def _places(self) -> dict[Node, int]:
        return {node: place for place, node in enumerate(self.order)}

    def recurs(self, node: Node) -> bool:
        """Tell whether a line reads its own row before, directly or through others."""
        return any(node in group for group in self._recurrences)

    def recurrence(self, node: Node) -> tuple[Node, ...]:
        """Return the lines that are evaluated row by row together with a line; it alone for most lines."""
        return next((group for group in self._recurrences if node in group), (node,))

    @cached_property
    def _recurrences(self) -> list[tuple[Node, ...]]:
        return [group for group in self._groups if self.needs(group[0]) & {*group}]

    @cached_property
    def _groups(self) -> list[tuple[Node, ...]]:
        """The lines in their order, those of a recurrence as one group; PluginError for links that cannot be."""
        _ = self.links
        return self._put_in_order(self.nodes)

    def _put_in_order(self, nodes: Iterable[Node]) -> list[tuple[Node, ...]]:
        return order_lines({node: self.needs(node) for node in nodes}, self._recurrence)

    def check_order(self, question: Question) -> None:
        """Raise PluginError where the lines of a question cannot be ordered with those that they need."""
        own = [(table.name, line.name) for table in question.tables for line in table.lines]
        self._put_in_order(self.find_needed(own))

    def _recurrence(self, waiting: Mapping[Node, set[Node]]) -> tuple[Node, ...]:
        """Return the lines of a recurrence that wait for each other alone; PluginError for lines that do otherwise."""
        result = recurrences.recurrence(waiting, self.needs_of_row)
        if not result:
            names = ", ".join(f"{line} of {table}" for table, line in recurrences.in_circles(waiting))
            raise PluginError(f"lines that need each other cannot be evaluated: {names}; {recurrences.POSSIBLE}")
        table = result[0][0]
        if self.tables[table].rows[-1] in (MODELS, OTHERS):
            names = ", ".join(line for _, line in result)
            raise PluginError(f"{names} of {table} read their row before; models have no order, other keys have")
        return tuple(result)

    def with_rows(self, questions: tuple[Question, ...]) -> Program:
        """Return the program of the same questions with other rows: its lines, and so their order, are the same."""
        result = Program(questions)
        vars(result).update(_groups=self._groups)
        share_results(QuestionSet.text, self, result)
        return result

    @memo
    def segments_of(self, table: str) -> list[Segment]:
        """Return the segments that all lines of a table need, and those that its checks read."""
        lines = ((table, line.name) for line in self.tables[table].lines)
        return self.segments((*lines, *self.lines_of_checks(table)))

    @memo
    def segments_for(self, nodes: tuple[Node, ...]) -> list[Segment]:
        """Return the segments that some lines need, put together once."""
        return self.segments(nodes)

    def segments(self, targets: Iterable[Node] | None = None) -> list[Segment]:
        """Return the lines in segments; of `targets` lines only those that they need."""
        nodes = self.order if targets is None else sorted(self.find_needed(targets), key=self._places.__getitem__)
        runs: list[list[Node]] = []
        for node in nodes:
            if runs and self._follows(runs[-1], node):
                runs[-1].append(node)
            else:
                runs.append([node])
        return [self._segment(run) for run in runs]

    def _follows(self, run: Sequence[Node], node: Node) -> bool:
        """Return whether a line may be evaluated together with a run: lines of a recurrence are with their own."""
        if (group := self.recurrence(node)) != (node,) or self.recurrence(run[0]) != (run[0],):
            return run[0] in group
        return run[0][0] == node[0] and not self._is_blocked(run, node)

    def _is_blocked(self, run: Sequence[Node], node: Node) -> bool:
        """Return whether a line reads, through a link, a line of the run: the run has to end before it."""
        return any(line in run for ref in self._read(node)[1] for line in ref.read)

    def _segment(self, run: Sequence[Node]) -> Segment:
        table = run[0][0]
        steps = formula.Steps({node[1]: self.text(node) for node in run}, f" of {table}")
        return Segment(table, self.reads(table, steps), steps)

    def find_needed(self, nodes: Iterable[Node]) -> set[Node]:
        """Return some lines and all that these read, directly or through others."""
        results: set[Node] = set()
        open_ = list(nodes)
        while open_:
            node = open_.pop()
            if node not in results:
                results.add(node)
                open_ += self.needs(node)
        return results

    def find_inputs(self, nodes: Iterable[Node]) -> set[str]:
        """Return the inputs that lines depend on: all that formulas behind them read, or that count their rows."""
        needed = self.find_needed(nodes)
        names = {name for node in needed for name in self.text(node).names}
        counts = {rows.until for table, _ in needed for rows in self.tables[table].rows if rows.until}
        names |= {name for text in counts for name in formula.read(text).names}
        return self.inputs_among(names)

    def inputs_among(self, names: Iterable[str]) -> set[str]:
        """Return the inputs that some names are of: themselves, or one of their choices."""
        return self.inputs.keys() & {self.choices[name][0] if name in self.choices else name for name in names}

    @cached_property
    def cases_read_models(self) -> bool:
        """Whether a line with one number per case depends on the models."""
        single = [node for node in self.order if not self.tables[node[0]].rows]
        return any(MODELS in self.tables[table].rows for table, _ in self.find_needed(single))

    @cached_property
    def one_by_one(self) -> bool:
        """Whether the lines of each model read nothing of other models, so that a batch may be planned in parts."""
        of_models = {name for name, table in self.tables.items() if MODELS in table.rows}
        of_figures = [figure.table for _, figure in self.figures]
        reads = {read for node in self.order for read, _ in self.needs(node) if read != node[0]}
        alone = of_models <= {MODELS_TABLE}  # which is written model by model
        within = any(link.how in WITHIN for name in of_models for link in self.tables[name].links)
        return alone and not within and not of_models & {*of_figures, *reads}

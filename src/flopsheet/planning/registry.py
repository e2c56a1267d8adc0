"""Which questions there are: those that come with flopsheet, and those of plugins."""

from __future__ import annotations

from collections import Counter
from functools import cache, lru_cache
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from flopsheet.configs.portfolio import CATALOGED, DATED, KnownInputs
from flopsheet.errors import MAX_PROBLEMS, FlopsheetError, PluginError, PortfolioError, SeveralPluginError
from flopsheet.host.places import place_of
from flopsheet.host.typed_records import fields_of, record
from flopsheet.planning.catalog import FROM, catalog
from flopsheet.planning.chosen_accelerator import with_defaults
from flopsheet.planning.inputs import CASES, as_defined, place_in_package
from flopsheet.planning.merged_inputs import DEFAULT_ACCELERATOR, wrong_name, wrong_window
from flopsheet.planning.prices import day_collected
from flopsheet.planning.program import Program
from flopsheet.planning.question import CASES_TABLE, Question
from flopsheet.planning.question_file import PACKAGE, question_head
from flopsheet.planning.question_set import QuestionSet
from livesheets.suggestions import likely, names_like

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from flopsheet.accounting.line import Input, Line
    from flopsheet.host.candidate import Plugin
    from flopsheet.host.host import Host
    from flopsheet.planning.catalog import Accelerator
    from flopsheet.planning.question import Table
    from flopsheet.planning.questions.scaling.laws import ScalingLaw

BUNDLED = (
    *("budget", "decision", "feasible", "scaling", "training", "phases"),
    *("money", "serving", "finetuning", "reinforcement", "comparison", "runs", "catalog"),
)
"""The folders of `planning.questions`, in the order in which people see them."""
BASE = ("budget",)
"""Questions that others build on: they are part of every plan."""
WITH_LAWS, AT_PRICES = "scaling", "catalog"
"""Bundled questions whose rows depend on the laws of plugins, and on a day's prices."""


def questions(host: Host, day: str = "") -> Mapping[str, Question]:
    """Return every question by name; a plugin's that does not fit to the others is left out, with the reason.

    Inputs that come from the accelerator have the figures of the default one. `day` is that of the prices. They are
    made once for each day.
    """
    return _questions(host, day or str(day_collected()))[0]


class LeftOut(Struct, frozen=True):
    """A question that a plugin adds and that does not fit: why, and the inputs that nobody reads without it."""

    plugin: Plugin
    why: str
    inputs: frozenset[str]


def left_out(host: Host) -> Mapping[str, LeftOut]:
    """Return the questions that were left out by name: a plan that names one is answered without it, and says so."""
    return _questions(host, str(day_collected()))[1] if host.has_answers("flopsheet_questions") else {}


@cache
def unread_inputs(host: Host) -> frozenset[str]:
    """Return the inputs that only questions read that were left out."""
    return frozenset[str]().union(*(item.inputs for item in left_out(host).values())) - all_inputs(host).keys()


def heads(host: Host, day: str = "") -> Mapping[str, Question]:
    """Return every question by name as `questions` does, but of bundled ones only what tells which plans ask them.

    They have their inputs, and neither tables nor sheets: a plan loads those of the questions that it asks.
    """
    day = day or str(day_collected())
    return questions(host, day) if host.has_answers("flopsheet_questions") else _heads(host, day)


@cache
def _heads(host: Host, day: str) -> Mapping[str, Question]:
    default = catalog(host, day)[DEFAULT_ACCELERATOR]
    whole = {name: _load(host, day, name) for name in (*BASE, WITH_LAWS)}
    return MappingProxyType({name: whole.get(name) or with_defaults(question_head(name), default) for name in BUNDLED})


@cache
def _questions(host: Host, day: str) -> tuple[Mapping[str, Question], Mapping[str, LeftOut]]:
    default = catalog(host, day)[DEFAULT_ACCELERATOR]
    result = {name: _load(host, day, name) for name in BUNDLED}
    out: dict[str, LeftOut] = {}
    for plugin, items in host.ask_all("flopsheet_questions", Question):
        for question in items:
            if why := _add(host, plugin, question, default, result):
                out.setdefault(question.name, LeftOut(plugin, why, _inputs_of(question)))
    return MappingProxyType(result), MappingProxyType({name: item for name, item in out.items() if name not in result})


@cache
def _load(host: Host, day: str, name: str) -> Question:
    """Return a bundled question with the laws that there are, and at a day's prices."""
    module = import_module(PACKAGE.format(name))
    question: Question = module.QUESTION
    if name == WITH_LAWS:
        question = module.with_laws(_every_law(host))
    elif name == AT_PRICES:
        question = module.at_prices(day)
    return with_defaults(question, catalog(host, day)[DEFAULT_ACCELERATOR])


def _inputs_of(question: Question) -> frozenset[str]:
    """Return the names of a question's inputs as far as they are some: it may be wrong in any way."""
    inputs: Any = question.inputs if isinstance(question.inputs, tuple | list) else ()
    return frozenset(name for item in inputs if isinstance(name := getattr(item, "name", None), str))


def questions_by(host: Host, plugin: Plugin) -> list[Question]:
    """Return the questions that a plugin adds, those that are left out aside."""
    answers = host.ask_all("flopsheet_questions", Question)
    own = {question.name for giver, items in answers if giver == plugin for question in items}
    return [question for name, question in questions(host).items() if name in own and name not in BUNDLED]


def _every_law(host: Host) -> tuple[ScalingLaw, ...]:
    """Return the laws, those of plugins too; one that is no law, or whose name is taken, is refused with the reason."""
    from flopsheet.planning.questions.scaling.laws import ScalingLaw, bundled_laws, wrong  # noqa: PLC0415 - not for all

    result = {law.name: law for law in bundled_laws()}
    for plugin, items in host.ask_all("flopsheet_scaling_laws", ScalingLaw):
        for law in items:
            if reason := "there is already one" if law.name in result else wrong(law):
                host.fail(plugin, f"scaling law {law.name}: {reason}", law.name)
            else:
                result[law.name] = law
    return tuple(result.values())


def _add(host: Host, plugin: Plugin, question: Question, default: Accelerator, by_name: dict[str, Question]) -> str:
    """Add a question to those that were found; return why it was left out, "" where it was not."""
    from flopsheet.planning.sound_question import check_question  # noqa: PLC0415 - bundled ones are sound

    try:
        if question.name in by_name:
            raise PluginError(f"there is already a question {question.name!r}")
        sound = with_defaults(record(Question, question, ""), default)
        check_question(Program((*by_name.values(), sound)), sound, host.tables)
    except FlopsheetError as error:
        host.fail(plugin, why := _explain_error(plugin, question, error))
        return why
    by_name[sound.name] = sound
    return ""


def _explain_error(plugin: Plugin, question: Question, error: FlopsheetError) -> str:
    """Return all that is wrong with a question, each with the file and line at which it stands, where there is one."""
    several = error.each if isinstance(error, SeveralPluginError) else [error]
    return "\n".join(f"question {question.name}: {each}{_place(plugin, question, each.of)}" for each in several)


def _place(plugin: Plugin, question: Question, of: str) -> str:
    part, whole = of.partition(".")[0].partition("[")[0], f"questions.{question.name}"
    inside = f"{whole}.{of}" if part in fields_of(Question) else of or whole
    return place_in_package(question, of) or place_of(plugin, inside)


def is_base_alone(host: Host, inputs: Collection[str]) -> bool:
    """Whether a plan that names no question asks the base alone: it gives no input, and plugins ask and know no more.

    No other question is then loaded.
    """
    return not inputs and not any(map(host.has_answers, ("flopsheet_questions", "flopsheet_scaling_laws")))


@lru_cache(maxsize=16)
def base_of(host: Host, day: str) -> Program:
    """Return the program of the questions that are part of every plan, at a day's prices."""
    return Program(tuple(_load(host, day, name) for name in BASE))


@cache
def base_program() -> Program:
    """Return the program of the questions that are part of every plan."""
    return Program(tuple(import_module(PACKAGE.format(name)).QUESTION for name in BASE))


@cache
def all_inputs(host: Host) -> Mapping[str, Input]:
    """Return every input of every question by name."""
    return QuestionSet(tuple(heads(host).values())).inputs


def program(host: Host, names: Iterable[str] = (), inputs: Collection[str] = (), day: str = "") -> Program:
    """Return the program of the named questions, of all without names; PortfolioError for an unknown one.

    `inputs` are the inputs that the plan gives: those that a named question heeds bring their questions along. `day` is
    that of its prices.
    """
    day = day or str(day_collected())
    by_name = heads(host, day)
    if problems := _unknown(host, names := list(names)):
        raise PortfolioError("\n".join(problems))
    asked_names = [name for name in names or by_name if name in by_name]
    brought_along = {rule.asks for name in asked_names for rule in by_name[name].heeds if rule.input in inputs}
    result = {*asked_names, *brought_along, *BASE}
    while missing := {need for name in result for need in by_name[name].needs} - result:
        result |= missing
    return _program(host, day, frozenset(result))


@lru_cache(maxsize=16)
def _program(host: Host, day: str, names: Collection[str]) -> Program:
    order = (name for name in heads(host, day) if name in names)
    return Program(tuple(_question(host, day, name) for name in order))


def _question(host: Host, day: str, name: str) -> Question:
    """Return one question whole; of bundled ones no other is loaded for it."""
    return _load(host, day, name) if name in BUNDLED else questions(host, day)[name]


def _unknown(host: Host, names: Iterable[str]) -> list[str]:
    all_names, out = list(heads(host)), left_out(host)
    return [
        f"questions: {name!r} is unknown{names_like(name, all_names) or '; expected one of ' + ', '.join(all_names)}"
        for name in names
        if name not in all_names and name not in out
    ]


def default_questions(host: Host, inputs: Iterable[str]) -> list[str]:
    """Return the questions that a plan asks where it names none: those for which it gives what they need.

    Every input without a default must be given, and for an optional question an input that no base question has. An
    input that several optional questions read asks the first of them, unless another one is asked by what it alone has.
    """
    by_name, names = heads(host), set(inputs)
    of_base = {item.name for key in BASE for item in by_name[key].inputs}
    read = {key: {item.name for item in question.inputs} - of_base for key, question in by_name.items()}
    counts = Counter(key for items in read.values() for key in items)
    own = {key: {item for item in items if counts[item] == 1} | {*by_name[key].asked_by} for key, items in read.items()}
    taken_inputs = {item for key, items in own.items() if items & names for item in read[key]}
    result = []
    for key, question in by_name.items():
        mandatory = {item.name for item in question.inputs if item.default is None and not item.keys}
        reasons = own[key] & names or read[key] & names - taken_inputs
        if mandatory <= names and (not question.optional or reasons):
            result.append(key)
            taken_inputs |= read[key]
    return result


def find_unasked(host: Host, program: Program, name: str) -> str:
    """Return the question that would give a template's name a value, where the program does not ask it."""
    asked_for = {question.name for question in program.questions}
    for question in heads(host).values():
        names = [f"out_{question.name}", f"chk_{question.name}", *(f"in_{item.name}" for item in question.inputs)]
        if question.name not in asked_for and any(f"{name}_".casefold().startswith(f"{item}_") for item in names):
            return question.name
    of_line = _questions_of_lines(host).get(name.casefold(), "")
    return "" if of_line in asked_for else of_line


def unasked_hint(host: Host, program: Program, name: str) -> str:
    """Return where to find a line, figure or table that only a question has which the program does not ask; else ""."""
    asked_for = {question.name for question in program.questions}
    others = (question for question in questions(host).values() if question.name not in asked_for)
    question = next((question.name for question in others if name in _names_of(question)), "")
    return question and f"; the question {question!r} has it, which is not asked: add it to questions in the portfolio"


def _names_of(question: Question) -> set[str]:
    """Return what a question's results are called: figures, with and without its name, tables and their lines."""
    figures = {figure.name for figure in question.figures}
    lines = {line.name for table in question.tables for line in table.lines}
    return figures | {f"{question.name}.{name}" for name in figures} | {table.name for table in question.tables} | lines


@cache
def _questions_of_lines(host: Host) -> Mapping[str, str]:
    """Return the question that gives each line of the cases, by the names that a template may call it."""
    every = ((line.name, one) for one in questions(host).values() for table in one.tables for line in _cases(table))
    return {f"out_{line}{end}".casefold(): one.name for line, one in every for end in ("", *(f"_{c}" for c in CASES))}


def _cases(table: Table) -> tuple[Line, ...]:
    return table.lines if table.name == CASES_TABLE else ()


def input_checker(host: Host) -> KnownInputs:
    """Return what says what is wrong with inputs, each with its place and what to write."""

    def check(prefix: str, table: Mapping[str, Any]) -> list[str]:
        results: list[str] = []
        specs = all_inputs(host) if table else {}
        for name, value in table.items():
            if problem := _problem(host, specs, name, value, hint=len(results) < MAX_PROBLEMS):
                results.append(f"{prefix}{name}: {problem}")
        return results

    def together(names: Sequence[str], inputs: Mapping[str, Any]) -> list[str]:
        return [*_unknown(host, names), *([problem] if (problem := wrong_window(inputs)) else [])]

    return KnownInputs(lambda: all_inputs(host).keys(), check, together)


def _problem(host: Host, specs: Mapping[str, Input], name: str, value: Any, *, hint: bool) -> str:
    if name in (*CATALOGED, *DATED):
        return wrong_name(host, name, value)
    if name not in specs:
        return "" if name in unread_inputs(host) else f"unknown{inputs_like(name, specs) if hint else ''}"
    try:
        as_defined(specs[name]).with_values(value)
    except ValueError as error:
        return str(error)
    return ""


def inputs_like(name: str, specs: Mapping[str, Input]) -> str:
    """Return a `; did you mean …?` for a name that is no input: by names, then by titles, each with its heading."""
    words = {key: item for item in specs.values() for key in (*item.keys, item.title)}
    words = {key: item for key, item in words.items() if not key.startswith(FROM)} | dict(specs)
    result = dict.fromkeys(words[near].name for near in likely(name, [*specs, *CATALOGED, *words]) if near in words)
    texts = [f"'{near}' (under [inputs]; {specs[near].section or 'general'}: {specs[near].title})" for near in result]
    return f"; did you mean {' or '.join(texts)}?" if texts else "; 'flopsheet inputs' lists them all"

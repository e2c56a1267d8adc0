"""Checks of what a plugin declares: nothing is refused, names fit in Excel, lines are described and used."""

from __future__ import annotations

import re
from contextlib import suppress
from difflib import get_close_matches
from typing import TYPE_CHECKING

from flopsheet.accounting import formula
from flopsheet.accounting.formula import check_name
from flopsheet.accounting.formula.compose import names as names_in
from flopsheet.accounting.line import FORMULAS
from flopsheet.accounting.totals import OF_TORCH
from flopsheet.accounting.workload import MAX_POSITIONS
from flopsheet.configs.fields import understood
from flopsheet.errors import FlopsheetError
from flopsheet.host.hookspecs import API_VERSION, PROJECT
from flopsheet.kit import plan_checks
from flopsheet.kit.findings import AbsentError, Finding, Remark, SkippedError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.accounting.ledger import Ledger
    from flopsheet.accounting.line import Family, Line
    from flopsheet.host.candidate import Candidate
    from flopsheet.host.host import Host
    from flopsheet.kit.subject import Subject

REMEDIES = {
    "is not marked": "put @flopsheet.hookimpl above it",
    "it needs flopsheet": "install that version, or widen what the package requires",
    "is that of": "give it another name",
    "is claimed by": "give one of them another name, or leave one plugin out with --without",
    "name is already loaded": "give the file another name, or uninstall the other plugin",
    "unit missing": "say unit: parameters, FLOP, bytes or elements, by the list; a helper line has its own",
    "unknown hook": "docs/plugin-authors.md lists the hooks; a newer one needs a newer flopsheet",
    "unknown name": "correct the name, or declare it as a dimension or an earlier line",
    "no such dimension": "correct the name, or declare the dimension",
    "gave None": "return a list; a generator or an empty list will do",
    "is expected": "give what is expected",
}
"""What to do about a reason, by words that it holds."""
SPELLED_ALIKE = 0.85
"""How alike two names are that differ by a letter or two, from 0 to 1."""
LOOKED_UP = re.compile(
    r"https?://|\b10\.\d{4,}/|\b\d{4}\.\d{4,5}\b|\b(19|20)\d\d\b"
    r"|\b(section|table|figure|equation|appendix|page)s? [\w.]"
    r"|[\w-]+\.(py|cu|cpp|h|rs|md|json|toml|pdf)\b",
    re.IGNORECASE,
)
"""What a source has that can be looked up: an address, a DOI, an arXiv number, a year, a part of a text, a file."""


def find_refused(subject: Subject) -> Iterator[Finding | Remark]:
    """Find what the host refuses: imports, hooks, words, formulas, families, rules, questions.

    An architecture of which plans of training and serving know too little is reported, and a plugin that states no
    version of the API.
    """
    for failure in subject.failures:
        remedy = next((advice for words, advice in REMEDIES.items() if words in failure.reason), "correct it there")
        yield Finding(failure.architecture or subject.plugin.name, failure.reason, remedy)
    candidate = next((entry for entry in subject.host.loaded if entry.plugin == subject.plugin), None)
    if candidate:
        yield from _not_given(subject, candidate)
    yield from _misspelled(subject)
    yield from _unsaid(subject, candidate)


def _misspelled(subject: Subject) -> Iterator[Finding]:
    """Find defaults and hints of the plugin's types that nothing reads, and that are like what is read."""
    host = subject.host
    for model_type in [name for name, (_, owner) in host.families.items() if owner == subject.plugin]:
        with suppress(FlopsheetError):  # is among the failures
            family = host.family(model_type)
            words = {"defaults": _fields_read(host, family), "hints": _hints_of_others(subject, family.architecture)}
            for place, known in words.items():
                for name in sorted(getattr(family, place).keys() - known):
                    whole = [other for other in sorted(known) if name not in other and other not in name]
                    if like := get_close_matches(name, whole, 1, SPELLED_ALIKE):
                        what = f"nothing reads it; did you mean {like[0]!r}?"
                        remedy = "correct the name, or list a field that `read` looks at in hints.reads"
                        yield Finding(f"{model_type}: {place}.{name}", what, remedy)


def _hints_of_others(subject: Subject, architecture: str) -> set[str]:
    """Return the hints that types of other plugins give to an architecture."""
    families = [
        subject.host.family(name)
        for name, (family, owner) in list(subject.host.families.items())
        if family.architecture == architecture and owner != subject.plugin
    ]
    return {hint for family in families for hint in family.hints}


def _fields_read(host: Host, family: Family) -> set[str]:
    """Return the fields that dimensions, formulas and the architecture's lists name, by the type's names too."""
    architecture = host.architecture(family.architecture)
    read = understood(architecture, family) | {*architecture.fields, *MAX_POSITIONS.keys, *family.rename}
    return read.union(family.hints.get("reads", ()), *map(names_in, family.checks))


def _not_given(subject: Subject, candidate: Candidate) -> Iterator[Finding]:
    """Find lines that a plugin says it replaces and then gives to no architecture: both would count."""
    own = {line.name for name in subject.ledgers for line in subject.lines(name)}
    for name in sorted(set(candidate.replaces) - own):
        yield Finding(f"replaces {name}", "it gives no such line", "give a line of that name, or leave it out")


def _unsaid(subject: Subject, candidate: Candidate | None) -> Iterator[Finding | Remark]:
    if candidate and not candidate.api and subject.plugin.package != PROJECT:
        yield Remark(
            subject.plugin.name, f'add the version of the API that it is written for: flopsheet_api = "{API_VERSION}"'
        )
    for name in subject.own_architectures:
        try:
            subject.host.training_ledger(name)
        except FlopsheetError as error:
            if error.of:  # a line of activations
                yield Finding(name, str(error), "correct the line, or leave it out")
            else:
                yield Remark(name, f"plans of training and serving refuse it: {error}")


def names(subject: Subject) -> Iterator[Finding]:
    """Find names that a workbook cannot have."""
    host = subject.host
    for ledger in subject.ledgers.values():
        for name in ledger.places:
            yield from _find_misnamed(ledger.architecture.name, name)
    for architecture in subject.ledgers:
        for rule, plugin in host.rules_with_plugins(architecture):
            yield from _find_misnamed(architecture, rule.name) if plugin == subject.plugin else ()
    if subject.failures and not subject.ledgers:
        raise SkippedError("none of its ledgers can be built")


def _find_misnamed(where: str, name: str) -> Iterator[Finding]:
    if reason := check_name(name):
        yield Finding(f"{where}: {name}", reason, "give it another name")


def find_undescribed(subject: Subject) -> Iterator[Finding]:
    """Find lines that say neither what they are nor where that can be checked."""
    for architecture in subject.ledgers:
        for line in subject.lines(architecture):
            if line.additive and not line.source:
                remedy = "say source=…: the section of the paper, the config key, or the model's code"
                yield Finding(f"{architecture}: line {line.name}", "it names no source", remedy)
            if line.additive and not (line.title or line.about):
                remedy = "say title=… or about=… for who reads the workbook"
                yield Finding(f"{architecture}: line {line.name}", "it does not say what it is", remedy)
    with suppress(AbsentError):
        for question in plan_checks.questions_of(subject):
            yield from plan_checks.find_undescribed(question)


def find_unsourced(subject: Subject) -> Iterator[Finding]:
    """Find sources of lines that do not say where they can be looked up."""
    questions = []
    with suppress(AbsentError):
        questions = plan_checks.questions_of(subject)
    lines = {f"{name}: line {line.name}": line for name in subject.ledgers for line in subject.lines(name)}
    lines |= {
        f"{question.name}: line {line.name} of {table.name}": line
        for question in questions
        for table, line in plan_checks.lines_of(question)
    }
    for where, line in lines.items():
        if line.source and not LOOKED_UP.search(line.source):
            remedy = "name an address, an arXiv number or DOI, a year, a section or table, or a file of code"
            yield Finding(where, f"its source {line.source!r} cannot be looked up", remedy)


def find_unused(subject: Subject) -> Iterator[Finding]:
    """Find dimensions and helper lines that nothing reads."""
    repeats = list(filter(subject.host.sides, subject.ledgers))[1:]  # the same lines next to each architecture
    for name, ledger in subject.ledgers.items():
        if name in repeats:
            continue
        read = _read(subject, name, ledger)
        own = [line for line in subject.lines(name) if not line.additive]
        for line in own:
            if line.name not in read:
                yield Finding(f"{name}: line {line.name}", "no formula reads it", "use it, or leave it out")
        for dimension in ledger.dimensions:
            if dimension.name not in read and dimension.name in _own_dimensions(subject, name):
                yield Finding(f"{name}: dimension {dimension.name}", "no formula reads it", "use it, or leave it out")


def _own_dimensions(subject: Subject, architecture: str) -> set[str]:
    """Return the dimensions that the plugin itself gives to an architecture."""
    host = subject.host
    base = host.sides(architecture)
    owner = host.provider(architecture) == subject.plugin
    own = {dimension.name for dimension in host.architectures[architecture][0].dimensions} if owner else set()
    answers = [answer for answer in host.answers[architecture] if answer.plugin == subject.plugin]
    more = {dimension.name for answer in answers for dimension in answer.items["flopsheet_dimensions"]}
    return (own | more) - ({dimension.name for dimension in host.architecture(base[0]).dimensions} if base else set())


def _read(subject: Subject, name: str, ledger: Ledger) -> set[str]:
    """Return every name that a line, default, check, note, adapter or family reads."""
    architecture = ledger.architecture
    texts = [*architecture.checks, *architecture.notes, architecture.tokens, architecture.decodes]
    texts += [architecture.continues, architecture.depth]
    lines = [entry.line for entry in ledger.entries] + _lines_asked_later(subject, name)
    texts += [text for line in lines for part in FORMULAS if (text := getattr(line, part))]
    texts += [dimension.default for dimension in ledger.dimensions if isinstance(dimension.default, str)]
    for family, _ in subject.host.families.values():
        tables = [family.values, *family.classes.values()]
        texts += [value for table in tables for value in table.values() if isinstance(value, str)]
        texts += family.checks
    results = {"max_positions", *(OF_TORCH.format(line.name) for line in lines if line.work == "scan")}
    for text in texts:
        try:
            results.update(formula.read(text).names)
        except FlopsheetError:
            continue  # labels of choices
    return results


def _lines_asked_later(subject: Subject, name: str) -> list[Line]:
    try:
        return [entry.line for entry in subject.host.training_ledger(name).entries]
    except FlopsheetError:
        return []  # nothing is said about training

"""Checks against others: the workbook as LibreOffice calculates it, and the model's class in transformers."""

from __future__ import annotations

from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from flopsheet.configs.reading import class_of
from flopsheet.errors import CalculationError, ConfigError
from flopsheet.kit.findings import AbsentError, Finding, Remark, SkippedError
from flopsheet.kit.plan_checks import questions_of, small_plan

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.kit.examples import Example
    from flopsheet.kit.subject import Subject

MOST = 12
"""Models in the workbook: two of each architecture at most."""


def workbook(subject: Subject) -> Iterator[Finding]:
    """Find cells whose value LibreOffice calculates otherwise."""
    from flopsheet.export.workbook import write_workbook  # noqa: PLC0415 - lxml is for workbooks only
    from flopsheet.planning.making import make_plan  # noqa: PLC0415 - same reason
    from livesheets import program, recalculate  # noqa: PLC0415 - same reason

    models, names = _choose_shown(subject.countable), list[str]()
    with suppress(AbsentError):
        names = [question.name for question in questions_of(subject)]
    if not models and not names:
        raise AbsentError("it has neither models nor questions")
    try:
        program()
    except CalculationError:
        raise SkippedError("LibreOffice is not installed: neither soffice nor libreoffice is on the PATH") from None
    with TemporaryDirectory(prefix="flopsheet-") as folder:
        path = Path(folder) / "plan.xlsx"
        plan = small_plan(subject, *names) if names else make_plan(subject.host, [example.costed for example in models])
        write_workbook(plan, path)
        for remark in recalculate(path):
            remedy = "avoid ceil, floor and comparisons near a boundary; `flopsheet show` has the formula"
            yield Finding("workbook", remark, remedy)


def _choose_shown(examples: list[Example]) -> list[Example]:
    counts: dict[str, int] = {}
    results = []
    for example in examples:
        counts[example.architecture] = counts.get(example.architecture, 0) + 1
        results += [example] if counts[example.architecture] <= 2 else []  # noqa: PLR2004 - see MOST
    return results[:MOST]


def transformers(subject: Subject) -> Iterator[Finding | Remark]:
    """Find models whose class in transformers has other weights, or computes otherwise."""
    if not subject.examples:
        raise AbsentError("the plugin reads no type and has no architecture")
    configs = [example for example in subject.countable if example.config is not None]
    pairs = [(example, name) for example in configs if (name := class_of(subject.host, example.config or {}))]
    if missing := [name for name in ("torch", "transformers") if find_spec(name) is None]:
        raise SkippedError(f"{' and '.join(missing)} not installed: pip install 'flopsheet[verify]'")
    import transformers as library  # noqa: PLC0415 - an extra

    classes = [(example, name) for example, name in pairs if getattr(library, name, None) is not None]
    if not classes:
        raise SkippedError("transformers has no class of these models")
    for example, name in classes:
        yield from _compare(subject, example, name)


def _compare(subject: Subject, example: Example, name: str) -> Iterator[Finding | Remark]:
    from flopsheet.verify.compare import against_transformers  # noqa: PLC0415 - imports torch

    try:
        is_ok = example.costed.status == "ok"
        result = against_transformers(subject.host, example.costed, example.config or {}, name, flops=is_ok)
    except ConfigError as error:
        yield Remark(example.name, f"not compared: {error}")
        return
    for what, pair in (("parameters", result.parameters), ("FLOP", result.flops)):
        if pair and pair.gap:
            groups = ", ".join(group for group, both in result.groups.items() if both.gap)
            text = f"{pair.counted:,} {what} are counted, {result.against} has {pair.found:,} ({groups or 'in total'})"
            yield Finding(example.name, text, "flopsheet verify --transformers shows the tensors side by side")

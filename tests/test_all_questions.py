"""The workbook of a plan that asks every question: the checklist, LibreOffice where checks fail, and the validator."""

from __future__ import annotations

from contextlib import nullcontext

import judges
import pytest
from asking import portfolio, ranges_alone
from planner import run

from flopsheet.audit.audit import audit
from flopsheet.host.loading import load
from flopsheet.planning.registry import questions


@pytest.fixture(scope="session")
def every(tmp_path_factory):
    """Give the workbook of a plan whose checks pass or fail, written once for each state that is chosen.

    Where they fail, Sensitivity tries what has a range.
    """
    folder, made = tmp_path_factory.mktemp("every"), {}

    def written(state):
        if state not in made:
            path = folder / f"{state}.xlsx"
            with ranges_alone() if state == "fails" else nullcontext():
                code, _, errors = run("report", portfolio(folder, state, *questions(load())), "-o", path)
            assert code == 0, errors
            made[state] = path, "check failed" in errors
        return made[state]

    return written


@pytest.mark.slow
def test_every_item_of_the_checklist_passes(every):
    """`templates check` finds nothing wrong: colors, constants, lengths, nesting, units and all others."""
    path, failing = every("passes")
    assert not failing
    assert [one.name for one in audit(load(), str(path)).verdicts if one.failures] == []


@pytest.mark.slow
@judges.needs_soffice
def test_libreoffice_finds_every_cached_value(every, tmp_path):
    """A hard recalculation gives what stands beside each formula where checks fail; test_shipped has all cases."""
    path, failing = every("fails")
    assert failing
    (found,) = judges.calculated([path], tmp_path)
    assert judges.differing(path, found) == []


@judges.needs_validator
def test_the_sdk_validator_finds_no_error(every):
    """The workbook is valid Open XML."""
    assert judges.validate(every("passes")[0]) == []

"""What is done with each part of a batch: models read, counted and planned, and their texts in each format."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

import flopsheet
from flopsheet.errors import UsageError
from flopsheet.export.batch.errors import ERRORS, error_rows
from flopsheet.export.batch.formats import format_of
from flopsheet.export.batch.parts import Part
from flopsheet.export.batch.summary import summary_of
from flopsheet.host.loading import load
from flopsheet.planning.costing import cost_some
from flopsheet.planning.deep_totals import add_totals
from flopsheet.planning.making import make_plan
from flopsheet.planning.workers import Run

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from flopsheet.configs.batches import Piece
    from flopsheet.configs.portfolio import Portfolio
    from flopsheet.host.host import Host
    from flopsheet.host.local import Choice
    from flopsheet.planning.costed_model import Costed
    from flopsheet.planning.plan import Plan


class Request(Struct, frozen=True):
    """What a report of a large batch is asked for, as processes and other machines are given it.

    `own` are the inputs that models state for themselves, `settings` overrides their dimensions and workload, `inputs`
    are those of the plan; `plugins` are the versions that everyone who takes part has to have.
    """

    choice: Choice
    suffixes: tuple[str, ...]
    portfolios: tuple[Portfolio, ...] = ()
    own: frozenset[str] = frozenset()
    settings: Mapping[str, Any] = {}
    inputs: Mapping[str, Any] = {}
    name: str = ""
    scenario: str = ""
    options: tuple[tuple[str, str], ...] = ()
    plugins: tuple[str, ...] = ()
    errors: bool = False


class Opened(Struct, frozen=True):
    """A request where it is worked on: its plan, still without models."""

    request: Request
    plan: Plan


def versions(host: Host) -> tuple[str, ...]:
    """Return flopsheet and the plugins of a host with their versions."""
    return (f"flopsheet {flopsheet.__version__}", *map(str, host.plugins))


def open_request(
    request: Request, host: Host | None = None, models: Sequence[Costed] = (), questions: Sequence[str] = ()
) -> Opened:
    """Return the request with the plan of models, or of those to come; `questions` are those of a template.

    UsageError where this machine has other versions than who asks.
    """
    host = host or load(*request.choice)
    if request.plugins and (differ := {*request.plugins} ^ {*versions(host)}):
        raise UsageError(f"a worker has other versions of flopsheet or its plugins: {', '.join(sorted(differ))}")
    plan = make_plan(host, models, request.portfolios, request.name, request.inputs, questions, request.own)
    plan = plan.show_case(request.scenario) if request.scenario else plan
    return Opened(request, replace(plan, options=request.options))


def count(job: Opened, piece: Piece) -> bytes:
    """Return the part of the report that some models make."""
    gc.freeze()  # what is before is not searched for garbage
    try:
        return _part(job, piece).to_bytes()
    finally:
        gc.collect()  # models and plans are in cycles: those of several pieces would wait in memory together
        gc.unfreeze()


def _part(job: Opened, piece: Piece) -> Part:
    host = job.plan.host
    models = cost_some(host, piece.models(host), job.request.settings)
    plan = replace(job.plan, models=add_totals(host, models, job.plan.program))
    formats = (format_of(host, suffix) for suffix in job.request.suffixes)
    texts = {name: text for form in formats if form for name, text in form.texts(plan).items()}
    if job.request.errors:
        texts[ERRORS] = error_rows(plan.models).encode()
    return Part(summary_of(plan, failures(host)), texts)


def failures(host: Host) -> Iterable[str]:
    """Return what is to be said of plugins that were refused or only partly loaded."""
    return [host.tell(failure) for failure in host.failures]


def run_of(request: Request) -> Run:
    """Return the run of a request."""
    return Run(request, open_request, count)

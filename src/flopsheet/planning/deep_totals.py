"""Models with the totals that only some questions ask for, counted where a plan asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from flopsheet.errors import FlopsheetError
from flopsheet.planning.question import OVERRIDE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.accounting.ledger import Ledger
    from flopsheet.host.host import Host
    from flopsheet.planning.costed_model import Costed
    from flopsheet.planning.program import Program


def add_totals(host: Host, models: Sequence[Costed], program: Program) -> list[Costed]:
    """Return the models with every total that the program's tables read; one that cannot be counted is in error."""
    facts = program.facts_of_models - {OVERRIDE}
    return [_add_model_totals(host, model, facts) for model in models]


def _add_model_totals(host: Host, model: Costed, facts: set[str]) -> Costed:
    if model.ledger is None or facts <= model.ledger.places.keys():
        return model
    try:
        ledger = deeper_ledger(host, model.model.architecture, facts - model.ledger.places.keys())
        if ledger is None:
            return model
        values = model.numbers.some(dimension.name for dimension in ledger.dimensions)
        return replace(model, ledger=ledger, numbers=ledger.evaluate(values))
    except FlopsheetError as error:
        reason = f"what the plan asks of it cannot be counted: {error}"
        return replace(model, model=replace(model.model, errors=(reason,)), ledger=None)


def deeper_ledger(host: Host, architecture: str, facts: set[str]) -> Ledger | None:
    """Return the smallest ledger with what a model's own lacks; none where no ledger has any of it."""
    training = host.training_ledger(architecture)
    rest = facts - training.places.keys()
    if rest and rest & host.serving_ledger(architecture).places.keys():
        return host.serving_ledger(architecture)
    return training if facts & training.places.keys() else None

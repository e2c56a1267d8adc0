"""Ledgers of several plugins' answers, and of architectures side by side."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from flopsheet.accounting.building import build
from flopsheet.errors import PluginError
from flopsheet.host.candidate import LINE_HOOKS, PluginResult
from flopsheet.host.places import reason_of
from flopsheet.host.sound import check_architecture

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flopsheet.accounting.ledger import Ledger
    from flopsheet.accounting.line import Architecture, Line


def side_by_side(name: str, main: Architecture, side: Architecture) -> Architecture:
    """Return the architecture of a ledger that holds the lines of both."""
    return replace(
        main,
        name=name,
        title=f"{main.title}, {side.title.lower()}",
        about=f"{main.about}. {side.about}",
        dimensions=(*main.dimensions, *side.dimensions),
        checks={**main.checks, **side.checks},
        notes={**main.notes, **side.notes},
        fields=(*main.fields, *side.fields),
        read=None,
    )


def joined_ledger(architecture: Architecture, answers: Iterable[PluginResult]) -> Ledger:
    """Return the ledger of some plugins' answers."""
    by_hook: dict[str, list[Any]] = {hook: [] for hook in LINE_HOOKS}
    for answer in answers:
        for hook, items in answer.items.items():
            new = {item.name: item for item in items if item.name in answer.replaces}
            by_hook[hook] = [new.get(item.name, item) for item in by_hook[hook]]
            by_hook[hook] += [item for item in items if item.name not in new]
    dimensions, *lines = by_hook.values()
    whole = replace(architecture, dimensions=(*architecture.dimensions, *dimensions))
    check_architecture(whole)
    return build(whole, *lines)


def activation_lines(answer: PluginResult) -> list[Line]:
    """Return the activation lines of a plugin; PluginError says what is wrong with its answer."""
    try:
        return answer.ask_activations()
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a plugin may raise anything
        reason = reason_of(answer.plugin, error)
        raise PluginError(f"{answer.plugin}: {reason}", getattr(error, "of", "")) from None

"""Which plugins a plan's numbers come from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet.accounting.optimizers import Optimizer
from flopsheet.configs.settings import OPTIMIZER
from flopsheet.planning.catalog import Accelerator, Price
from flopsheet.planning.question import Question
from flopsheet.planning.registry import BUNDLED, WITH_LAWS

if TYPE_CHECKING:
    from collections.abc import Callable

    from flopsheet.host.candidate import Plugin
    from flopsheet.planning.plan import Plan


def architectures_of(plan: Plan) -> list[str]:
    """Return the architectures of a plan's models that have numbers."""
    return sorted({model.model.architecture for model in plan.costed})


def plugins_of(plan: Plan) -> list[Plugin]:
    """Return the plugins without which a plan would have other numbers, or none.

    Those of the architectures and what extends them, and those of questions, accelerators, prices, scaling laws and
    optimizers that the plan uses.
    """
    result = {model.plugin for model in plan.models if model.plugin}
    for name in architectures_of(plan):
        result |= {plugin for plugin, lines in plan.host.extensions(name) if lines}
    for hook, (kind, is_used) in _uses(plan).items():
        answers: list[tuple[Plugin, list[Any]]] = plan.host.ask_all(hook, kind)
        result |= {plugin for plugin, items in answers if any(map(is_used, items))}
    return sorted(result)


def _uses(plan: Plan) -> dict[str, tuple[type, Callable[[Any], bool]]]:
    """Return the hooks that plans ask, each with what tells whether a plan uses one of its answers."""
    names = {question.name for question in plan.program.questions}
    accelerators = {item.name for item in plan.accelerators.values()}
    recipes = {model.model.given.get(OPTIMIZER) for model in plan.models}
    results: dict[str, tuple[type, Callable[[Any], bool]]] = {
        "flopsheet_questions": (Question, lambda item: item.name in names and item.name not in BUNDLED),
        "flopsheet_accelerators": (Accelerator, lambda item: item.name in accelerators),
        "flopsheet_prices": (Price, lambda item: item.accelerator in accelerators),
        "flopsheet_optimizers": (Optimizer, lambda item: item.name in recipes),
    }
    if WITH_LAWS in names:
        from flopsheet.planning.questions.scaling.laws import ScalingLaw  # noqa: PLC0415 - not for plans without them

        results["flopsheet_scaling_laws"] = (ScalingLaw, lambda _: True)
    return results

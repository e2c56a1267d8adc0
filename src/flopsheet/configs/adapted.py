"""Adapters by the modules that they are next to: which groups have them, and next to which others they are not counted.

A group has adapters next to all of its matrices or none: those next to some are a problem.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from flopsheet.accounting.adapters import GROUPS, RANK
from flopsheet.accounting.line import TOWERS
from flopsheet.accounting.quantized_weights import linear_layers
from flopsheet.configs.matrices import lines_of, matrices_of
from flopsheet.configs.modules import places
from flopsheet.configs.schemes import Scheme, Schemes
from flopsheet.configs.selectors import scheme_shares
from flopsheet.configs.weight_format import WeightFormat

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet.accounting.ledger import Ledger
    from flopsheet.accounting.line import Number
    from flopsheet.configs.matrices import Matrices
    from flopsheet.configs.model import Model
    from flopsheet.host.host import Host

HEAD = "lm_head"
NEXT_TO = Scheme(WeightFormat(method="adapters", bits="0", head="always", source="PEFT"), {})
"""Stands for an adapter where modules are picked as those of a format are."""

ALL_LINEAR = Schemes(
    own=(),
    plain=(),
    kept=(),
    only=None,
    base=(),
    is_head_plain=True,
    also=("router",),
    bare=(),
    groups=(),
    types=(),
    is_whole=False,
    is_of_layers=False,
)
"""PEFT's all-linear, where it is the scheme of every module: all linear layers but output heads."""


def adapt(host: Host, model: Model, targets: Sequence[str]) -> Model:
    """Return a model with the adapters that are next to the modules which targets name, none for all linear layers.

    It has their rank as that of each group. What of them is not counted is a problem.
    """
    ledger = host.ledger(model.architecture)
    values, missing = ledger.fill(model.given, model.fields, model.defaults)
    if missing or not any(name.startswith(RANK) for name in model.given):
        return model
    if not any(name.startswith(RANK) for name in values):
        return _with_problem(model, f"the architecture {model.architecture} has no adapters: it is counted without")
    numbers = ledger.evaluate(values)
    try:
        matrices = matrices_of(ledger, numbers, {"model_type": model.model_type})
        shares = _shares(targets, matrices, numbers, model.model_type)
    except ValueError as reason:
        return _with_problem(model, f"which matrices the adapter is next to is not known: {reason}")
    if not any(shares.values()):
        return _with_problem(model, f"the adapter is for {', '.join(targets)}, and no linear layer is called so")
    partly = {m.group for m in matrices if shares[m.name] < 1}
    left = [m.name for m in matrices if shares[m.name] and (m.group in partly or m.group not in GROUPS)]
    left += _in_towers(ledger, numbers)
    left += [] if any(m.group == HEAD for m in matrices) else _tied_heads(targets)
    result = replace(model, given={**model.given, **{f"{RANK}{group}": 0 for group in GROUPS if group in partly}})
    text = f"the adapter's matrices next to {', '.join(left)} are not counted, where it has them"
    return _with_problem(result, text) if left else result


def _with_problem(model: Model, text: str) -> Model:
    return replace(model, problems=(*model.problems, text))


def _shares(
    targets: Sequence[str], matrices: Sequence[Matrices], numbers: Mapping[str, Number], model_type: str
) -> dict[str, float]:
    """Return the share of each line's matrices that have adapters."""
    own = [(tuple(targets), NEXT_TO)] if targets else []
    schemes = replace(ALL_LINEAR, own=own, base=() if targets else (NEXT_TO,))
    results = scheme_shares(schemes, matrices, numbers, model_type)
    return {name: float(sum(share for _, share in shares)) for name, shares in results.items()}


def _tied_heads(targets: Sequence[str]) -> list[str]:
    """Return the targets that are a head, which stores nothing of its own where it is tied."""
    heads = {name for names in places()[HEAD].modules for name in names}
    return [target for target in targets if target.rpartition(".")[2] in heads]


def _in_towers(ledger: Ledger, numbers: Mapping[str, Number]) -> list[str]:
    """Return the lines of linear layers in towers, whose modules are often called as those of the language model."""
    return [line.name for line in linear_layers(*lines_of(ledger)) if line.group in TOWERS and numbers[line.name]]

"""Which of a model's matrices each scheme stores: entries and lists of modules, held against names of matrices."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from msgspec import Struct

from flopsheet.accounting.quantized_weights import EXPERTS
from flopsheet.configs.classes import class_table
from flopsheet.configs.modules import Names, Pattern, check_used, module_names, patterns_of, text_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet.accounting.line import Number
    from flopsheet.configs.matrices import Matrices
    from flopsheet.configs.schemes import Scheme, Schemes

RARE = ("embedding", "router")
"""Groups that stay plain where a format does not say otherwise."""
CHECKED = frozenset(("attention", "cross_attention", "mlp", "experts", "shared_experts", "ssm", "lm_head"))
"""Groups of which every module in a list has to be known."""


class Selector(Struct, frozen=True):
    """Patterns of modules, and the scheme that stores these, None where they keep their type."""

    patterns: list[Pattern]
    scheme: Scheme | None


def scheme_shares(
    schemes: Schemes, matrices: Sequence[Matrices], numbers: Mapping[str, Number], model_type: str
) -> dict[str, list[tuple[Scheme, Fraction]]]:
    """Return the schemes that store the matrices of each line, with their share of them.

    ValueError says of which entry it is not known what it names.
    """
    n_experts = int(numbers.get("n_experts", 0))
    own = [Selector(patterns_of(entries, n_experts), scheme) for entries, scheme in schemes.own]
    listed = patterns_of(schemes.plain, n_experts, whole=schemes.is_whole)
    kept = patterns_of(schemes.kept, n_experts)
    only = None if schemes.only is None else patterns_of(schemes.only, n_experts)
    base = [Selector(patterns_of(scheme.entries, n_experts, whole=schemes.is_whole), scheme) for scheme in schemes.base]
    patterns = [p for each in (*own, *base) for p in each.patterns] + listed + (only or [])
    text = text_of([*patterns, *kept])
    everything = next((scheme for scheme in schemes.base if not scheme.entries), None)
    result = {}
    for line in matrices:
        is_meant = _is_meant(schemes, line, model_type)
        names = (
            list(module_names(line.place, text, float(line.split), model_type, line.name))
            if line.place
            else [Names([line.name], [], [])]
        )
        selectors = [
            *own,
            Selector([*listed, *kept], None),
            *(selector for selector in base if selector.patterns and is_meant),
        ]
        result[line.name] = _shares(line, names, selectors, only, everything if is_meant else None)
    unplaced = [line.name for line in matrices if not line.place]
    if unplaced and (unclear := next((pattern for pattern in patterns if pattern.may_be_for_others), None)):
        raise ValueError(f"whether {unclear.text} is for {unplaced[0]} is not known")
    depth = max((line.depth for line in matrices), default=0)
    check_used(patterns, depth, CHECKED.intersection(line.group for line in matrices))
    return result


def _is_meant(schemes: Schemes, matrices: Matrices, model_type: str) -> bool:
    """Return whether a format means the matrices of a group that no entry names."""
    groups, types = schemes.groups or (matrices.group,), schemes.types or (model_type,)
    if matrices.group not in groups or model_type not in types:
        return False
    if matrices.group == EXPERTS and fuses_experts(schemes, model_type) and schemes.written_by >= schemes.fused:
        return False
    if schemes.is_of_layers and matrices.place and not matrices.place.in_layers:
        return False
    if matrices.group == "lm_head":
        return not schemes.is_head_plain
    if matrices.group == "router" and model_type in schemes.bare:
        return False
    return matrices.group not in RARE or matrices.group in schemes.also


def fuses_experts(schemes: Schemes, model_type: str) -> bool:
    """Return whether newer classes of transformers hold routed experts in one array, which a format leaves plain."""
    return bool(schemes.fused) and model_type not in schemes.linear and class_table(model_type) is not None


def _shares(
    matrices: Matrices,
    modules: Sequence[Names],
    selectors: Sequence[Selector],
    only: list[Pattern] | None,
    default: Scheme | None,
) -> list[tuple[Scheme, Fraction]]:
    """Return each scheme with its share of the matrices of a line, module by module and layer by layer."""
    result: dict[int, tuple[Scheme, Fraction]] = {}

    def add(scheme: Scheme | None, share: Fraction) -> None:
        if scheme is not None and share:
            result[id(scheme)] = scheme, result.get(id(scheme), (scheme, Fraction(0)))[1] + share / len(modules)

    for names in modules:
        left = set(matrices.layers) if matrices.layers is not None else set(range(matrices.depth))
        rest = Fraction(1)
        for selector in selectors:
            layers = {i for pattern in selector.patterns for i in pattern.layers_of(names, left)}
            share = min(_share(matrices, layers), rest)
            add(selector.scheme, share)
            left, rest = left - layers, rest - share
        if only is not None:
            only_layers = {i for pattern in only for i in pattern.layers_of(names, left)}
            rest = min(_share(matrices, only_layers), rest)
        add(default, rest)
    return list(result.values())


def _share(matrices: Matrices, layers: set[int]) -> Fraction:
    """Return the share of a line's layers that is taken; ValueError where its layers are not known."""
    if matrices.layers is None and len(layers) not in (0, matrices.n_layers, matrices.depth):
        raise ValueError(f"the list names {len(layers)} layers, and which layers have {matrices.name} is not known")
    whole = matrices.n_layers if matrices.layers is None else len(matrices.layers)
    return min(Fraction(len(layers), whole or 1), Fraction(1))

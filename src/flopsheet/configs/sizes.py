"""A model of which only the size is known: a documented standard shape of about so many parameters."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from itertools import product
from math import log
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from flopsheet.accounting.data import read_table
from flopsheet.accounting.values import fill_in
from flopsheet.configs.reading import read_dimensions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from flopsheet.configs.model import Model
    from flopsheet.host.host import Host

HEAD = STEP = 128
"""The width of a head, and what every width is a multiple of."""
WIDE, DEEP = 3000, 32
"""From this width on heads are multiples of 8, and from this depth on layers of 4, as parallel layouts like them."""
EXPERT_STEP = 8
WITHIN = 0.01
"""How far a shape may be from the size that is asked for."""
SPREAD = 1.7
"""How many times a ratio may be that of its family, or the other way round."""
SIZE = re.compile(r"(\d+(?:\.\d+)?)([MBT])(?:-A(\d+(?:\.\d+)?)([MBT]))?", re.IGNORECASE)
UNITS = {"M": 10**6, "B": 10**9, "T": 10**12}
EXPECTED = "write '70B' for a dense model, or '400B-A30B' for a mixture of experts with 30B active per token"

Counts = tuple[float, float]
"""Parameters in all, and those that a token uses."""
Dimensions = dict[str, Any]


class _Shape(Struct, frozen=True):
    dimensions: Dimensions
    counts: Counts
    off: float


def model_of_size(host: Host, size: Any, own: Iterable[str] = ()) -> Model:
    """Return a model of a standard shape for a size such as `70B` or `400B-A30B`; ValueError says what is wrong.

    It is a plan and no config: it is approximate, and its problem says which shape it took, and which dimensions are
    the planner's `own` instead.
    """
    target = _wanted_counts(size)
    kind = "moe" if target[1] < target[0] else "dense"
    family, best = _families()[kind], _best(host, kind, target)
    if best is None:
        raise ValueError(f"{size!r}: no standard shape comes within 1% of it; give architecture and dimensions")
    model = read_dimensions(host, family["architecture"], {})
    return replace(model, name=str(size), given=best.dimensions, problems=(_reason(str(size), family, best, own),))


@lru_cache(maxsize=64)
def _best(host: Host, kind: str, target: Counts) -> _Shape | None:
    """Return the shape of a family that is nearest to a size and to the family's ratios."""
    family, best = _families()[kind], None
    count, is_tied = _counter(host, family), int(target[0] < family["tied_below"])
    numbers = cache(lambda d_model: _Numbers(count, family, d_model, is_tied))
    for far, d_model, n_layers in sorted(_stacks(family, target[1])):
        if best and far >= best.off:  # so are all shapes that follow
            break
        shapes = numbers(d_model).shapes(n_layers, far, target)
        best = min(filter(None, (best, *shapes)), key=lambda shape: shape.off, default=None)
    return best


def _wanted_counts(size: Any) -> Counts:
    result = SIZE.fullmatch(size.replace(" ", "")) if isinstance(size, str) else None
    if not result:
        raise ValueError(f"{size!r}: {EXPECTED}")
    total, unit, active, active_unit = result.groups()
    whole = float(total) * UNITS[unit.upper()]
    active_count = float(active) * UNITS[active_unit.upper()] if active else whole
    if not 0 < active_count <= whole:
        raise ValueError(f"{size!r}: more active parameters than it has, or none; {EXPECTED}")
    return whole, active_count


def _families() -> Mapping[str, Mapping[str, Any]]:
    return read_table("flopsheet.configs", "sizes.toml")


def _counter(host: Host, family: Mapping[str, Any]) -> Callable[[Dimensions], Counts]:
    """Return what counts a shape: the ledger of its architecture."""
    ledger = host.ledger(family["architecture"])

    def count(dimensions: Dimensions) -> Counts:
        numbers = ledger.evaluate(fill_in(ledger.dimensions, dimensions)[0])
        return float(numbers["parameters"]), float(numbers["parameters_active"])

    return count


def _stacks(family: Mapping[str, Any], active: float) -> Iterator[tuple[float, int, int]]:
    """Give every stack to try: how far it is from the ratio of its family, its width and its depth."""
    for d_model in _widths(family, active):
        for n_layers in _depths(d_model / family["aspect"]):
            far = abs(log(d_model / n_layers / family["aspect"]))
            if far <= log(SPREAD):
                yield far, d_model, n_layers


def _widths(family: Mapping[str, Any], active: float) -> range:
    """Return the widths to try: those of stacks whose 12·L·d² is anywhere near the active parameters."""
    middle = (active * family["aspect"] / 12) ** (1 / 3)
    step = 8 * HEAD if middle > WIDE else 2 * HEAD
    return range(_up(middle / 2, step), _up(middle * 2, step) + step, step)


def _depths(middle: float) -> Iterator[int]:
    """Give the depths to try: even, and from DEEP layers on multiples of 4, which pipelines divide."""
    for n_layers in range(_up(middle / SPREAD, 2), _up(middle * SPREAD, 2) + 2, 2):
        if n_layers < DEEP or n_layers % 4 == 0:
            yield n_layers


def _experts(family: Mapping[str, Any]) -> range:
    least, most = family.get("experts", (0, 0))
    return range(least, most + 1, EXPERT_STEP)


class _Plane(Struct, frozen=True):
    """A count at one width and depth: linear in the width of an MLP, and in the number of experts."""

    base: float
    by_width: float = 0
    by_experts: float = 0
    by_both: float = 0

    def at(self, width: float, experts: int) -> float:
        """Return the count of a shape."""
        wide, many = width / STEP - 1, experts / EXPERT_STEP - 1 if experts else 0
        return self.base + wide * self.by_width + many * (self.by_experts + wide * self.by_both)


def _plane(corners: Mapping[tuple[int, int], float]) -> _Plane:
    """Return the count that goes through its corners: those of dense models have one number of experts."""
    base, by_width = corners[0, 0], corners[1, 0] - corners[0, 0]
    if (0, 1) not in corners:
        return _Plane(base, by_width)
    return _Plane(base, by_width, corners[0, 1] - base, corners[1, 1] - corners[0, 1] - by_width)


class _Numbers:
    """The counts of shapes of one width, which are linear in depth, width of an MLP and number of experts each."""

    def __init__(
        self, count: Callable[[Dimensions], Counts], family: Mapping[str, Any], d_model: int, is_tied: int
    ) -> None:
        self.family, self.d_model, self.is_tied = family, d_model, is_tied
        mixture = "experts" in family
        self.corners = {
            (wide, many): [
                count(self.dimensions(depth, STEP * (1 + wide), EXPERT_STEP * (1 + many) * mixture)) for depth in (2, 3)
            ]
            for wide, many in product((0, 1), (0, 1) if mixture else (0,))
        }

    def dimensions(self, n_layers: int, width: int, experts: int) -> Dimensions:
        """Return the dimensions of a shape."""
        heads = self.d_model // HEAD
        kv_heads = max(n for n in (1, 2, 4, 8) if heads % n == 0 and n <= self.family["kv_heads"])
        return {
            "n_layers": n_layers,
            "d_model": self.d_model,
            "n_heads": heads,
            "n_kv_heads": kv_heads,
            "d_head": HEAD,
            **({"n_experts": experts, "d_ff": width} if experts else {}),
            self.family["width_of"]: width,
            **self.family["fixed"],
            **({"tied_head": 1} if self.is_tied else {}),
        }

    def at_depth(self, n_layers: int) -> tuple[_Plane, _Plane]:
        """Return the counts of shapes of one depth: parameters in all, and those that a token uses."""
        total, active = (
            {at: two[side] + (n_layers - 2) * (three[side] - two[side]) for at, (two, three) in self.corners.items()}
            for side in (0, 1)
        )
        return _plane(total), _plane(active)

    def shapes(self, n_layers: int, far: float, target: Counts) -> Iterator[_Shape | None]:
        """Give the shape of each number of experts whose width gives the size, None where it is not near enough."""
        planes = self.at_depth(n_layers)
        for experts in _experts(self.family):
            yield self._solve(n_layers, experts, planes, far, target)

    def _solve(
        self, n_layers: int, experts: int, planes: tuple[_Plane, _Plane], far: float, target: Counts
    ) -> _Shape | None:
        """Return the shape whose width gives the size, where it is near enough and near the ratios of its family."""
        base, step = (planes[0].at(width, experts) for width in (0, STEP))
        width = STEP * round((target[0] - base) / (step - base))
        if width < STEP:
            return None
        wide = abs(log(width / self.d_model / self.family["width"]))
        if wide > log(SPREAD):
            return None
        counts = planes[0].at(width, experts), planes[1].at(width, experts)
        errors = [abs(number / goal - 1) for number, goal in zip(counts, target, strict=True)]
        if max(errors) > WITHIN:
            return None
        return _Shape(self.dimensions(n_layers, width, experts), counts, far + wide + sum(errors) / WITHIN / 10)


def _reason(size: str, family: Mapping[str, Any], shape: _Shape, own: Iterable[str]) -> str:
    total, active = (f"{number / 1e9:.4g}B" for number in shape.counts)
    shape_text = ", ".join(f"{name} = {value}" for name, value in shape.dimensions.items())
    overrides = [name for name in own if name in shape.dimensions]
    return (
        f"planned by size, not read from a config: {size} took a standard shape like {family['like']}, with {total}"
        f" parameters{f', {active} active' if active != total else ''}: {shape_text}"
        f"{'; set instead: ' + ', '.join(overrides) if overrides else ''}"
    )


def _up(number: float, step: int) -> int:
    return max(step * round(number / step), step)

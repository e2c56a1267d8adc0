"""What a format of quantized weights is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True, kw_only=True)
class WeightFormat:
    """One way to store quantized weights; formats.toml says what each field means."""

    method: str
    bits: str
    head: str
    source: str
    more: str = "0"
    at: str = ""
    when: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    plain: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    only: str = ""
    own: str = ""
    own_method: str = ""
    also: tuple[str, ...] = ()
    bare: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    fused: int = 0
    linear: tuple[str, ...] = ()
    towers: bool = False
    whole: bool = False
    layers: bool = False
    unread: tuple[str, ...] = ()
    left_out: str = ""
    inexact: str = ""
    expert_bits: str = ""
    head_bits: str = ""
    divides: str = ""

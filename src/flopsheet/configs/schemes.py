"""Which formats a config's stored weights are in, and for which modules each is meant."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from flopsheet.accounting import formula
from flopsheet.accounting.line import NOTHING
from flopsheet.accounting.quantized_weights import EXPERTS
from flopsheet.errors import FormulaError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from flopsheet.accounting.line import Number
    from flopsheet.configs.matrices import Matrices
    from flopsheet.configs.weight_format import WeightFormat

EVERY = ("Linear", "linear")
"""Targets that mean all linear layers."""
TABLES = "Embedding"
"""The target that means all tables."""
PLAIN_BITS = 16
"""Entries of modules that have so many bits keep their type."""
WRITTEN_BY = "transformers_version"
"""The field of configs that says which version of transformers wrote them."""
INLINE = "."
"""The path of entries that are next to a format's fields, by names with a dot."""
SIGNS = {"-:": True, "+:": False}
"""What begins GPTQModel's patterns: whether the modules stay plain."""


class Scheme(Struct, frozen=True):
    """A format with the fields of a config, and the entries that name its modules, none for all."""

    format: WeightFormat
    fields: Mapping[str, float]
    entries: tuple[str, ...] = ()

    def takes(self, matrices: Matrices) -> bool:
        """Return whether the columns are whole groups, where the format leaves others as they are."""
        size = self.fields.get(self.format.divides, 0)
        return not size or matrices.columns % Fraction(size) == 0

    def bytes_of(self, matrices: Matrices) -> Number:
        """Return the bytes of one of some matrices, with its scales and all else that belongs to it."""
        own = {EXPERTS: self.format.expert_bits, "lm_head": self.format.head_bits}.get(matrices.group, "")
        more = "0" if own else self.format.more
        text = f"rows * columns * ({own or self.format.bits}) / 8 + ({more})"
        values: dict[str, Number] = {**self.fields, "rows": matrices.rows, "columns": matrices.columns}
        return formula.read(text).evaluate(values)


class Schemes(Struct, frozen=True):
    """How modules are stored: by entries of their own, which say a scheme or None for plain, else by the lists.

    `plain` lists the modules that keep their type, `kept` those that do so unlisted where a model has them, `only`
    those that are not to, None for all. `base` are the schemes of the others. `is_head_plain` and `also` say it of
    output heads, and of groups that few formats quantize. `bare` are the types whose routers the format's library
    holds as plain arrays. `groups` and `types` are the only groups and model types that it converts, none for all.
    Routed experts are not converted where `fused` or a later version of transformers wrote the config, `written_by`
    (0: it does not say), but for the types in `linear`. `is_whole`: entries name modules by their whole names.
    `is_of_layers`: it converts what is inside layers alone.
    """

    own: Sequence[tuple[tuple[str, ...], Scheme | None]]
    plain: tuple[str, ...]
    kept: tuple[str, ...]
    only: tuple[str, ...] | None
    base: tuple[Scheme, ...]
    is_head_plain: bool
    also: tuple[str, ...]
    bare: tuple[str, ...]
    groups: tuple[str, ...]
    types: tuple[str, ...]
    is_whole: bool
    is_of_layers: bool
    fused: int = 0
    linear: tuple[str, ...] = ()
    written_by: int = 0

    @property
    def all(self) -> list[Scheme]:
        """All schemes."""
        return [*(scheme for _, scheme in self.own if scheme), *self.base]


def schemes_of(formats: Sequence[WeightFormat], method: str, quantization: Mapping[str, Any]) -> Schemes:
    """Return how a config's modules are stored; ValueError says what is not understood."""
    forms = [form for form in formats if form.method == method]
    if not forms:
        raise ValueError("the method is not known")
    own = _own(formats, forms[0], quantization)
    base = _base(forms, quantization, is_needed=not any(scheme for _, scheme in own))
    form = base[0].format if base else forms[0]
    lists = [quantization[name] for name in form.plain if isinstance(quantization.get(name), list)]
    plain = tuple(entry for entries in lists for entry in entries if isinstance(entry, str))
    only = _names(quantization[form.only]) if form.only and quantization.get(form.only) else None
    is_head_plain = form.head == "always" or (form.head == "unlisted" and not lists)
    meant = (form.also, form.bare, form.groups, form.types)
    fused = (form.fused, form.linear, _major(quantization.get(WRITTEN_BY)))
    return Schemes(own, plain, form.kept, only, base, is_head_plain, *meant, form.whole, form.layers, *fused)


def _major(version: Any) -> int:
    """Return the first number of a version, 0 where there is none."""
    first = str(version).partition(".")[0]
    return int(first) if first.isdecimal() else 0


def _base(forms: Sequence[WeightFormat], quantization: Mapping[str, Any], *, is_needed: bool) -> tuple[Scheme, ...]:
    """Return the schemes of modules without entries of their own: those for all linear layers last."""
    reason = ValueError("its fields are not understood")
    for path in dict.fromkeys(form.at for form in forms):
        try:
            results = [_fit([form for form in forms if form.at == path], each) for each in _entries(quantization, path)]
        except ValueError as error:
            reason = error
            continue
        if results:
            return tuple(sorted(results, key=lambda scheme: not scheme.entries))
    if is_needed:
        raise reason
    return ()


def _own(
    formats: Sequence[WeightFormat], form: WeightFormat, quantization: Mapping[str, Any]
) -> list[tuple[tuple[str, ...], Scheme | None]]:
    """Return the entries that say of some modules how they are stored, those that say the same in one."""
    entries = _inline(quantization) if form.own == INLINE else quantization.get(form.own)
    if not form.own or not isinstance(entries, dict):
        return []
    forms = [other for other in formats if other.method == (form.own_method or form.method)]
    result: dict[tuple[bool, str], list[str]] = {}
    for name, value in entries.items():
        is_plain = SIGNS.get(name[:2], value is False)
        pattern = f"re:{name[2:]}" if name[:2] in SIGNS else name
        result.setdefault((is_plain, json.dumps(value, sort_keys=True)), []).append(pattern)
    others = {key: value for key, value in quantization.items() if not isinstance(value, dict)}
    return [
        (tuple(names), None if is_plain else _fit_own(forms, others, json.loads(text)))
        for (is_plain, text), names in result.items()
    ]


def _fit_own(forms: Sequence[WeightFormat], others: Mapping[str, Any], value: Any) -> Scheme | None:
    value = value if isinstance(value, dict) else {}
    if isinstance(value.get("bits"), int | float) and value["bits"] >= PLAIN_BITS:
        return None
    path = forms[0].at.rpartition(".")[2] if forms else ""
    inner = value.get(path) if path else None
    return replace(_fit(forms, {**others, **value, **(inner if isinstance(inner, dict) else {})}), entries=())


def _inline(quantization: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in quantization.items() if isinstance(value, dict | bool)}


def _fit(forms: Sequence[WeightFormat], quantization: Mapping[str, Any]) -> Scheme:
    """Return the first format that fits some fields; ValueError where there is none."""
    for form in forms:
        fields = {**form.defaults, **quantization}
        if all(_value(_inner(fields, name)) in values for name, values in form.when.items()):
            if unread := [name for name in form.unread if fields.get(name)]:
                raise ValueError(f"{', '.join(unread)} is not understood")
            scheme = Scheme(form, _numbers(fields), _targets(quantization.get("targets")))
            if _is_computed(scheme):
                return scheme
    raise ValueError("its fields are not understood")


def _is_computed(scheme: Scheme) -> bool:
    """Return whether the fields give all numbers that the formulas of a format ask for."""
    values = {**scheme.fields, "rows": 1, "columns": 1}
    try:
        for text in (scheme.format.bits, scheme.format.more):
            formula.read(text).evaluate(values)
    except FormulaError:
        return False
    return True


def _targets(targets: Any) -> tuple[str, ...]:
    """Return the entries of a group's targets, none where it means every linear layer; ValueError for tables."""
    names = _names(targets) if targets else ()
    if TABLES in names:
        raise ValueError(f"{TABLES} among the targets is not understood")
    return () if any(name in EVERY for name in names) else names


def _names(entries: Any) -> tuple[str, ...]:
    """Return the names in a list, or in lists inside it."""
    if isinstance(entries, str):
        return (entries,)
    return tuple(name for each in entries for name in _names(each)) if isinstance(entries, list) else ()


def _entries(table: Mapping[str, Any], path: str, fields: Mapping[str, Any] = NOTHING) -> Iterator[dict[str, Any]]:
    """Yield the fields of a table and of those on the path, the inner ones winning; `*` stands for each entry."""
    fields = {**fields, **{name: value for name, value in table.items() if value is not None or name not in fields}}
    if not path:
        yield fields
        return
    part, _, rest = path.partition(".")
    inner = list(table.values()) if part == "*" else [table.get(part)]
    tables = [each for each in inner if isinstance(each, dict)]
    if not inner or len(tables) < len(inner):
        raise ValueError(f"{path} is not a table")
    for each in tables:
        yield from _entries(each, rest, NOTHING if part == "*" and not rest else fields)


def _inner(fields: Any, path: str) -> Any:
    """Return the value of a field, which a dot says is in another."""
    for name in path.split("."):
        fields = fields.get(name) if isinstance(fields, dict) else None
    return fields


def _value(value: Any) -> Any:
    return "null" if value is None else value


def _numbers(fields: Mapping[str, Any]) -> dict[str, float]:
    lists = {name: value for name, value in fields.items() if isinstance(value, list)}
    spread = {f"{name}_{i}": item for name, items in lists.items() for i, item in enumerate(items, start=1)}
    everything = {**fields, **spread}
    return {n: v for n, v in everything.items() if isinstance(v, int | float) and not isinstance(v, bool)}

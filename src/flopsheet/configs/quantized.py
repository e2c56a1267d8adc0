"""Quantized checkpoints: what a config's `quantization_config` says of the bytes of its weights."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from flopsheet.accounting import formula
from flopsheet.accounting.data import read_text
from flopsheet.accounting.line import spoken
from flopsheet.accounting.quantized import FLAG, GROUPS
from flopsheet.configs.fields import STORAGE
from flopsheet.configs.modules import plain_groups
from flopsheet.errors import FormulaError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet.host.host import Host

BYTE = 8
BESIDE = ("expert_dtype",)
"""Fields of a format that configs also have next to their `quantization_config`."""


@dataclass(frozen=True, kw_only=True)
class WeightFormat:
    """One way to store quantized weights; formats.toml says what each field means."""

    method: str
    bits: str
    head: str
    source: str
    at: str = ""
    when: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    plain: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    left_out: str = ""
    expert_bits: str = ""


def quantized(host: Host, config: Mapping[str, Any]) -> tuple[dict[str, float], list[str]]:
    """Return the dimension values of a config's quantized weights, whichever its ledger has, and the note on them.

    A format that is not understood leaves every weight at `weight_dtype_bytes`, and the note says why.
    """
    stored = next((config[name] for name in STORAGE if isinstance(config.get(name), dict) and config[name]), None)
    if stored is None:
        return {}, []
    stored = {name: config[name] for name in BESIDE if name in config} | stored
    method = str(stored.get("quant_method", "an unnamed method"))
    said = f"weights are stored quantized ({method})"
    try:
        form, fields, bits = _format(host, method, stored)
        plain = _plain(form, fields, int(config.get("num_hidden_layers") or 0))
    except (TypeError, ValueError) as reason:
        return {}, [f"{said}, but weights_bytes takes weight_dtype_bytes per weight: {reason}"]
    values = {"quantized_bytes": bits / BYTE, **{f"{FLAG}{group}": 1 for group in GROUPS if group not in plain}}
    experts = ""
    if form.expert_bits:
        own = float(formula.read(form.expert_bits).evaluate(_numbers(fields)))
        values["quantized_expert_bytes"] = own / BYTE
        experts = f", {own:.6g} of routed experts"
    return values, [f"{said}: {bits:.6g} bits per weight of linear layers{experts}{_but(plain)}{_left_out(form)}"]


def _but(plain: set[str]) -> str:
    names = [spoken(group) for group in GROUPS if group in plain]
    return f" except for {', '.join(names)}" if names else ""


def _left_out(form: WeightFormat) -> str:
    return f"; left out: {form.left_out}" if form.left_out else ""


@cache
def formats() -> tuple[WeightFormat, ...]:
    """Return every format that is understood."""
    rows = tomllib.loads(read_text("flopsheet.configs", "formats.toml"))["formats"]
    lists = ("plain", "unread")
    return tuple(WeightFormat(**{**row, **{key: tuple(row.get(key, ())) for key in lists}}) for row in rows)


def _format(host: Host, method: str, stored: Mapping[str, Any]) -> tuple[WeightFormat, dict[str, Any], float]:
    """Return the first format that fits, the fields that it reads, and the bits of a weight."""
    more = [form for _, items in host.ask_all("flopsheet_weight_formats", WeightFormat) for form in items]
    own = [form for form in (*formats(), *more) if form.method == method]
    if not own:
        raise ValueError("the method is not known")
    for form in own:
        fields = {**form.defaults, **_fields(stored, form.at)}
        if all(_value(fields.get(name)) in values for name, values in form.when.items()):
            if unread := [name for name in form.unread if fields.get(name)]:
                raise ValueError(f"{', '.join(unread)} is not understood")
            try:
                return form, fields, float(formula.read(form.bits).evaluate(_numbers(fields)))
            except FormulaError:
                continue
    raise ValueError("its fields are not understood")


def _fields(table: Mapping[str, Any], path: str) -> dict[str, Any]:
    """Return the fields of a table and of those on the path, the inner ones winning."""
    fields = dict(table)
    for part in path.split(".") if path else ():
        inner = [table.get(part)] if part != "*" else list(table.values())
        if len(inner) != 1 or not isinstance(inner[0], dict):
            raise ValueError(f"{path} is not one table")
        table = inner[0]
        fields |= {name: value for name, value in table.items() if value is not None}
    return fields


def _value(value: Any) -> Any:
    return "null" if value is None else value


def _numbers(fields: Mapping[str, Any]) -> dict[str, float]:
    lists = {name: value for name, value in fields.items() if isinstance(value, list)}
    spread = {f"{name}_{i}": item for name, items in lists.items() for i, item in enumerate(items, start=1)}
    everything = {**fields, **spread}
    return {n: v for n, v in everything.items() if isinstance(v, int | float) and not isinstance(v, bool)}


@lru_cache(1024)
def _groups(listed: tuple[str, ...], n_layers: int) -> frozenset[str]:
    """Return the groups that lists keep plain: configs of a crawl share a few."""
    return frozenset(plain_groups(listed, n_layers))


def _plain(form: WeightFormat, fields: Mapping[str, Any], n_layers: int) -> set[str]:
    """Return the groups that keep their type."""
    lists = [fields[name] for name in form.plain if isinstance(fields.get(name), list)]
    listed = [entry for entries in lists for entry in entries if isinstance(entry, str)]
    plain = set(_groups(tuple(listed), n_layers))
    if form.head == "always" or (form.head == "unlisted" and not lists):
        plain.add("lm_head")
    return plain

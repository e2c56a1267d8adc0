"""Quantized checkpoints: what a config's `quantization_config` says of the bytes of its weights."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from flopsheet.accounting import formula
from flopsheet.accounting.data import read_table
from flopsheet.accounting.line import write_group
from flopsheet.accounting.quantized_weights import EXPERTS, GROUPS, SHARE
from flopsheet.configs.fields import BITS, STORAGE
from flopsheet.configs.matrices import left_plain, matrices_of
from flopsheet.configs.schemes import WRITTEN_BY, schemes_of
from flopsheet.configs.selectors import fuses_experts, scheme_shares
from flopsheet.configs.weight_format import WeightFormat
from flopsheet.errors import FormulaError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet.accounting.ledger import Ledger
    from flopsheet.accounting.line import Number
    from flopsheet.configs.matrices import Matrices
    from flopsheet.configs.model import Model
    from flopsheet.configs.schemes import Scheme, Schemes
    from flopsheet.host.host import Host

BYTE = 8
METHOD = "quant_method"
SIZES = ("bits", "more", "expert_bits", "head_bits")
"""The fields of a format that are formulas."""
CACHES = ("kv_cache_quant_algo", "kv_cache_scheme", "kv_cache_quant_config")
"""Fields that say how keys and values are to be cached, which is the plan's choice."""
BESIDE = ("expert_dtype", WRITTEN_BY)
"""Fields of a format that configs also have next to their `quantization_config`."""


class Storage(Struct, frozen=True):
    """How a checkpoint stores its weights: dimension values, and what is to be said of them."""

    values: Mapping[str, float] = {}
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


def read_quantization(host: Host, ledger: Ledger, numbers: Mapping[str, Number], config: Mapping[str, Any]) -> Storage:
    """Return how a config's checkpoint stores the matrices of a model, whose ledger has these numbers.

    A format that is not understood leaves every weight at `weight_dtype_bytes`, and the problem says why.
    """
    quantization = storage_fields(config)
    if quantization is None:
        return Storage()
    method = method_of(quantization)
    where = f", by {quantization['file']}" if "file" in quantization else ""
    text = f"weights are stored quantized ({method or 'an unnamed method'}{where})"
    try:
        schemes = schemes_of(known_formats(host), method, quantization)
        matrices = matrices_of(ledger, numbers, config)
        shares = scheme_shares(schemes, matrices, numbers, str(config.get("model_type")))
        tally = _tally(matrices, shares)
    except (TypeError, ValueError, FormulaError) as reason:
        return Storage(problems=(f"{text}, but weights_bytes takes weight_dtype_bytes per weight: {reason}",))
    inexact = tuple(f"{text}: {scheme.format.inexact}" for scheme in schemes.all if scheme.format.inexact)
    plain = left_plain(ledger, numbers)
    unknown = f"{text}, and what is stored of {', '.join(plain)} is not known: weight_dtype_bytes per weight are taken"
    problems = (*inexact, *((unknown,) if plain else ()))
    notes = (
        f"{text}: {tally.sentence()}{_left_out(schemes)}",
        *_of_caches(quantization),
        *_of_experts(schemes, tally, str(config.get("model_type"))),
    )
    return Storage(tally.values(), notes, problems)


def with_storage(host: Host, model: Model, config: Mapping[str, Any]) -> Model:
    """Return a model with how the checkpoint of a config stores its matrices; as it is where it lacks a size."""
    ledger = host.ledger(model.architecture)
    values, missing = ledger.fill(model.given, model.fields, model.defaults)
    if missing:
        return model
    storage = read_quantization(host, ledger, ledger.evaluate(values), config)
    notes, problems = (*model.notes, *storage.notes), (*model.problems, *storage.problems)
    return replace(model, given={**model.given, **storage.values}, notes=notes, problems=problems)


def storage_fields(config: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return what a config says of its stored weights, with the fields next to it; None where it says nothing.

    A word in place of fields is taken for the method.
    """
    name = next((name for name in STORAGE if config.get(name)), None)
    if name is None:
        return None
    fields, beside = config[name], {name: config[name] for name in BESIDE if name in config}
    if isinstance(fields, dict):
        return beside | fields
    return {METHOD: BITS, BITS: fields} if name == BITS else {METHOD: fields}


def method_of(quantization: Mapping[str, Any]) -> str:
    """Return the method that stored weights name, or that a field which only one method has tells."""
    quant_method = quantization.get(METHOD)
    if quant_method is not None:
        return str(quant_method)
    return next((method for name, method in _table()["unnamed"].items() if name in quantization), "")


@cache
def formats() -> tuple[WeightFormat, ...]:
    """Return every format that is understood."""
    lists = ("plain", "kept", "also", "bare", "groups", "types", "linear", "unread")
    methods = _table()["methods"]
    pairs = [(methods.get(row["method"], {}), row) for row in _table()["formats"]]
    rows = [{**shared, **row, "when": {**shared.get("when", {}), **row.get("when", {})}} for shared, row in pairs]
    return tuple(WeightFormat(**row | {key: tuple(row.get(key, ())) for key in lists}) for row in rows)


def _table() -> Mapping[str, Any]:
    return read_table("flopsheet.configs", "formats.toml")


def known_formats(host: Host) -> list[WeightFormat]:
    """Return every format that is understood, and those of plugins."""
    return [*formats(), *formats_of_plugins(host)]


@cache
def formats_of_plugins(host: Host) -> tuple[WeightFormat, ...]:
    """Return the formats of plugins; one whose formulas cannot be is refused, with the reason."""
    results = []
    for plugin, items in host.ask_all("flopsheet_weight_formats", WeightFormat):
        for form in items:
            if reason := next(filter(None, (_wrong(form, part) for part in SIZES)), ""):
                host.fail(plugin, f"weight format {form.method}: {reason}", form.method)
            else:
                results.append(form)
    return tuple(results)


def _wrong(form: WeightFormat, part: str) -> str:
    """Say why a formula of a format cannot be read, or is below nothing where no config says a field of it."""
    if not (text := getattr(form, part)):
        return ""
    try:
        size = formula.read(text)
        number = 0 if size.names else size.evaluate({})
    except FormulaError as error:
        return f"{part}:\n{error}"
    return f"{part} = {text!r} gives {float(number):g}; a number of at least 0 is expected" if number < 0 else ""


class _Tally(Struct, frozen=True):
    """Quantized weights, their bytes, and all weights of matrices, each by group."""

    weights: dict[str, Fraction]
    bytes: dict[str, Fraction]
    all: dict[str, Fraction]

    def values(self) -> dict[str, float]:
        """Return the dimension values: shares of groups, and bytes per weight of experts and of all others."""
        experts, others = self._width(EXPERTS), self._width(*(group for group in GROUPS if group != EXPERTS))
        shares = {f"{SHARE}{group}": float(self.weights[group] / self.all[group]) for group in self.all}
        apart = {"quantized_expert_bytes": experts} if experts and others and experts != others else {}
        return {"quantized_bytes": others or experts, **apart, **shares}

    def _width(self, *groups: str) -> float:
        weights = sum(self.weights[group] for group in groups)
        return float(sum(self.bytes[group] for group in groups) / weights) if weights else 0.0

    def sentence(self) -> str:
        """Return what a note says: bits per weight, and what stays plain."""
        values = self.values()
        experts = values.get("quantized_expert_bytes")
        apart = f", {experts * BYTE:.6g} of routed experts" if experts else ""
        whole = [write_group(group) for group in GROUPS if group in self.all and not self.weights[group]]
        whole = [name for name in whole if name not in ("embedding", "router")]
        part = [
            f"{100 * float(1 - self.weights[group] / self.all[group]):.3g}% of {write_group(group)}"
            for group in GROUPS
            if 0 < self.weights[group] < self.all[group]
        ]
        but = f", except for {', '.join([*whole, *part])}" if whole or part else ""
        return f"{values['quantized_bytes'] * BYTE:.6g} bits per weight of linear layers{apart}{but}"


def _tally(matrices: Sequence[Matrices], shares: Mapping[str, Sequence[tuple[Scheme, Fraction]]]) -> _Tally:
    """Return the quantized weights and their bytes by group; ValueError where there are none."""
    tally = _Tally(defaultdict(Fraction), defaultdict(Fraction), defaultdict(Fraction))
    for item in matrices:
        tally.all[item.group] += Fraction(item.weights)
        for scheme, share in (pair for pair in shares[item.name] if pair[0].takes(item)):
            tally.weights[item.group] += share * Fraction(item.weights)
            tally.bytes[item.group] += share * Fraction(item.number) * Fraction(scheme.bytes_of(item))
    if not any(tally.weights.values()):
        raise ValueError("it is for none of the model's matrices")
    return tally


def _left_out(schemes: Schemes) -> str:
    reasons = dict.fromkeys(scheme.format.left_out for scheme in schemes.all if scheme.format.left_out)
    return f"; left out: {'; '.join(reasons)}" if reasons else ""


def _of_experts(schemes: Schemes, tally: _Tally, model_type: str) -> list[str]:
    """Return a note where newer transformers would leave the experts plain that are counted as quantized."""
    text = (
        f"routed experts are counted as quantized, as transformers stores them before version {schemes.fused};"
        " from it on they are arrays that this method leaves plain: quantized_experts = 0 counts these"
    )
    is_open = not schemes.written_by and fuses_experts(schemes, model_type)
    return [text] if is_open and tally.weights[EXPERTS] else []


def _of_caches(quantization: Mapping[str, Any]) -> list[str]:
    """Return a note where a checkpoint asks for quantized caches."""
    name = next((name for name in CACHES if quantization.get(name)), None)
    text = f"{name} asks for quantized keys and values; caches are counted at kv_dtype_bytes, which is 1 for FP8"
    return [text] if name else []

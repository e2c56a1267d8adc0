"""Hold a ledger's parameters and FLOP against a model that was built, or against a checkpoint."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from flopsheet.configs.tensor_names import PACKED
from flopsheet.planning.costing import cost
from flopsheet.verify import meta
from flopsheet.verify.safetensors_headers import CheckpointTensors, read_weights, sorted_out
from flopsheet.verify.tensors import Row, Tensor, by_group, rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from flopsheet.host.host import Host
    from flopsheet.planning.costed_model import Costed

SHORT = 64
"""Tokens of the sequence whose FLOP are measured, where the model takes so many."""

MTP = ("num_nextn_predict_layers", "num_mtp_layers")


class Pair(Struct, frozen=True):
    """One quantity, as the ledger counts it and as it was found."""

    counted: int | float
    found: int | float

    @property
    def gap(self) -> int | float:
        """How much more was counted than found."""
        return self.counted - self.found


class Comparison(Struct, frozen=True):
    """A model compared with what it is made of.

    `groups` go by the names of tensors, which is a convention: they show where to look, and decide nothing. `aside`
    are stored tensors that are no parameters, by their reason. `remarks` say what a reader should know.
    """

    model: Costed
    against: str
    parameters: Pair
    groups: Mapping[str, Pair] = field(default_factory=dict)
    rows: Sequence[Row] = ()
    aside: Mapping[str, Sequence[Row]] = field(default_factory=dict)
    flops: Pair | None = None
    flops_of: str = ""
    remarks: Sequence[str] = ()

    @property
    def equal(self) -> bool:
        """Return whether everything that was compared is equal."""
        return all(pair.gap == 0 for pair in (self.parameters, self.flops) if pair)


def against_transformers(host: Host, model: Costed, config: Mapping[str, Any], name: str, *, flops: bool) -> Comparison:
    """Build the class on the meta device and compare; ConfigError says why it cannot be built or run."""
    net = meta.build(config, name)
    tensors = meta.tensors(net)
    against = f"{type(net).__name__} of transformers {meta.version()}"
    if not flops:
        return _compare_tensors(model, against, tensors)
    kind, what = flop_kind(model)
    if not kind:
        return _compare_tensors(model, against, tensors, remarks=(what,))
    length = min(SHORT, int(model.numbers.get("max_positions", 0)) or SHORT)
    short = cost(host, model.model, {"seq_len": length, "target_len": length})
    pair = Pair(short.totals[f"flops_forward_{kind}"], getattr(meta.forward_flops(net, length, length), kind))
    return _compare_tensors(model, against, tensors, flops=pair, flops_of=f"{what}, 1 × {length} tokens")


def against_weights(model: Costed, config: Mapping[str, Any], path: Path) -> Comparison:
    """Read a checkpoint's headers and compare; ConfigError says why they cannot be read."""
    weights = read_weights(path, str(config.get("dtype") or config.get("torch_dtype") or ""))
    if weights.parameters is not None:
        remark = "the index comes without its files: only totals are compared"
        return Comparison(model, str(path), Pair(_parameters(model), weights.parameters), remarks=(remark,))
    layers = config.get("num_hidden_layers") if any(config.get(key) for key in MTP) else 0
    result = sorted_out(
        weights.tensors,
        n_layers=layers if isinstance(layers, int) else 0,
        tied_head=bool(model.numbers.get("tied_head")),
    )
    return _compare_tensors(model, str(path), result.tensors, aside=_reasons(result), remarks=_remarks(result))


def flop_kind(model: Costed) -> tuple[str, str]:
    """Return which total torch's counter can be compared with, and what that is: nothing where there is none.

    What a counter sees of a scan depends on its implementation, so only linear layers are compared where there is one.
    """
    entries = model.ledger.entries if model.ledger else ()
    scans = any(entry.line.work == "scan" and model.numbers[entry.line.name] for entry in entries)
    if scans and model.groups["flops"].get("experts"):
        return "", "FLOP are not compared: alongside a scan, the counter cannot tell experts from other products"
    return ("linear", "linear layers") if scans else ("matmul", "matrix products over the full square")


def _parameters(model: Costed) -> int:
    return int(model.totals["parameters"])


def _compare_tensors(model: Costed, against: str, tensors: Sequence[Tensor], **more: Any) -> Comparison:
    own = {str(group): value for group, value in model.groups["parameters"].items()}
    result = by_group(tensors)
    groups = {name: Pair(int(own.get(name, 0)), result.get(name, 0)) for name in {**own, **result}}
    total = Pair(_parameters(model), sum(tensor.count for tensor in tensors))
    return Comparison(model, against, total, groups, rows(tensors), **more)


def _reasons(result: CheckpointTensors) -> dict[str, list[Row]]:
    reasons: dict[str, list[Tensor]] = {}
    for tensor, reason in result.aside:
        reasons.setdefault(reason, []).append(tensor)
    return {reason: rows(group) for reason, group in reasons.items()}


def _remarks(result: CheckpointTensors) -> tuple[str, ...]:
    names = [tensor.name for tensor in result.tensors if PACKED.search(tensor.name)]
    return (f"{len(names)} tensors are packed, such as {names[0]}: their shapes are not the weights'",) if names else ()

"""What plans of training and serving ask of a model: who holds which weights, and what a forward pass keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from flopsheet.accounting.building import check_names
from flopsheet.accounting.formula.compose import minus, names, over, plus, substitute, times
from flopsheet.accounting.line import TOWERS, Line
from flopsheet.accounting.masks import Convention, lines_under
from flopsheet.accounting.tokens import check_tokens, own_tokens
from flopsheet.accounting.totals import Entry, helpers, subtotal_or_zero, total
from flopsheet.accounting.workload import HELPERS, TOKENS
from flopsheet.errors import PluginError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from flopsheet.accounting.ledger import Ledger

WINDOW = Convention("window", "windows", "pairs inside windows")


class _Sum(Struct, frozen=True):
    """A total of activation lines: its name, its title, and which lines it adds up."""

    name: str
    title: str
    holds: Callable[[Line], bool]


_ALWAYS = ("always", "routed")
_NORMED = ("attention", "mlp", "experts", "shared_experts")
"""Groups whose modules read the output of a norm."""
SUMS = (
    _Sum("kept_replicated", "Kept, whole on tensor ranks", lambda x: x.kept in _ALWAYS and x.shard == "replicated"),
    _Sum("kept_tensor", "Kept, split over tensor ranks", lambda x: x.kept in _ALWAYS and x.shard == "tensor"),
    _Sum("kept_expert", "Kept by experts", lambda x: x.kept in _ALWAYS and x.shard == "expert"),
    _Sum("kept_routed", "Sent to experts", lambda x: x.kept == "routed"),
    _Sum(
        "kept_scans",
        "Kept by scans",
        lambda x: x.kept in _ALWAYS and x.shard == "tensor" and x.group == "ssm",
    ),
    _Sum(
        "kept_inputs",
        "Kept outputs of norms",
        lambda x: x.kept == "always" and x.shard == "replicated" and x.group in _NORMED,
    ),
    _Sum(
        "kept_hidden",
        "Kept around activation functions",
        lambda x: x.kept == "always" and x.shard != "replicated" and x.group in _NORMED[1:],
    ),
    _Sum(
        "kept_heads",
        "Kept queries, keys, values and outputs",
        lambda x: x.kept == "always" and x.shard == "tensor" and x.group == _NORMED[0],
    ),
    _Sum("kept_core", "Attention weights", lambda x: x.kept == "core"),
    _Sum("kept_masks", "Dropout masks", lambda x: x.kept == "mask"),
    _Sum("layer_inputs", "Inputs of the layers", lambda x: x.kept == "input"),
    _Sum("further_streams", "Inputs of the layers, further streams", lambda x: x.kept == "stream"),
    _Sum(
        "stack_inputs",
        "Inputs of the layers, without towers",
        lambda x: x.kept == "input" and x.group not in TOWERS,
    ),
    _Sum("logits", "Logits", lambda x: x.kept == "logits"),
)


LAYERS = ("attention", "cross_attention", "mlp", "experts", "shared_experts", "ssm")
"""Groups whose layers keep what their products read."""
MIXED = ("conv", "other")
"""Groups that also have what is no product of a layer: kernels, gates."""


def _silent(flops: Iterable[Line], activations: Iterable[Line]) -> list[str]:
    """Return the groups of layers that compute products and keep nothing; a mixed one, if it has a matrix."""
    keeping = {line.group for line in activations}
    computing = {line.group for line in flops if line.additive and (line.group in LAYERS or line.work == "linear")}
    return [group for group in (*LAYERS, *MIXED) if group in computing - keeping]


def with_training(ledger: Ledger, activations: Sequence[Line]) -> Ledger:
    """Return a ledger with activation lines and the totals that a layout of a training run needs.

    PluginError where nothing says what the layers or a group of them keep, or a line is not in elements.
    """
    if not activations:
        raise PluginError(f"no plugin says what the layers of {ledger.architecture.name} keep for the backward pass")
    for line in activations:
        if line.unit != "elements" or not line.kept:
            raise PluginError(f"flopsheet_activations: line {line.name} needs unit 'elements' and kept", line.name)
    parameters, flops = (_lines(ledger, section) for section in ("parameters", "flops"))
    if silent := _silent(flops, activations):
        raise PluginError(
            f"no plugin says what the layers of {ledger.architecture.name} keep for the backward pass in the group"
            f" {', '.join(silent)}: products are computed there, and no activation line is"
        )
    more = [
        *_workload(ledger, activations),
        *helpers("memory", *(line._replace(additive=False) for line in activations)),
        *_kept_totals(activations),
        *_held_totals(parameters, flops),
        *_work(ledger, flops),
    ]
    deeper = replace(ledger, entries=(*ledger.entries, *more))
    check_names(deeper)
    return deeper


def _workload(ledger: Ledger, activations: Sequence[Line]) -> list[Entry]:
    """Return the helpers of the workload that only activation lines name."""
    lines = [entry.line for entry in ledger.entries if entry.role == "helper"]
    tokens = own_tokens(ledger.architecture, [line for line in lines if line.name != TOKENS.name])
    check_tokens(ledger.architecture, tokens, activations)
    reads = {name for line in activations for name in names(line.formula)} - ledger.places.keys()
    return helpers("workload", *(line for line in (*HELPERS, tokens) if line.name in reads))


def _lines(ledger: Ledger, section: str) -> list[Line]:
    return [entry.line for entry in ledger.entries if entry.section == section and entry.role in ("line", "helper")]


def _kept_totals(lines: Sequence[Line]) -> list[Entry]:
    return [
        total(
            group_sum.name,
            plus(*(_trained_term(line) for line in lines if group_sum.holds(line))),
            "elements",
            group_sum.title,
            "memory",
        )
        for group_sum in SUMS
    ]


def _trained_term(line: Line) -> str:
    """Return what a line adds to a total: nothing below frozen towers is needed again."""
    return times("1 - towers_frozen", line.name) if line.group in TOWERS else line.name


def _held_totals(parameters: Iterable[Line], flops: Iterable[Line]) -> list[Entry]:
    """Return the totals of parameters by who holds them."""
    lines = [line for line in parameters if line.additive]
    heads = [line for line in flops if line.additive and line.work == "linear" and line.group == "lm_head"]
    return [
        _parameters("parameters_replicated", "Parameters whole on tensor ranks", _of(lines, "replicated")),
        _parameters("parameters_expert", "Parameters of routed experts", _of(lines, "expert")),
        _parameters("parameters_tables", "Parameters of the first stage's tables", _of(lines, "tensor", "embedding")),
        _parameters("parameters_head_stored", "Parameters of a head of its own", _of(lines, "tensor", "lm_head")),
        _parameters("parameters_head", "Parameters that the last stage's head reads", plus(*map(_matrix, heads))),
    ]


def _of(lines: Iterable[Line], shard: str, group: str = "") -> str:
    return plus(*(line.name for line in lines if line.shard == shard and group in ("", line.group)))


def _matrix(line: Line) -> str:
    """Return the weights that a head's product reads: what it costs of one token."""
    return over(substitute(line.formula, {name: "1" for name in names(line.formula) if name in HEAD_TOKENS}), "2")


CACHED = "kv_cache_bytes / (batch * context * kv_dtype_bytes) if kv_dtype_bytes else 0"
HEAD_TOKENS = ("tokens", "head_tokens", "transformed")
"""What lines of heads multiply their weights by."""


def _parameters(name: str, title: str, text: str) -> Entry:
    return total(name, text, "parameters", title, "parameters")


def _work(ledger: Ledger, flops: Sequence[Line]) -> list[Entry]:
    """Return what the time of a step needs: work by kind, per sequence where it says so, and sizes."""
    under = lines_under(WINDOW, flops)
    cores = [under.get(line.name, line) for line in flops if line.additive and line.work == "attention_core"]
    architecture = ledger.architecture
    other = minus("flops_forward", "flops_forward_linear", "flops_attention_core")
    return [
        *helpers("flops", *under.values()),
        _flops("flops_core_window", "Forward FLOP of attention cores inside windows", plus(*(x.name for x in cores))),
        _flops("flops_scans", "Forward FLOP of scans and convolutions", other),
        _flops("flops_experts", "Forward FLOP of routed experts", subtotal_or_zero("flops", flops, "experts")),
        _flops("flops_head", "Forward FLOP of the head", subtotal_or_zero("flops", flops, "lm_head")),
        total("pipeline_layers", architecture.depth, "layers", "Layers that a pipeline is cut among", "parameters"),
        total("sequence_tokens", over(architecture.tokens, "batch"), "tokens", "Tokens of a sequence", "flops"),
        total(
            "cached_values",
            CACHED if {"context", "kv_dtype_bytes"} <= {dimension.name for dimension in ledger.dimensions} else "0",
            "elements",
            "Keys and values of a token",
            "memory",
        ),
    ]


def _flops(name: str, title: str, text: str) -> Entry:
    return total(name, text, "FLOP", title, "flops")

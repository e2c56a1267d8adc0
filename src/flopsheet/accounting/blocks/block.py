"""What a block is: the lines of one reusable part of a model, and how to make another instance of it."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any

from flopsheet.accounting.formula.compose import plus, substitute, times
from flopsheet.accounting.line import FORMULAS, Dimension, Line, lower_title, write_group
from flopsheet.errors import FormulaError, PluginError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.accounting.line import Group, Kept, Shard


KORTHIKANTI = "What a product or norm needs again of its inputs: Korthikanti et al. 2205.05198, section 4.1"
KERNEL = "What training kernels keep, by their structure; not measured"


@dataclass(frozen=True, eq=False)
class Block:
    """The dimensions and lines of one part; `a + b` puts two parts together, a shared dimension is once."""

    dimensions: tuple[Dimension, ...] = ()
    _: KW_ONLY
    parameters: tuple[Line, ...] = ()
    flops: tuple[Line, ...] = ()
    memory: tuple[Line, ...] = ()
    activations: tuple[Line, ...] = ()

    def __add__(self, other: Block) -> Block:
        mine = {dimension.name for dimension in self.dimensions}
        return Block(
            self.dimensions + tuple(d for d in other.dimensions if d.name not in mine),
            parameters=self.parameters + other.parameters,
            flops=self.flops + other.flops,
            memory=self.memory + other.memory,
            activations=self.activations + other.activations,
        )


def instance(block: Block, prefix: str, names: Mapping[str, str], **changes: Any) -> Block:
    """Return the lines of `block` under `prefix`, each name of `names` replaced by its formula, and fields changed.

    The lines of the block that refer to each other keep doing so. Dimensions do not come along: an architecture that
    uses a block twice declares what each instance reads.
    """
    lines = (*block.parameters, *block.flops, *block.memory, *block.activations)
    names = {line.name: prefix + line.name for line in lines} | dict(names)
    return Block(
        parameters=tuple(_rename_line(line, prefix, names, changes) for line in block.parameters),
        flops=tuple(_rename_line(line, prefix, names, changes) for line in block.flops),
        memory=tuple(_rename_line(line, prefix, names, changes) for line in block.memory),
        activations=tuple(_rename_line(line, prefix, names, {}) for line in block.activations),
    )


def _rename_line(line: Line, prefix: str, names: Mapping[str, str], changes: Mapping[str, Any]) -> Line:
    texts = {part: text for part in FORMULAS if len(text := getattr(line, part)) > 1}
    try:
        formulas: dict[str, Any] = {part: substitute(text, names) for part, text in texts.items()}
    except FormulaError as error:
        raise PluginError(f"line {line.name}, as {names[line.name]}:\n{error}", line.name) from None
    return line._replace(name=names[line.name], title=_title_of(prefix, line), **{**formulas, **changes})


def _title_of(prefix: str, line: Line) -> str:
    side = write_group(prefix.strip("_"))
    return f"{side[0].upper()}{side[1:]} {lower_title(line.label)}" if side else line.label


def activation_line(
    name: str,
    elements: str,
    group: Group,
    title: str,
    shard: Shard = "tensor",
    when: Kept = "always",
    source: str = KORTHIKANTI,
) -> Line:
    """Return an activation line: the elements that a forward pass keeps for the backward pass, and when."""
    return Line(name, elements, "elements", group, title, source=source, shard=shard, kept=when)


def stream_line(name: str, layers: str, group: Group, title: str, when: Kept = "always") -> Line:
    """Return what so many layers keep of the residual stream, which every tensor rank has whole."""
    return activation_line(name, times("tokens", layers, "d_model"), group, title, "replicated", when)


def conv_flops(name: str, formula: str, title: str) -> Line:
    """Return the line of a convolution's FLOP."""
    return Line(name, formula, "FLOP", "conv", title, source="torch.utils.flop_counter.conv_flop", work="other")


def conv_state(name: str, formula: str, title: str, source: str) -> Line:
    """Return the line of the bytes that a convolution keeps while a model writes."""
    return state_line(name, formula, title, "The last `d_conv` columns, as transformers keeps them", source)


def state_line(name: str, formula: str, title: str, about: str, source: str) -> Line:
    """Return the line of the bytes of a state that does not grow with the context."""
    return Line(name, formula, "bytes", "state", title, about, source)


def scan_flops(name: str, formula: str, title: str, source: str, **more: Any) -> Line:
    """Return the line of the FLOP of a recurrence over the tokens."""
    return Line(name, formula, "FLOP", "ssm", title, source=source, work="scan", **more)


def norm_line(name: str, formula: str, title: str, source: str, about: str = "") -> Line:
    """Return the line of norm weights that every tensor rank has whole."""
    return Line(name, formula, "parameters", "norm", title, about, source, shard="replicated")


def matrix(name: str, columns: str, rows: str, **about: Any) -> Block:
    """Return a linear layer whose copies have `columns`, which they read, times `rows`, which they give, as weights."""
    return linear(name, times(columns, rows), rows=rows, **{"sides": plus(columns, rows), **about})


def linear(  # noqa: PLR0913 - each says one thing of a layer
    name: str,
    weights: str,
    *,
    group: Group,
    copies: str = "n_layers",
    uses: str = "",
    tokens: str = "tokens",
    bias: str = "",
    decode: str = "",
    sides: str = "",
    rows: str = "",
    row: bool = False,
    **about: Any,
) -> Block:
    """Return a linear layer: `weights` × `copies` parameters, and 2 × tokens × weights × `uses` FLOP.

    `uses` is how often a token passes the layer where that differs from how often it is stored: tied heads, shared
    blocks, routed experts. `bias` is the number of biases of one copy, which cost no counted FLOP. `decode` is "0"
    where a decode step does not pass the layer. `sides` are the rows and columns of one copy, `rows` what it gives;
    adapters take them.
    `row` says that tensor parallelism splits the matrix by what it reads: its biases are then whole on every rank.
    All of these are formulas, multiplied as algebra has it. PluginError names a layer with one that cannot be read.
    """
    try:
        weight_count, bias_count = times(copies, weights), bias and times(copies, bias)
        all_sides, all_rows = sides and times(copies, sides), rows and times(copies, rows)
        flop_count = times("2", tokens, uses or copies, weights)
    except FormulaError as error:
        raise PluginError(f"linear layer {name}:\n{error}", name) from None
    parameters = [Line(name, weight_count, "parameters", group, **about, sides=all_sides, rows=all_rows)]
    if bias:
        extra = about | {"title": f"{parameters[0].label} bias"} | ({"shard": "replicated"} if row else {})
        parameters.append(Line(f"{name}_bias", bias_count, "parameters", group, **extra))
    flops = Line(
        f"{name}_flops",
        flop_count,
        "FLOP",
        group,
        title=parameters[0].label,
        about="A multiply and an add for each weight and token",
        source="2 FLOP per weight and token: torch.utils.flop_counter.mm_flop",
        work="linear",
        decode=decode,
    )
    return Block(parameters=tuple(parameters), flops=(flops,))

"""The nouns of flopsheet: dimensions, lines, rules, architectures and families, as frozen data."""

import copyreg
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from flopsheet.accounting.records import by_place

if TYPE_CHECKING:
    from fractions import Fraction

Number: TypeAlias = "int | float | Fraction"
"""What a formula gives: a whole number, an exact fraction, or a float once a decimal takes part."""

Kind = Literal["count", "flag", "ratio", "share", "choice"]
Better = Literal["", "low", "high"]
Work = Literal["", "linear", "attention_core", "scan", "other"]
Shard = Literal["tensor", "expert", "replicated"]
Group = Literal[
    "embedding",
    "positional",
    "attention",
    "cross_attention",
    "mlp",
    "experts",
    "shared_experts",
    "router",
    "ssm",
    "conv",
    "norm",
    "lm_head",
    "adapters",
    "vision",
    "audio",
    "projector",
    "other",
    "weights",
    "kv_cache",
    "state",
    "gradients",
    "optimizer",
    "activations",
]
"""What a line is part of: `GROUPS` says what each means."""
Kept = Literal["", "always", "routed", "core", "mask", "input", "stream", "logits"]

NOTHING: Mapping[str, Any] = MappingProxyType({})


def read_only(table: Mapping[str, Any]) -> MappingProxyType[str, Any]:
    """Return a table that nobody can change, as a module may hold it: what a pickled one is made of."""
    return MappingProxyType(dict(table))


def _reduce_record(
    table: MappingProxyType[str, Any],
) -> tuple[Callable[..., MappingProxyType[str, Any]], tuple[Any, ...]]:
    return read_only, (dict(table),)


copyreg.pickle(MappingProxyType, _reduce_record)  # models go to other processes


@by_place(3)
class Dimension(NamedTuple):
    """A named input of formulas: one number of a model, of its workload or of a plan.

    `keys` are the config fields that it comes from, the first present one wins. `default` is a number, or a formula
    of earlier dimensions; without one the dimension is required. A `count` is a whole number of at least `minimum`, a
    `flag` is 0 or 1, a `ratio` any number from `minimum` to `maximum`, a `share` a ratio of at most 1, a `choice` one
    of `labels`: formulas see the flags `<name>_is_<label>`. A value must be greater than `above`, where that is given.

    An input of a plan may have a range: `low` and `high` around the default, in rising order; `better` says which end
    makes a plan cheaper. `section` is the heading under which people find it, `date` that of its source.
    """

    name: str
    title: str
    unit: str = ""
    kind: Kind = "count"
    keys: tuple[str, ...] = ()
    default: float | str | None = None
    labels: tuple[str, ...] = ()
    minimum: int = 1
    maximum: float | None = None
    about: str = ""
    source: str = ""
    above: float | None = None
    low: float | None = None
    high: float | None = None
    better: Better = ""
    section: str = ""
    date: str = ""


Input = Dimension
"""A dimension whose value a plan gives, often as a range, rather than a model's config."""


@by_place(7)
class Line(NamedTuple):
    """A named number, written once as a formula text.

    `unit` is parameters, FLOP, bytes, USD, …. `source` names the paper section, config key or measurement behind it.
    Parameter lines: `active` is the share that one token uses (a formula, such as `top_k / n_experts`), `shard` how
    tensor parallelism treats the weights, `sides` the rows and columns of all its matrices, `rows` the rows alone: what
    they give, which adapters that scale outputs take. FLOP lines: `work` says
    what kind of product it is; `full` is how the full square is better written than by `formula` with all pairs, to
    which it must come. `decode` is the formula of one decode step: of a helper line what it is there, of a FLOP line
    its cost where other work is done than `formula` says with its helper lines put so; "0" is paid once, before the
    first step; of a line of keys and values the bytes that a step reads, where it leaves some out. A line that is not
    `additive` is a helper, which no total counts; one that is `signed` may be negative, since it corrects others.

    Activation lines count the elements that a forward pass keeps for the backward pass. `shard` says who keeps them:
    `replicated` ones are split by sequence parallelism alone. `kept` says when: `always`; `routed` too, and they travel
    to the experts; `core` unless attention is recomputed; `mask` where there is dropout, one byte each; `input` where
    everything is recomputed, a layer's input each; `logits` at the head.
    """

    name: str
    formula: str
    unit: str
    group: Group = "other"
    title: str = ""
    about: str = ""
    source: str = ""
    active: str = "1"
    shard: Shard = "tensor"
    work: Work = ""
    full: str = ""
    decode: str = ""
    sides: str = ""
    rows: str = ""
    additive: bool = True
    kept: Kept = ""
    signed: bool = False

    @property
    def label(self) -> str:
        """The title for people, made from the name where the author gave none."""
        return self.title or self.name.replace("_", " ").capitalize()


def variant_of(line: Line, suffix: str, formula: str, title: str) -> Line:
    """Return the helper line of what another line is otherwise, such as under a mask or in a decode step."""
    title = f"{line.label}, {title}"
    return Line(f"{line.name}_{suffix}", formula, line.unit, line.group, title, source=line.source, additive=False)


FORMULAS = ("formula", "active", "full", "decode", "sides", "rows")
"""The fields of a line that are formulas."""


@by_place(6)
class Rule(NamedTuple):
    """A published rule of thumb next to the exact number that it means to give.

    `formula` is the rule as published, in flopsheet's names; `erratum` says where it errs and `corrected` is the form
    that remains after mending it (empty where nothing errs). `compares` is the exact number: a total, a subtotal, a
    line, or a formula of them such as `parameters - parameters_embedding`. `applies` is a formula: 1 where the rule
    means the model at hand. All four may name the architecture's dimensions and lines; `about` tells the scope.
    """

    name: str
    title: str
    formula: str
    compares: str
    unit: str
    source: str
    erratum: str = ""
    corrected: str = ""
    applies: str = "1"
    about: str = ""


@dataclass(eq=False)
class Reading:
    """What an architecture's `read` made of a config: dimension values, and which fields it understood.

    `misfits` say, like the hint `fits`, why a tower sees or hears nothing though its class is built.
    """

    values: dict[str, Any] = field(default_factory=dict)
    keys: set[str] = field(default_factory=set)
    _: KW_ONLY
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    misfits: list[str] = field(default_factory=list)


@by_place(2)
class Family(NamedTuple):
    """One `model_type` as data: how its configs say what an architecture needs.

    `classes` are the model classes that are counted, each with dimension values that it fixes; the first is taken
    where a config names none. `values` are dimension values that the type fixes: numbers, or formulas of dimensions
    and config fields. `rename` maps its fields to the architecture's keys. `defaults` are the class defaults of
    fields, taken where the config leaves them out. `irrelevant` fields change no count. `hints` are words for the
    architecture's `read`. `checks` are formulas of fields and dimensions that must not be 0, each with the sentence of
    the error. `like` is another type, whose class table serves this one too; in `families.toml` the type
    also takes what that type's table says. `table` is all of this as TOML text until a config first asks for the type,
    and `package` the one whose `families.toml` says it.
    """

    model_type: str
    architecture: str
    classes: Mapping[str, Mapping[str, float | str]] = NOTHING
    values: Mapping[str, float | str] = NOTHING
    rename: Mapping[str, str] = NOTHING
    defaults: Mapping[str, Any] = NOTHING
    irrelevant: tuple[str, ...] = ()
    hints: Mapping[str, Any] = NOTHING
    checks: Mapping[str, str] = NOTHING
    source: str = ""
    like: str = ""
    table: str = ""
    package: str = ""


@dataclass(frozen=True, eq=False)
class Architecture:
    """What a plugin describes: a kind of model, its dimensions, and how config files say them.

    `tokens` is the formula of the tokens that one forward pass reads, `decodes` that of whether models write token by
    token: "1", "0", or a flag of theirs, `depth` that of the layers that a pipeline is cut between. `adapters` are the
    groups whose lines all say their `sides`, so that they can have low-rank adapters. `read` gets the config with its
    fields renamed and class defaults filled in, and its family, and answers what declared keys cannot say. `checks` are
    formulas that must not be 0 for a model that can exist, each with the sentence that is shown when it is; `notes` are
    formulas with the sentence that is shown when they are not. Both read dimensions, the fields that these come from,
    and `fields`: further fields of configs, or what `read` finds in them.

    An architecture that `joins` has no models of its own: its lines are next to those of another, as the towers of a
    multimodal model are next to its language model. `dense` and one named `mm` make `dense_mm`. Its `read` gets each
    config of a type that its plugin reads.
    """

    name: str
    title: str
    about: str
    dimensions: tuple[Dimension, ...] = ()
    _: KW_ONLY
    tokens: str = "batch * seq_len"
    decodes: str = "1"
    continues: str = "0"
    depth: str = "n_layers"
    adapters: tuple[Group, ...] = ()
    read: Callable[[Mapping[str, Any], Family], Reading] | None = None
    checks: Mapping[str, str] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    fields: tuple[str, ...] = ()
    joins: bool = False
    on_paper: Mapping[str, float | str] = field(default_factory=dict)


GROUPS: Mapping[Group, str] = MappingProxyType(
    {
        "embedding": "Token tables",
        "positional": "Position tables and relative position biases",
        "attention": "Self-attention: projections, biases and core",
        "cross_attention": "A decoder's attention over the encoder's output",
        "mlp": "Feed-forward layers that every token passes",
        "experts": "Routed experts",
        "shared_experts": "Experts that every token passes",
        "router": "What chooses the experts",
        "ssm": "State-space mixers: projections, scan and vectors",
        "conv": "Short convolutions",
        "norm": "Normalization weights",
        "lm_head": "The output head, where it has weights of its own",
        "adapters": "Low-rank adapters next to linear layers",
        "vision": "Towers that read images and videos",
        "audio": "Towers that read sound",
        "projector": "What brings a tower's output to the language model: projectors, mergers, resamplers",
        "other": "What no other group names",
        "weights": "Stored parameters",
        "kv_cache": "Keys and values kept for decoding",
        "state": "Recurrent and convolution states kept for decoding",
        "gradients": "Gradients of one training step",
        "optimizer": "Optimizer moments and master weights",
        "activations": "What the backward pass needs of the forward pass",
    }
)
"""Every group with what it means, in the order of the tables."""
OF_MEMORY: tuple[Group, ...] = ("kv_cache", "state")
"""The groups of what plugins add to memory: plans of serving count caches by one and states by the other."""
OF_TOTALS: tuple[Group, ...] = ("weights", "gradients", "optimizer", "activations")
"""The groups of memory that flopsheet's own totals have."""
OF_MODELS: tuple[Group, ...] = tuple(group for group in GROUPS if group not in (*OF_MEMORY, *OF_TOTALS))
"""The groups of all other lines of plugins."""
TOWERS: tuple[Group, ...] = ("vision", "audio")
"""The groups of towers, which training often leaves as they are."""

ACRONYMS = MappingProxyType({"mlp": "MLP", "lm": "LM", "kv": "KV", "ssm": "SSM", "mamba2": "Mamba-2"})
NAMED = ("Mamba",)
"""Names with which titles begin."""


def write_group(group: str) -> str:
    """Return a group as people write it: `lm_head` is the LM head."""
    return " ".join(ACRONYMS.get(word, word) for word in group.split("_"))


def lower_title(title: str) -> str:
    """Return a title as it is inside a sentence: a word begins small, an acronym, sign or name stays."""
    return title[0].lower() + title[1:] if title[1:2].islower() and not title.startswith(NAMED) else title

"""Modules of a checkpoint, and the patterns by which configs say of some of them how they are stored."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from msgspec import Struct, field

from flopsheet.accounting.data import read_table
from flopsheet.configs.classes import class_table
from flopsheet.configs.groups import group_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

LAYER = re.compile(r"\b(layers|blocks?|h)\.(\d+)(?=(\*)|\b)")
EXPERT = re.compile(r"\bexperts\.(\d+)\b")
OTHER_PARTS = re.compile(r"vis(ual|ion)|image|audio|speech|projector|mm_|^mtp\b|\bmtp\.|talker|code2wav|patch_merge")
"""Modules of towers and of multi-token prediction, which are not counted."""
NESTED = re.compile(r"\)[*+{]")
"""What can make a regular expression take for ever."""
STACKS = {
    "language_model": ("language_model.model.layers", "model.language_model.layers", "language_model.layers"),
    "backbone": ("backbone.layers",),
    "gpt_neox": ("gpt_neox.layers",),
    "transformer": ("transformer.h", "transformer.encoder.layers", "transformer.layers"),
    "decoder": ("model.decoder.layers", "decoder.block"),
    "gated_cross": ("model.gated_cross_attn_layers", "gated_cross_attn_layers"),
    "encoder": ("model.encoder.layers", "encoder.block"),
}
"""Names of the stack of layers, by a word of patterns that name it; without one it is among those of STACK."""
STACK = ("model.layers", "layers")
OTHER_STACK = {"encoder_": "decoder", "decoder_": "encoder", "cross_": "encoder"}
"""What names of lines begin with where an architecture has two stacks, and the stack that these are not in."""
UNKNOWN = "unknown"
HERE = "#"
"""Stands for the number of a layer."""


class Place(Struct, frozen=True):
    """Where checkpoints keep the matrices of a line: places in a layer, names of each module in one, and the layers.

    `owned` are names that only some types have, and under `unknown` the types of which that is not known.
    """

    places: tuple[str, ...]
    types: Mapping[str, str]
    modules: tuple[tuple[str, ...], ...]
    gate_key: str
    kinds: tuple[frozenset[str], ...]
    layers: tuple[str, ...]
    owned: Mapping[str, frozenset[str]]
    in_layers: bool

    def names_of(self, names: tuple[str, ...], model_type: str) -> tuple[str, ...]:
        """Return those names of a module that a type can have: its own, or those that no type owns, or all."""
        if mine := tuple(name for name in names if model_type in self.owned.get(name, ())):
            return mine
        unknown = self.owned.get(UNKNOWN, ())
        if model_type in unknown or "*" in unknown or class_table(model_type) is None:
            return names
        return tuple(name for name in names if name not in self.owned)


class Names(Struct, frozen=True):
    """The names of a module: those that it may have, which of them are owned by some types, and those that it has not.

    A pattern that is for some of the first and not for the owned ones among them is of unknown meaning.
    """

    own: list[str]
    owned: list[str]
    others: list[str]


@cache
def places() -> Mapping[str, Place]:
    """Return the place of each line that modules.toml knows."""
    table = read_table("flopsheet.configs", "modules.toml")
    kinds = {name: frozenset(words.split()) for name, words in table["kinds"].items()}
    result: dict[str, Place] = {}
    for row in table["modules"]:
        where = tuple(table["places"][row["place"]].split()) or ("",)
        names = tuple(tuple(words.split()) for words in row["modules"])
        layers = tuple(row.get("layers", "").split())
        kind = kinds.get(row.get("kind", ""), frozenset())
        rest = kind - kinds["local"]
        types = {name: own for own, some in table["types"].get(row["place"], {}).items() for name in some.split()}
        owned = {name: frozenset(some.split()) for name, some in table["owned"].get(row["place"], {}).items()}
        place = Place(where, types, names, row.get("gated", ""), (kind, rest), layers, owned, in_layers=where != ("-",))
        result |= dict.fromkeys(row["lines"].split(), place)
    return result


@cache
def array_lines() -> frozenset[str]:
    """Return the lines whose weights classes hold as arrays of their own, which no format quantizes."""
    return _lines_of("arrays")


@cache
def idle_lines() -> frozenset[str]:
    """Return the lines of linear layers that no token passes, which formats may quantize."""
    return _lines_of("idle")


def _lines_of(table: str) -> frozenset[str]:
    return frozenset(read_table("flopsheet.configs", "modules.toml")[table]["lines"].split())


class Pattern(Struct):
    """An entry of a list: its text with `#` for the number of a layer, and the layers that it names, none for all.

    One that `is_whole` names a module by its whole name, and so nothing inside it.
    """

    text: str
    layers: set[int] = field(default_factory=set)
    starts: set[str] = field(default_factory=set)
    experts: dict[int, set[int]] = field(default_factory=dict)
    is_whole: bool = False
    is_used: bool = False

    def layers_of(self, names: Names, own: Collection[int]) -> set[int]:
        """Return the layers among `own` in which the pattern names the module of these names."""
        if self.text.startswith("re:") and re.search(r"\d|\[", self.text):
            layers = {i for i in own if self._is_for(names, str(i))}
            self.is_used |= bool(layers)
            return layers
        if not self._is_for(names, "0" if self.text.startswith("re:") else HERE):
            self.is_used |= self.is_whole and any(name.startswith(f"{self.text}.") for name in names.own)
            self.is_used |= self._is_wild and any(self._fits(name) for name in names.others)
            return set()
        self.is_used = True
        by_start = {i for i in own if any(str(i).startswith(start) for start in self.starts)}
        return by_start | (self.layers & set(own) if self.layers or self.starts else set(own))

    @property
    def _is_wild(self) -> bool:
        return any(sign in self.text for sign in "*?[") or self.text.startswith("re:")

    @property
    def may_be_for_others(self) -> bool:
        """Whether the pattern may be for modules of no known name: heads have known ones, even where they are tied."""
        return self._is_wild or not (self.is_used or _group(self.text) == "lm_head")

    def _is_for(self, names: Names, layer: str) -> bool:
        """Return whether the pattern names a module; ValueError where it is for some of the names it may have."""
        result = any(self._fits(name, layer) for name in names.own)
        if result and self._is_wild and 0 < len(names.owned) < len(names.own):
            rest = set(names.own).difference(names.owned)
            if any(self._fits(name, layer) for name in names.owned) != any(self._fits(name, layer) for name in rest):
                raise ValueError(
                    f"{self.text} is for some of {_say(names)}, and which of them the model has is not known"
                )
        return result

    def _fits(self, name: str, layer: str = "0") -> bool:
        if self.text.startswith("re:"):
            return bool(expression(self.text).match(name.replace(HERE, layer)))
        return self.text == name if self.is_whole else _is_named(self.text, name)


def _say(names: Names) -> str:
    """Return the last parts of names that a module may have."""
    return ", ".join(dict.fromkeys(name.rpartition(".")[2] for name in names.own))


def patterns_of(entries: Iterable[str], n_experts: int, *, whole: bool = False) -> list[Pattern]:
    """Return the patterns of a list, those that differ in the number of a layer or an expert in one.

    `whole` ones name a module by its whole name, and so nothing inside it. ValueError names a pattern that is for some
    experts of a layer only.
    """
    result: dict[str, Pattern] = {}
    for entry in (text.removesuffix(".weight") for text in entries):
        if OTHER_PARTS.search(entry):
            continue
        is_regular = entry.startswith("re:")
        layer, expert = (None, None) if is_regular else (LAYER.search(entry), EXPERT.search(entry))
        text = EXPERT.sub("experts.0", LAYER.sub(rf"\1.{HERE}", entry)) if layer or expert else entry
        pattern = result.setdefault(text, Pattern(text, is_whole=whole and not is_regular))
        if layer:
            (pattern.starts.add(layer[2]) if layer[3] else pattern.layers.add(int(layer[2])))
        if expert:
            pattern.experts.setdefault(int(layer[2]) if layer else -1, set()).add(int(expert[1]))
    for pattern in result.values():
        if some := [own for own in pattern.experts.values() if len(own) != n_experts]:
            raise ValueError(f"{pattern.text} is in the list for {len(some[0])} of {n_experts} experts")
    return list(result.values())


def check_used(patterns: Iterable[Pattern], depth: int, groups: Collection[str]) -> None:
    """Refuse a pattern that names a matrix which no line is known to hold."""
    for pattern in patterns:
        beyond = pattern.layers and min(pattern.layers) >= depth
        if not pattern.is_used and not beyond and _group(pattern.text) in groups:
            raise ValueError(f"{pattern.text} is an unknown module")


def text_of(patterns: Iterable[Pattern]) -> str:
    """Return the texts of patterns, without what only regular expressions have."""
    return " ".join(pattern.text for pattern in patterns).replace("\\", "")


def module_names(place: Place, text: str, matrices: float, model_type: str, line: str) -> Iterator[Names]:
    """Yield the names that each module of a line can have in patterns of this text, which are all that are compared.

    Of the places that checkpoints keep it in, the model type's counts, and those that the text names. A layer without a
    gate has the last module alone. A line of an encoder or decoder is not in the other's stack.
    """
    modules = place.modules[-1:] if place.gate_key and matrices < len(place.modules) + 1 else place.modules
    other = next((other for side, other in OTHER_STACK.items() if line.startswith(side)), "")
    named = [roots for word, roots in STACKS.items() if word in text and word != other]
    roots = [f"{root}.{HERE}" for root in (*STACK, *(root for some in named for root in some))]
    usual = place.types.get(model_type, place.places[0])
    locations = {usual: None} | {where: None for where in place.places if _is_word(EXPERT.sub("experts", where), text)}

    def spell(names: Iterable[str]) -> list[str]:
        if not place.in_layers:
            return [*names, *(f"language_model.{name}" for name in names)]
        inside = dict.fromkeys(_inside(where, name) for where in locations for name in names)
        return [f"{root}.{name}" for root in roots for name in inside]

    for names in modules:
        own = place.names_of(names, model_type)
        owned = [name for name in own if name in place.owned]
        yield Names(spell(own), spell(owned), spell([name for name in names if name not in own]))


def _inside(place: str, name: str) -> str:
    """Return the name of a module in a layer."""
    return name[1:] if name.startswith(".") else f"{place}.{name}" if place else name


@lru_cache(1024)
def _is_word(place: str, text: str) -> bool:
    """Return whether a text names a place by its whole name."""
    return bool(place) and bool(re.search(rf"(?<!\w){re.escape(place)}(?!\w)", text))


def _is_named(pattern: str, name: str) -> bool:
    """Return whether a module is named by `*`, or by a run of its name's parts."""
    if f".{pattern}." in f".{name}.":
        return True
    return any(sign in pattern for sign in "*?[") and (fnmatchcase(name, pattern) or fnmatchcase(name, f"{pattern}.*"))


@lru_cache(1024)
def expression(pattern: str) -> re.Pattern[str]:
    """Return the regular expression of an entry; ValueError where it is none, or may take for ever."""
    if NESTED.search(pattern):
        raise ValueError(f"{pattern} is not a simple pattern")
    try:
        return re.compile(pattern.removeprefix("re:"))
    except re.error as error:
        raise ValueError(f"{pattern} is not a pattern: {error}") from None


def _group(pattern: str) -> str:
    """Return the group that an entry's words speak of."""
    words = re.sub(rf"^re:|\.\*|{HERE}|[\^$\\()*]", "", pattern).strip(".")
    return group_of(f"{words}.weight")

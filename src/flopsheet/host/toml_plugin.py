"""Plugins without code: a TOML file whose tables are what the hooks of a plugin return."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from types import ModuleType
from typing import TYPE_CHECKING, Any

import tomli
from msgspec import Struct
from msgspec.structs import asdict

from flopsheet.accounting import blocks
from flopsheet.accounting.blocks.block import Block, linear
from flopsheet.accounting.line import Architecture, Dimension, Family, Group, Line, Rule, Shard
from flopsheet.errors import PluginError
from flopsheet.host.candidate import API
from flopsheet.host.hookspecs import PROJECT, hookimpl
from flopsheet.host.typed_records import check_known, fields_of, record, value_of
from livesheets.suggestions import names_like

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

LISTS = ("accelerators", "prices", "optimizers", "weight_formats", "scaling_laws")
"""Lists of tables, each a record of the hook of that name."""
QUESTIONS, FAMILIES, ARCHITECTURES, EXTENDS = "questions", "families", "architectures", "extends"
"""Tables by name: of questions, model types, architectures, and of architectures that get more lines."""
ABOUT = "about"
"""What a file says of itself, for people."""
DEFAULTS: Mapping[str, Mapping[str, str]] = {
    "parameters": {"unit": "parameters"},
    "flops": {"unit": "FLOP"},
    "memory": {"unit": "bytes"},
    "activations": {"unit": "elements", "kept": "always"},
}
"""What a line of each list is, unless it says otherwise or is a helper."""
ENDS = tuple(DEFAULTS)


class FileTable(Struct, frozen=True):
    """A table of a file and where it is; the record that it makes is that of the hook which is asked."""

    table: Any
    where: str

    def as_record(self, kind: type) -> Any:
        """Return the record; PluginError says what is wrong with the table."""
        return record(kind, self.table, self.where)


class Layer(Struct, frozen=True):
    """A linear layer: `weights` × `copies` parameters and 2 FLOP per weight, token and use; all texts are formulas."""

    name: str
    weights: str
    group: Group
    copies: str = "n_layers"
    uses: str = ""
    tokens: str = "tokens"
    bias: str = ""
    decode: str = ""
    sides: str = ""
    rows: str = ""
    row: bool = False
    title: str = ""
    about: str = ""
    source: str = ""
    active: str = "1"
    shard: Shard = "tensor"


class Lines(Struct, frozen=True):
    """What a file says of the lines of an architecture: `blocks` are names of `flopsheet.blocks`."""

    dimensions: tuple[Dimension, ...] = ()
    parameters: tuple[Line, ...] = ()
    flops: tuple[Line, ...] = ()
    memory: tuple[Line, ...] = ()
    activations: tuple[Line, ...] = ()
    linear: tuple[Layer, ...] = ()
    blocks: tuple[str, ...] = ()
    rules: tuple[Rule, ...] = ()


OF_LINES = tuple(name for name in Lines.__struct_fields__ if name != "dimensions")


class WrittenPlugin(Struct, frozen=True, eq=False, dict=True):
    """A file's content, and the answers that it gives to hooks."""

    document: Mapping[str, Any]

    def architectures(self) -> list[Architecture]:
        """Return the architectures, each with the dimensions of its blocks too."""
        return [self._architecture(name) for name in self._tables(ARCHITECTURES)]

    def _architecture(self, name: str) -> Architecture:
        table = self._tables(ARCHITECTURES)[name]
        check_known(
            table, [*OF_LINES, *(key for key in fields_of(Architecture) if key != "name")], f"{ARCHITECTURES}.{name}"
        )
        own = {key: value for key, value in table.items() if key not in OF_LINES}
        result: Architecture = record(Architecture, {"name": name, "about": "", **own}, f"{ARCHITECTURES}.{name}")
        return replace(result, dimensions=self._blocks[name].dimensions)

    def families(self) -> list[Family]:
        """Return the model types; without another word they are read by the file's only architecture."""
        names = list(self._tables(ARCHITECTURES))
        only = {"architecture": names[0]} if len(names) == 1 else {}
        return [
            record(Family, {"model_type": name, **only, **table}, f"{FAMILIES}.{name}")
            for name, table in self._tables(FAMILIES).items()
        ]

    def questions(self) -> list[FileTable]:
        """Return the questions."""
        return [
            FileTable({"name": name, **table}, f"{QUESTIONS}.{name}") for name, table in self._tables(QUESTIONS).items()
        ]

    def lines(self, architecture: Architecture, part: str) -> tuple[Any, ...]:
        """Return the lines of one kind, the rules, or the dimensions that an architecture does not declare itself."""
        name = architecture.name
        if part == "rules":
            return self._lines[name].rules
        if part == "dimensions" and name in self._tables(ARCHITECTURES):
            return ()
        results: tuple[Any, ...] = getattr(self._blocks[name], part)
        return results

    def list_tables(self, name: str) -> list[FileTable]:
        """Return the tables of a list."""
        tables = value_of(list, self.document.get(name, []), name)
        return [FileTable(table, f"{name}[{place}]") for place, table in enumerate(tables)]

    @cached_property
    def _lines(self) -> dict[str, Lines]:
        """What is said of the lines of each architecture, own and others'."""
        result: dict[str, Lines] = {}
        for kind, keys in ((ARCHITECTURES, set(Architecture.__dataclass_fields__) - {"dimensions"}), (EXTENDS, set())):
            for name, table in self._tables(kind).items():
                own = {key: _with_defaults(key, value) for key, value in table.items() if key not in keys}
                result[name] = record(Lines, own, f"{kind}.{name}")
        return result

    @cached_property
    def _blocks(self) -> dict[str, Block]:
        return {name: _block(lines, name) for name, lines in self._lines.items()}

    def _tables(self, name: str) -> Mapping[str, Mapping[str, Any]]:
        tables: Mapping[str, Mapping[str, Any]] = value_of(dict, self.document.get(name, {}), name)
        for key, table in tables.items():
            value_of(dict, table, f"{name}.{key}")
        return tables


def _with_defaults(part: str, tables: Any) -> Any:
    """Return the lines of a list, each with what its list says of it; helper lines say their own unit."""
    if part not in DEFAULTS or not isinstance(tables, list):
        return tables
    is_line = [isinstance(table, dict) and table.get("additive") is not False for table in tables]
    return [DEFAULTS[part] | table if takes else table for table, takes in zip(tables, is_line, strict=True)]


def _block(lines: Lines, name: str) -> Block:
    """Return the own lines of an architecture, its linear layers, and the ready blocks that it names."""
    own = {part: getattr(lines, part) for part in ("dimensions", *ENDS)}
    result = Block(**own)
    for layer in lines.linear:
        result += linear(**{key: value for key, value in asdict(layer).items() if value or key == "row"})
    for block in lines.blocks:
        ready = getattr(blocks, block, None) if block in dir(blocks) else None
        if not isinstance(ready, Block):
            hint = names_like(block, READY)
            raise PluginError(f"{name}.blocks: {block!r} is not a block{hint}", f"{ARCHITECTURES}.{name}.blocks")
        result += ready
    return result


READY = tuple(name for name in dir(blocks) if isinstance(getattr(blocks, name), Block))


def document_of(file: Path) -> dict[str, Any]:
    """Return what a file says; PluginError where it is no TOML or has a table that nothing reads."""
    try:
        document = tomli.loads(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomli.TOMLDecodeError) as error:
        raise PluginError(f"{file}: {error}") from None
    keys = (API, ABOUT, *LISTS, QUESTIONS, FAMILIES, ARCHITECTURES, EXTENDS)
    for name in document:
        if name not in keys:
            hint = names_like(name, keys) or f"; expected one of {', '.join(keys)}"
            raise PluginError(f"{file}: {name}: unknown{hint}", name)
    value_of(str, document.get(ABOUT, ""), ABOUT)
    return document


def module_of(name: str, document: Mapping[str, Any]) -> ModuleType:
    """Return a file as a module with hooks: those alone of which it says something."""
    plugin = WrittenPlugin(document)
    module = ModuleType(name)
    module.__dict__["extends"] = tuple(document.get(EXTENDS, ()))
    if API in document:
        module.__dict__[API] = document[API]
    own = [part for part in (QUESTIONS, FAMILIES, ARCHITECTURES) if part in document]
    hooks = {part: _asking(plugin, part) for part in own} | {
        part: _listing(plugin, part) for part in LISTS if part in document
    }
    if ARCHITECTURES in document or EXTENDS in document:
        hooks |= {part: _telling(plugin, part) for part in (*ENDS, "dimensions", "rules")}
    for hook, answer in hooks.items():
        setattr(module, f"{PROJECT}_{hook}", hookimpl(answer))
    return module


def _asking(plugin: WrittenPlugin, part: str) -> Callable[..., Any]:
    answer = getattr(plugin, part)
    return lambda: [*answer()]


def _listing(plugin: WrittenPlugin, part: str) -> Callable[..., Any]:
    return lambda: plugin.list_tables(part)


def _telling(plugin: WrittenPlugin, part: str) -> Callable[..., Any]:
    return lambda architecture: plugin.lines(architecture, part)

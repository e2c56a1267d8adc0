"""Models to check a plugin with: its author's configs, class defaults of its types, else sizes that are drawn."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from flopsheet.configs.files import parse_json, read_bytes
from flopsheet.configs.reading import read_dimensions
from flopsheet.configs.source import load_model
from flopsheet.errors import FlopsheetError, UsageError
from flopsheet.kit.default_config import default_config, has_defaults
from flopsheet.planning.costing import cost

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from flopsheet.accounting.line import Architecture, Dimension, Family
    from flopsheet.host.candidate import Plugin
    from flopsheet.host.host import Host
    from flopsheet.planning.costed_model import Costed

DRAWS = 400
"""Sets of sizes that are tried for one that can exist."""
SIZES: Mapping[str, tuple[float, ...]] = {
    "count": (2, 4, 8, 16, 32, 64),
    "flag": (0, 1),
    "ratio": (0.5, 1, 2),
    "share": (0.5, 1),
    "choice": (1,),
}
OTHERS = 3
"""Types of somebody else's architecture that an extension is checked with."""
GIVEN, DEFAULTS, DRAWN = "config", "class defaults", "drawn sizes"


class Example(Struct, frozen=True, eq=False):
    """A model: its name, where it comes from, its config (none where it was drawn by its dimensions), its cost."""

    name: str
    origin: str
    costed: Costed
    config: Mapping[str, Any] | None = None

    @property
    def architecture(self) -> str:
        """The name of its architecture."""
        return self.costed.model.architecture


def examples_of(host: Host, plugin: Plugin, configs: Iterable[Path]) -> list[Example]:
    """Return the models that a plugin is checked with; UsageError where a given config cannot be read."""
    results = [_of_config(host, str(path), GIVEN, _parse_file(path)) for path in configs]
    types = {str(example.config.get("model_type")) for example in results if example.config}
    for name, family in _families(host, plugin):
        if name not in types:
            results.append(_of_type(host, family))
    own = [name for name, (_, owner) in host.architectures.items() if owner == plugin and not host.sides(name)]
    have = {example.architecture for example in results if example.costed.status != "error"}
    results += [_draw_example(host, name) for name in own if name not in have]
    for name in _find_extended(host, plugin):
        readers = [key for key, (family, _) in host.families.items() if family.architecture == name]
        results += [_of_type(host, host.family(reader)) for reader in readers[:OTHERS]] or [_draw_example(host, name)]
    return results


def _families(host: Host, plugin: Plugin) -> Iterator[tuple[str, Family]]:
    """Give the plugin's types that are models of their own, not parts of others alone."""
    for name, (_, owner) in list(host.families.items()):
        if owner != plugin:
            continue
        try:
            family = host.family(name)
        except FlopsheetError:
            continue  # is among the failures
        if family.architecture in host.architectures or "parts" in _hints(host, family):
            yield name, family


def _hints(host: Host, family: Family) -> Mapping[str, Any]:
    """Return the hints of a type with those of the types that it is like."""
    hints = family.hints
    while (like := hints.get("like")) and like in host.families:
        hints = {**host.family(like).hints, **{key: value for key, value in hints.items() if key != "like"}}
    return hints


def _find_extended(host: Host, plugin: Plugin) -> list[str]:
    """Return the architectures of others that a plugin adds something to."""
    return [
        name
        for name, candidates in host.candidates.items()
        if name in host.architectures
        and host.architectures[name][1] != plugin
        and any(candidate.plugin == plugin for candidate in candidates)
    ]


def _parse_file(path: Path) -> Mapping[str, Any]:
    try:
        return parse_json(read_bytes(path), path)
    except FlopsheetError as error:
        raise UsageError(f"--config: {error}") from None


def _of_config(host: Host, name: str, origin: str, config: Mapping[str, Any]) -> Example:
    return Example(name, origin, cost(host, load_model(host, config)), config)


def _of_type(host: Host, family: Family) -> Example:
    for like in (family.model_type, family.like):
        if has_defaults(like):
            config = default_config(like) | {"model_type": family.model_type}
            return _of_config(host, family.model_type, DEFAULTS, config)
    drawn_examples = (
        _of_config(host, family.model_type, DRAWN, {"model_type": family.model_type, **fields})
        for fields in _drawn_fields(host.architecture(family.architecture), family)
    )
    return _best(drawn_examples)


def _drawn_fields(architecture: Architecture, family: Family) -> Iterator[dict[str, float]]:
    """Give fields for the dimensions that a config of the type has to say, drawn again and again."""
    names = {new: old for old, new in family.rename.items()}
    open_ = {
        names.get(key, key): dimension
        for dimension in architecture.dimensions
        if dimension.default is None and dimension.name not in family.values
        for key in dimension.keys[:1]
        if key not in family.defaults
    }
    return _draws(open_)


def _draw_example(host: Host, architecture: str) -> Example:
    try:
        dimensions = {size.name: size for size in host.ledger(architecture).dimensions if size.default is None}
    except FlopsheetError:
        dimensions = {}
    return _best(
        Example(architecture, DRAWN, cost(host, read_dimensions(host, architecture, sizes)))
        for sizes in _draws(dimensions)
    )


def _draws(open_: Mapping[str, Dimension]) -> Iterator[dict[str, float]]:
    """Give values for what is open, the same ones each time: small powers of two fit best to each other."""
    random = Random(0)  # noqa: S311 - sizes, no secrets
    yield dict.fromkeys(open_, 8)
    for _ in range(DRAWS if open_ else 0):
        yield {name: max(random.choice(SIZES[size.kind]), size.minimum) for name, size in open_.items()}


def _best(examples: Iterable[Example]) -> Example:
    """Return the first example that is ok, else the first that counts at all, else the first."""
    result: dict[str, Example] = {}
    for example in examples:
        result.setdefault(example.costed.status, example)
        if example.costed.status == "ok":
            break
    return result.get("ok") or result.get("approximate") or result["error"]


class Beside(Struct, frozen=True):
    """The configs that lie with a plugin: those of its types, and those of others, which are left out."""

    own: list[Path]
    others: dict[Path, str]


def configs_beside(host: Host, plugin: Plugin, path: Path) -> Beside:
    """Return the configs in a plugin's folder and up to two folders below; UsageError where one cannot be read."""
    folder = path if path.is_dir() else path.parent
    results = sorted(file for below in ("", "*/", "*/*/") for file in folder.glob(f"{below}config.json"))
    types = {file: str(_parse_file(file).get("model_type")) for file in results}
    others = {file: model_type for file, model_type in types.items() if not _is_its(host, plugin, model_type)}
    return Beside([file for file in results if file not in others], others)


def _is_its(host: Host, plugin: Plugin, model_type: str) -> bool:
    """Tell whether a plugin reads a type, or adds something to the architecture that does."""
    if model_type not in host.families:
        return False
    family, owner = host.families[model_type]
    return owner == plugin or family.architecture in _find_extended(host, plugin)

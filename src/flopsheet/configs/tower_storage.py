"""Towers of quantized checkpoints: which formats quantize them next to the language model, and which lists say no."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from functools import cache
from typing import TYPE_CHECKING, Any

from flopsheet.accounting.data import read_table
from flopsheet.configs.modules import expression
from flopsheet.configs.quantization_config import known_formats, method_of, storage_fields
from flopsheet.configs.schemes import schemes_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from flopsheet.configs.schemes import Schemes
    from flopsheet.host.host import Host

ROOTS = ("", "model.", "thinker.")
"""What checkpoints put before the name of a tower."""
MODALITIES = {"vis": "vision_", "audio": "audio_"}
"""Words of names of towers, and what the dimensions of these begin with."""


def tower_problems(host: Host, config: Mapping[str, Any], model_type: str, given: Mapping[str, Any]) -> list[str]:
    """Return what is not counted of a multimodal model's towers, which a format may quantize with the language model.

    What a language model's part of a config says is of it alone. A list of modules that keep their type and are of a
    tower is taken to be whole. `given` are the dimension values,
    which say which towers there are.
    """
    quantization = storage_fields(config)
    form = next((form for form in known_formats(host) if quantization and form.method == method_of(quantization)), None)
    if quantization is None or form is None or not form.towers:
        return []
    try:
        schemes = schemes_of(known_formats(host), form.method, quantization)
    except (TypeError, ValueError):  # read_quantization says it
        return []
    names = _towers().get(model_type)
    converted = [name for name in names or () if _is_there(name, given) and _is_converted(schemes, name)]
    if names and not converted:
        return []
    which = f" ({', '.join(converted)})" if converted else ""
    return [f"{form.method} quantizes towers too{which}, whose weights are counted at weight_dtype_bytes"]


@cache
def _towers() -> Mapping[str, tuple[str, ...]]:
    """Return the modules next to the language model of each type that modules.toml knows."""
    table = read_table("flopsheet.configs", "modules.toml")["towers"]
    return {model_type: tuple(names.split()) for names, types in table.items() for model_type in types.split()}


def _is_there(name: str, given: Mapping[str, Any]) -> bool:
    """Return whether a model has a tower, which its class may leave out."""
    start = next((start for word, start in MODALITIES.items() if word in name), "")
    own = [key for key in given if key.startswith(start) and not key.startswith(f"{start}projector")]
    return any(given[key] for key in own)


def _is_converted(schemes: Schemes, name: str) -> bool:
    """Return whether a format stores some of a tower's weights: entries by module first, then lists, then the rest."""
    if any(_is_mentioned(name, entries) for entries, scheme in schemes.own if scheme):
        return True
    plain = [
        *schemes.plain,
        *schemes.kept,
        *(entry for entries, scheme in schemes.own if not scheme for entry in entries),
    ]
    if schemes.only is not None or _is_mentioned(name, plain):
        return False
    return any(not scheme.entries or _is_mentioned(name, scheme.entries) for scheme in schemes.base)


def _is_mentioned(name: str, entries: Iterable[str]) -> bool:
    """Return whether one of some entries names a module or one inside it, by its name or by a pattern."""
    word = re.compile(rf"(?<![a-z]){re.escape(name)}(?![a-z])")
    modules = [f"{root}{name}{rest}" for root in ROOTS for rest in ("", ".0")]
    return any(word.search(entry) or any(_fits(entry, module) for module in modules) for entry in entries)


def _fits(entry: str, module: str) -> bool:
    """Return whether a pattern is one of a module; one that cannot be read is refused with the language model's."""
    if not entry.startswith("re:"):
        return fnmatchcase(module, entry)
    try:
        return bool(expression(entry).match(module))
    except ValueError:
        return False

"""Files that are no config and that no plugin reads: what each is, and what to give instead."""

from __future__ import annotations

import json
from fnmatch import fnmatchcase
from functools import cache
from typing import TYPE_CHECKING, Any

from flopsheet.accounting.data import read_table

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

OF_A_CONFIG = ("architectures", "hidden_size", "num_hidden_layers", "text_config", "n_layer", "d_model", "n_embd")
"""Fields that other files than configs do not have."""


@cache
def _kinds() -> list[dict[str, Any]]:
    results: list[dict[str, Any]] = read_table("flopsheet.configs", "foreign_files.toml")["kinds"]
    return results


def what_it_is(path: Path, data: bytes) -> str:
    """Return a sentence on a file that is no config, going by how it begins, its fields or its name; "" for others."""
    fields = _fields(data)
    rules = (_begins, _has_fields, _is_named)
    kinds = (kind for rule in rules for kind in _kinds() if rule(kind, path, data, fields))
    kind = next(kinds, None)
    return f"{path}: this is {kind['is']}; {kind['give']}" if kind else ""


def _fields(data: bytes) -> Mapping[str, Any]:
    """Return the JSON object that a file holds; an empty one where it holds none."""
    try:
        result = json.loads(data) if data.lstrip()[:1] == b"{" else {}
    except (ValueError, RecursionError):
        return {}
    return result if isinstance(result, dict) else {}


def _begins(kind: Mapping[str, Any], _: Path, data: bytes, fields: Mapping[str, Any]) -> bool:
    at = kind.get("at", 0)
    begins = any(data[at : at + len(text)] == text.encode("latin-1") for text in kind.get("begins", ()))
    return begins and not fields


def _has_fields(kind: Mapping[str, Any], _: Path, __: bytes, fields: Mapping[str, Any]) -> bool:
    sets = ({*some.split()} for some in kind.get("fields", ()))
    return fields.keys().isdisjoint(OF_A_CONFIG) and any(fields.keys() >= some for some in sets)


def _is_named(kind: Mapping[str, Any], path: Path, _: bytes, __: Mapping[str, Any]) -> bool:
    return any(fnmatchcase(path.name.lower(), name) for name in kind.get("names", ()))

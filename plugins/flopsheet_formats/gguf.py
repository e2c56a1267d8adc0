"""GGUF files: the model that their metadata describes, held against the tensors that they store."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from flopsheet import Description, FlopsheetError
from flopsheet_formats.header import Header, Stored, read_header

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

PART = re.compile(r"-(\d{5})-of-(\d{5})\.gguf$")
SHOWN = 4
BITS = 8


@cache
def tables() -> Mapping[str, Any]:
    """Return what gguf.toml holds: architectures, common fields, tensor types."""
    return tomllib.loads((files(__package__) / "gguf.toml").read_text("utf-8"))


def read(path: Path) -> Description:
    """Return the model of a GGUF file; FlopsheetError says why it describes none that is counted."""
    header = read_header(path)
    name = _architecture(header)
    architectures = tables()["architectures"]
    if name not in architectures:
        names = ", ".join(sorted(architectures))
        raise FlopsheetError(f"this is a GGUF file of the architecture {name!r}, which is not read; read are {names}")
    tensors, missing = _all_parts(path, header)
    own = {key.removeprefix(f"{name}."): value for key, value in header.metadata.items() if key.startswith(f"{name}.")}
    table = _variant(architectures[name], own, tensors)
    config = _config(table, own, header, tensors)
    left = [key for key in own if not _is_read(key, table) and own[key] not in (None, "", 0, False)]
    problems = [f"{name}.{key} = {own[key]!r} is not understood: it may change the count" for key in left]
    byte_sizes, note = _stored_bytes(tensors)
    return Description(
        config=config,
        given={} if missing else byte_sizes,
        parameters=None if missing else sum(tensor.numbers for tensor in _weights(tensors)),
        source="the file's list of tensors",
        problems=(*problems, *missing),
        notes=() if missing else (note,),
    )


def _architecture(header: Header) -> str:
    """Return the architecture of a GGUF file of a language model; FlopsheetError says what it is of instead."""
    metadata = header.metadata
    name, kind = (str(metadata.get(f"general.{key}", "")) for key in ("architecture", "type"))
    what = tables()["others"].get(kind) or tables()["others"].get(name)
    if what:
        raise FlopsheetError(f"this is a GGUF file of {what}")
    if not name and metadata.get("split.no"):
        raise FlopsheetError(f"this is part {metadata['split.no'] + 1} of a GGUF model; give its first part")
    if not name:
        raise FlopsheetError("this GGUF file does not say general.architecture")
    return name


def _all_parts(path: Path, header: Header) -> tuple[list[Stored], list[str]]:
    """Return the tensors of all parts of a model, and the problem where parts are missing."""
    count, result = int(header.metadata.get("split.count") or 1), PART.search(path.name)
    if count == 1 or not result:
        return header.tensors, [f"one of {count} parts: its tensors are not compared"] if count > 1 else []
    names = [PART.sub(f"-{part:05}-of-{result[2]}.gguf", path.name) for part in range(1, min(count, 9_999) + 1)]
    missing = [name for name in names if not path.with_name(name).is_file()]
    if missing:
        return header.tensors, [f"{len(missing)} of {count} parts are not here, such as {missing[0]}: not compared"]
    return [tensor for name in names for tensor in read_header(path.with_name(name)).tensors], []


def _variant(table: Mapping[str, Any], own: Mapping[str, Any], tensors: Sequence[Stored]) -> Mapping[str, Any]:
    """Return the table of an architecture, or of the type that it is of with these keys or tensors."""
    names = {tensor.name for tensor in tensors}
    for variant in table.get("variants", ()):
        if all(own.get(key) for key in variant.get("with", ())) and names.issuperset(variant.get("tensors", ())):
            fields = {**table.get("fields", {}), **variant.get("fields", {})}
            return {**table, **variant, "fields": fields}
    return table


def _config(
    table: Mapping[str, Any], own: Mapping[str, Any], header: Header, tensors: Sequence[Stored]
) -> dict[str, Any]:
    fields = {**tables()["fields"], **table.get("fields", {})}
    names = {tensor.name for tensor in tensors}
    config: dict[str, Any] = {"model_type": table["model_type"], "architectures": [table["class"]]}
    config |= {field: _scalar(own[key], key) for key, field in fields.items() if field and own.get(key) is not None}
    for field, ending in table.get("present", {}).items():
        config[field] = ending in names
    config["vocab_size"] = _vocabulary(header, own, tensors)
    config["tie_word_embeddings"] = "output.weight" not in names
    null = dict.fromkeys((*tables()["null"], *table.get("null", ())))
    return null | config | _derive_fields(table, own)


def _scalar(value: Any, key: str) -> Any:
    """Return a number; of a list, which says one for each layer, the one that all layers have."""
    if isinstance(value, list):
        if len(set(map(str, value))) != 1:
            raise FlopsheetError(f"{key} differs from layer to layer, which is not counted; give the config.json")
        return value[0]
    return value


def _derive_fields(table: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return fields that are a difference of two keys: `nope = ["a", "b"]` is a - b."""
    result: Mapping[str, tuple[str, str]] = table.get("difference", {})
    return {field: own[a] - own[b] for field, (a, b) in result.items() if a in own and b in own}


def _vocabulary(header: Header, own: Mapping[str, Any], tensors: Sequence[Stored]) -> int:
    """Return the rows of the token table, which may be padded; else the length of the list of tokens."""
    rows = next((shape[1] for name, shape, _ in tensors if name == "token_embd.weight" and len(shape) > 1), 0)
    result = rows or own.get("vocab_size") or header.lengths.get("tokenizer.ggml.tokens", 0)
    if not result:
        raise FlopsheetError("this GGUF file has neither a token table nor a list of tokens")
    return int(result)


def _is_read(key: str, table: Mapping[str, Any]) -> bool:
    known_keys = {*tables()["fields"], *table.get("fields", {}), *table.get("with", ()), *tables()["inert"]["keys"]}
    known_keys.update(*table.get("difference", {}).values(), table.get("inert", ()))
    return key in known_keys or key.startswith(tuple(tables()["inert"]["prefixes"]))


def _weights(tensors: Sequence[Stored]) -> list[Stored]:
    """Return the tensors that are parameters: rotary factors, scales and the router's corrections are not."""
    others = re.compile(tables()["inert"]["tensors"])
    return [tensor for tensor in tensors if not others.search(tensor.name)]


def _stored_bytes(tensors: Sequence[Stored]) -> tuple[dict[str, Fraction | int], str]:
    """Return the bytes of a weight on average, which the file's types make, and the note that says which."""
    kinds = tables()["types"]
    sizes: Counter[str] = Counter()
    weights = sum(tensor.numbers for tensor in _weights(tensors))
    for tensor in tensors:
        if str(tensor.kind) not in kinds:
            raise FlopsheetError(f"tensor {tensor.name[:80]!r} is of the unknown GGML type {tensor.kind:,}")
        name, block, size = kinds[str(tensor.kind)]
        if tensor.shape and tensor.shape[0] % block:
            raise FlopsheetError(f"tensor {tensor.name[:80]!r} has rows of {tensor.shape[0]:,}, no multiple of {block}")
        sizes[name] += tensor.numbers // block * size
    total = sum(sizes.values())
    if not weights:
        raise FlopsheetError("this GGUF file lists no tensors")
    average = Fraction(total, weights)
    largest = ", ".join(f"{name} {size:,}" for name, size in sizes.most_common(SHOWN))
    more = f" and {len(sizes) - SHOWN} more" if len(sizes) > SHOWN else ""
    note = f"weights are stored in {total:,} bytes, {float(average * BITS):.4g} bits each on average ({largest}{more})"
    return {"weight_dtype_bytes": average, "training_dtype_bytes": 2}, note

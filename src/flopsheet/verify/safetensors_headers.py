"""What safetensors files store: the tensors that their headers name, read without torch."""

from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from flopsheet.configs.files import parse_json, read_bytes
from flopsheet.configs.groups import group_of
from flopsheet.configs.tensor_names import HEAD, reason_aside
from flopsheet.configs.weights import INDEX, count_in
from flopsheet.errors import ConfigError
from flopsheet.verify.tensors import ByteRange, Tensor

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

CHUNK = 2**24
"""Bytes of a stored head that are compared at a time."""
MAX_HEADER = 2**30
"""Bytes; the header of a model with a million tensors is a tenth of it."""


class Weights(Struct, frozen=True):
    """What a checkpoint stores: its tensors; or only its parameters, where an index is without its files."""

    tensors: list[Tensor]
    parameters: int | None = None


class CheckpointTensors(Struct, frozen=True):
    """The tensors of a checkpoint that are parameters of its model, and those that are not, each with the reason."""

    tensors: list[Tensor]
    aside: list[tuple[Tensor, str]] = field(default_factory=list)


def read_weights(path: Path, dtype: str) -> Weights:
    """Return what a safetensors file, an index, or a folder of them stores; ConfigError says what is wrong.

    `dtype` is the config's: it turns the bytes of an index without its files into parameters.
    """
    index = path / INDEX if path.is_dir() else path
    if not index.name.endswith(".index.json") or not index.is_file():
        return Weights([tensor for file in _files(path) for tensor in read_header(file)])
    document = parse_json(read_bytes(index), index)
    files = _shards(document, index)
    if all(file.is_file() for file in files):
        return Weights([tensor for file in files for tensor in read_header(file)])
    metadata = document.get("metadata")
    count = count_in(metadata if isinstance(metadata, dict) else {}, dtype)
    if count is None:
        raise ConfigError(
            f"{index}: its files are not next to it, and it names neither parameters nor bytes of a known type"
        )
    return Weights([], count)


def read_header(path: Path) -> list[Tensor]:
    """Return the tensors that the header of one safetensors file names."""
    try:
        with path.open("rb") as file:
            (length,) = struct.unpack("<Q", file.read(8))
            if length > MAX_HEADER:
                raise ConfigError(f"{path}: not a safetensors file: its header would have {length:,} bytes")
            header = json.loads(file.read(length))
        start = path, 8 + length
        return [_tensor(name, entry, *start) for name, entry in header.items() if name != "__metadata__"]
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    except (struct.error, ValueError, KeyError, TypeError, AttributeError):
        raise ConfigError(f"{path}: not a safetensors file, or cut short") from None


def sorted_out(tensors: list[Tensor], *, n_layers: int, tied_head: bool) -> CheckpointTensors:
    """Return which stored tensors the model counts: no buffers, no scales, no second copy of a tied head.

    Layers beyond `n_layers` are those for multi-token prediction, which no model class has; 0 keeps every layer.
    """
    copy = _copy_of_table(tensors) if tied_head else ""
    aside = [
        (tensor, reason) for tensor in tensors if (reason := reason_aside(tensor.name, tensor.shape, n_layers, copy))
    ]
    left_out = {tensor.name for tensor, _ in aside}
    own = [tensor for tensor in tensors if tensor.name not in left_out]
    return CheckpointTensors(own, aside)


def _copy_of_table(tensors: list[Tensor]) -> str:
    """Return the reason for which a stored head is the token table again, or nothing: it may have values of its own."""
    head = next((tensor for tensor in tensors if tensor.name == HEAD), None)
    tables = [tensor for tensor in tensors if group_of(tensor.name) == "embedding"]
    like = [table for table in tables if head and table.shape == head.shape]
    if not head or not like:
        return ""
    equal = [_same_values(head, table) for table in like]
    if True in equal:
        return "a copy of the tied token table"
    return "" if None not in equal else "same shape as the tied token table; the file has no values to compare"


def _same_values(first: Tensor, second: Tensor) -> bool | None:
    """Return whether two tensors hold the same bytes; None where a file ends before them."""
    mine, its = first.place, second.place
    if not mine or not its or (mine.dtype, mine.end - mine.begin) != (its.dtype, its.end - its.begin):
        return False
    if mine.begin == mine.end:
        return None
    with mine.file.open("rb") as one, its.file.open("rb") as two:
        if max(mine.end - one.seek(0, 2), its.end - two.seek(0, 2)) > 0:
            return None
        one.seek(mine.begin)
        two.seek(its.begin)
        left = mine.end - mine.begin
        while left > 0:
            size = min(left, CHUNK)
            if one.read(size) != two.read(size):
                return False
            left -= size
    return True


def _files(path: Path) -> list[Path]:
    """Return the file, or the files of a folder that has no index; one folder may hold its model twice."""
    if not path.is_dir():
        return [path]
    files = sorted(path.glob("model*.safetensors")) or sorted(path.glob("*.safetensors"))
    if not files:
        raise ConfigError(f"{path}: holds neither safetensors files nor {INDEX}")
    return files


def _shards(document: Mapping[str, Any], index: Path) -> list[Path]:
    files = document.get("weight_map")
    if not isinstance(files, dict) or not all(isinstance(name, str) for name in files.values()):
        raise ConfigError(f"{index}: has no weight_map of tensors to files")
    return [index.parent / name for name in sorted(set(files.values()))]


def _tensor(name: str, entry: Mapping[str, Any], path: Path, start: int) -> Tensor:
    begin, end = (start + int(offset) for offset in entry.get("data_offsets", (0, 0)))
    place = ByteRange(path, begin, end, str(entry.get("dtype", "")))
    return Tensor(name, tuple(int(size) for size in entry["shape"]), place)

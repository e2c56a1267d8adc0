"""The weights' index next to a config, in a folder or an archive: what the checkpoint says it stores."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

from flopsheet.configs.files import checked_size, parse_json, read_bytes
from flopsheet.configs.model import Published
from flopsheet.errors import ConfigError

INDEX = "model.safetensors.index.json"
SAYING = ("total_parameters", "total_size")
"""What the metadata of an index says of parameters; an index has much more to say of tensors."""
BYTES = {"float32": 4, "bfloat16": 2, "float16": 2, "float64": 8}


class Index(NamedTuple):
    """What an index says of parameters, or why it cannot be read."""

    metadata: dict[str, Any]
    problem: str = ""


def index_beside(config_path: Path | str) -> Index | None:
    """Return the index in the folder of a config, None where there is none."""
    folder, _ = os.path.split(config_path)
    path = f"{folder or os.curdir}{os.sep}{INDEX}"
    if not os.path.isfile(path):  # noqa: PTH113 - a path for each of a million takes longer
        return None
    return read_index(Path(path))


def read_index(path: Path, data: bytes | None = None) -> Index:
    """Return an index of these bytes, or of the file's; `path` is what messages call it."""
    try:
        metadata = parse_json(read_bytes(path) if data is None else checked_size(data, path), path).get("metadata")
    except ConfigError as error:
        return Index({}, str(error))
    said = metadata if isinstance(metadata, dict) else {}
    return Index({name: said[name] for name in SAYING if name in said})


def stored_parameters(index: Index | None, config: dict[str, Any]) -> tuple[Published | None, list[str]]:
    """Return the parameters that the index next to a config names, and notes on what keeps it from being compared.

    `metadata.total_parameters` counts them; where only `metadata.total_size` in bytes is given, the config's dtype
    divides it. A quantized checkpoint stores scales and packed weights, so its index says nothing of parameters.
    """
    if index is None:
        return None, []
    if index.problem:
        return None, [f"the weights' index cannot be read: {index.problem}"]
    if config.get("quantization_config"):
        return None, [f"{INDEX} is not compared: the weights are stored quantized"]
    count = count_in(index.metadata, str(config.get("dtype") or config.get("torch_dtype") or ""))
    if count is None:
        return None, [f"{INDEX} is not compared: it names neither parameters nor bytes of a known dtype"]
    return Published(count, source=INDEX), []


def count_in(metadata: dict[str, Any], dtype: str) -> int | None:
    """Return the parameters that the metadata of an index names, or that its bytes make in a known dtype."""
    if type(metadata.get("total_parameters")) is int:
        return int(metadata["total_parameters"])
    size, width = metadata.get("total_size"), BYTES.get(dtype)
    if not isinstance(size, int | float) or width is None or size % width:
        return None
    return int(size // width)

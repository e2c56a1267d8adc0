"""The weights' index next to a config: what the checkpoint says it stores, compared with the count."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from flopsheet.configs.files import parse_json, read_bytes
from flopsheet.configs.model import Published
from flopsheet.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

INDEX = "model.safetensors.index.json"
BYTES = {"float32": 4, "bfloat16": 2, "float16": 2, "float64": 8}


def stored_parameters(config_path: Path, config: dict[str, Any]) -> tuple[Published | None, list[str]]:
    """Return the parameters that the index next to a config names, and notes on what keeps it from being compared.

    `metadata.total_parameters` counts them; where only `metadata.total_size` in bytes is given, the config's dtype
    divides it. A quantized checkpoint stores scales and packed weights, so its index says nothing of parameters.
    """
    folder, _ = os.path.split(config_path)
    if not os.path.isfile(f"{folder or os.curdir}{os.sep}{INDEX}"):  # noqa: PTH113 - a path for each of a million takes longer
        return None, []
    path = config_path.parent / INDEX
    try:
        metadata = parse_json(read_bytes(path), path).get("metadata")
    except ConfigError as error:
        return None, [f"the weights' index cannot be read: {error}"]
    if config.get("quantization_config"):
        return None, [f"{INDEX} is not compared: the weights are stored quantized"]
    metadata = metadata if isinstance(metadata, dict) else {}
    count = count_in(metadata, str(config.get("dtype") or config.get("torch_dtype") or ""))
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

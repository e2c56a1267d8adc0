"""Files next to a config, in a folder or an archive: what the checkpoint says it stores, and how."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from flopsheet.accounting.data import read_table
from flopsheet.accounting.line import NOTHING
from flopsheet.configs.fields import STORAGE
from flopsheet.configs.files import checked_size, parse_json, read_bytes
from flopsheet.configs.model import Published
from flopsheet.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

INDEX = "model.safetensors.index.json"
READ_BESIDE = (INDEX, "hf_quant_config.json", "quantize_config.json", "quant_config.json")
"""Names of files next to a config that are read."""
FILE = "file"
"""The field of quantized weights that names the file which says it, where this is not the config."""
UNREAD = "a file that cannot be read"
"""The method of weights where that file is broken."""
SAYING = ("total_parameters", "total_size")
"""What the metadata of an index says of parameters; an index has much more to say of tensors."""
EXTRAS = "extras"
"""What is kept of the names of tensors, next to the metadata."""
BYTES = {"float32": 4, "bfloat16": 2, "float16": 2, "float64": 8}


class Beside(Struct, frozen=True):
    """What the files next to a config say: its weights' index of parameters, or why that cannot be read.

    `metadata` is None where there is no index; `quantization` is what another file says of quantized weights, with that
    file's name.
    """

    metadata: dict[str, Any] | None = None
    problem: str = ""
    quantization: Mapping[str, Any] = NOTHING

    def with_file(self, path: Path, data: bytes | None = None) -> Beside:
        """Return the same with what a file of these bytes says, or the file at this path, which messages name."""
        name = path.name.rpartition("#")[2]
        try:
            document = parse_json(read_bytes(path) if data is None else checked_size(data, path), path)
        except ConfigError as error:
            unread = {"metadata": {}, "problem": str(error)}
            return replace(self, **unread if name == INDEX else {"quantization": {"quant_method": UNREAD, FILE: name}})
        if name == INDEX:
            raw = document.get("metadata")
            metadata = raw if isinstance(raw, dict) else {}
            result: dict[str, Any] = {key: metadata[key] for key in SAYING if key in metadata}
            from flopsheet.configs.tensor_names import extras_in  # noqa: PLC0415 - most configs lie alone

            extras = extras_in(document.get("weight_map"))
            return replace(self, metadata={**result, **({EXTRAS: extras} if extras else {})})
        own = sidecars()[name]
        table = document.get(own["table"]) if own["table"] else document
        rank = READ_BESIDE.index(str(self.quantization.get(FILE, READ_BESIDE[-1])))
        if not isinstance(table, dict) or (self.quantization and rank < READ_BESIDE.index(name)):
            return self
        fields = {own["rename"].get(key, key): value for key, value in table.items()}
        return replace(self, quantization={"quant_method": own["method"], FILE: name, **fields})


def files_beside(config_path: Path | str) -> Beside | None:
    """Return what the files in the folder of a config say, None where there are none."""
    folder, _ = os.path.split(config_path)
    result: Beside | None = None
    for name in READ_BESIDE:
        path = f"{folder or os.curdir}{os.sep}{name}"
        if os.path.isfile(path):  # noqa: PTH113 - a path for each of a million takes longer
            result = (result or Beside()).with_file(Path(path))
    return result


def sidecars() -> Mapping[str, Mapping[str, Any]]:
    """Return the files that say how weights are quantized next to a config that does not."""
    return read_table("flopsheet.configs", "sidecars.toml")


def with_quantization(config: dict[str, Any], beside: Beside | None) -> dict[str, Any]:
    """Return a config with what a file next to it says of its quantized weights, where it says nothing itself."""
    parts = (config, *(part for part in config.values() if isinstance(part, dict)))
    if beside is None or not beside.quantization or any(part.get(name) for part in parts for name in STORAGE):
        return config
    return {**config, STORAGE[0]: dict(beside.quantization)}


def stored_parameters(beside: Beside | None, config: dict[str, Any]) -> tuple[Published | None, list[str]]:
    """Return the parameters that the index next to a config names, and notes on what keeps it from being compared.

    `metadata.total_parameters` counts them; where only `metadata.total_size` in bytes is given, the config's dtype
    divides it. A quantized checkpoint stores scales and packed weights, so its index says nothing of parameters.
    """
    if beside is None or beside.metadata is None:
        return None, []
    if beside.problem:
        return None, [f"the weights' index cannot be read: {beside.problem}"]
    if any(config.get(name) for name in STORAGE):
        return None, [f"{INDEX} is not compared: the weights are stored quantized"]
    count = count_in(beside.metadata, str(config.get("dtype") or config.get("torch_dtype") or ""))
    if count is None:
        return None, [f"{INDEX} is not compared: it names neither parameters nor bytes of a known dtype"]
    return Published(count, source=INDEX, extras=beside.metadata.get(EXTRAS, ())), []


def count_in(metadata: dict[str, Any], dtype: str) -> int | None:
    """Return the parameters that the metadata of an index names, or that its bytes make in a known dtype.

    More parameters than its bytes have room for are a count with weights that are shared, and the bytes decide.
    """
    count, size, width = metadata.get("total_parameters"), metadata.get("total_size"), BYTES.get(dtype)
    room = None if not isinstance(size, int | float) or width is None or size % width else int(size // width)
    if type(count) is not int or (room is not None and count > room > 0):
        return room
    return int(count)

"""Ollama's files as far as they say what the model is: a Modelfile, or a manifest of the local store."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from flopsheet import Description, FlopsheetError
from flopsheet_formats import gguf

if TYPE_CHECKING:
    from pathlib import Path

MODEL = "application/vnd.ollama.image.model"
FROM = re.compile(r"^\s*FROM\s+(\S.*?)\s*$", re.IGNORECASE | re.MULTILINE)
DIGEST = re.compile(r"sha256[:-][0-9a-f]{64}")
MAX_BYTES, UP = 2**20, 6


def is_ollama(path: Path, data: bytes) -> bool:
    """Tell whether a file is a Modelfile, or a manifest of Ollama's store."""
    is_modelfile = path.name.lower().startswith("modelfile") or path.suffix.lower() == ".modelfile"
    return (is_modelfile and FROM.search(data.decode("utf-8", errors="replace")) is not None) or MODEL.encode() in data


def read(path: Path) -> Description:
    """Return the model of the GGUF file that an Ollama file names; FlopsheetError says what it names instead."""
    with path.open("rb") as file:
        data = file.read(MAX_BYTES)
    result = _blob(path, data) if MODEL.encode() in data else _from(path, data)
    return gguf.read(result)


def _from(path: Path, data: bytes) -> Path:
    """Return the GGUF file that a Modelfile is FROM."""
    (base, *_) = FROM.findall(data.decode("utf-8", errors="replace"))
    result: Path = path.parent / str(base).strip("\"'")
    if result.is_dir():
        raise FlopsheetError(f"this is an Ollama Modelfile from the folder {base}; give that folder's config.json")
    if not result.is_file():
        raise FlopsheetError(
            f"this is an Ollama Modelfile from {base}, which is no file next to it; give the GGUF file, the manifest of"
            " that name in Ollama's store (models/manifests/…), or the config.json of the model"
        )
    with result.open("rb") as file:
        is_gguf = file.read(4) == b"GGUF"
    if not is_gguf:
        raise FlopsheetError(f"this is an Ollama Modelfile from {base}, which is no GGUF file; give its config.json")
    return result


def _blob(path: Path, data: bytes) -> Path:
    """Return the file of weights that a manifest of the store names."""
    try:
        layers: Any = json.loads(data)["layers"]
        digest = next(str(layer["digest"]) for layer in layers if layer["mediaType"] == MODEL)
    except (ValueError, KeyError, TypeError, StopIteration, RecursionError):
        raise FlopsheetError("this manifest of Ollama's store names no file of weights") from None
    if not DIGEST.fullmatch(digest):
        raise FlopsheetError("this manifest of Ollama's store names its weights by no sha256")
    name = digest.replace(":", "-")
    homes = [folder / "blobs" / name for folder in list(path.resolve().parents)[:UP]]
    result = next((home for home in homes if home.is_file()), None)
    if result is None:
        raise FlopsheetError(f"this manifest of Ollama's store names the blob {name[:19]}…, which is not in the store")
    return result

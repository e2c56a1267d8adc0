"""Descriptions of models in files of other programs: GGUF, params.json, litgpt, NeMo, Megatron, PEFT, Ollama.

What a field of each is called in a transformers config is data: gguf.toml and documents.toml.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from flopsheet import ModelReader, hookimpl

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from flopsheet import Description

flopsheet_api = "1.0"
MAGIC = b"GGUF"


def _read(module: str, path: Path) -> Description:
    """Return what a module of this package reads of a file: each is imported when a file of its kind comes."""
    from importlib import import_module  # noqa: PLC0415 - most inputs are configs

    result: Description = import_module(f"{__name__}.{module}").read(path)
    return result


def _is_document(path: Path, data: bytes) -> bool:
    from flopsheet_formats.formats import format_of  # noqa: PLC0415 - same reason

    return format_of(path, data) is not None


def _is_adapter(path: Path, data: bytes) -> bool:
    return path.suffix == ".json" and b'"peft_type"' in data


def _is_modelfile(path: Path, data: bytes) -> bool:
    from flopsheet_formats.ollama import is_ollama  # noqa: PLC0415 - same reason

    return is_ollama(path, data)


def _reader(title: str, module: str, recognizes: Any, files: str) -> ModelReader:
    return ModelReader(title=title, recognizes=recognizes, read=partial(_read, module), files=files)


@hookimpl
def flopsheet_readers() -> Iterable[Any]:
    """Return the formats that are read."""
    return [
        _reader("a PEFT adapter", "peft", _is_adapter, r"adapter_config\.json"),
        _reader(
            "GGUF",
            "gguf",
            lambda _, data: data.startswith(MAGIC),
            r"(?!mmproj)(?!.*-\d{5}-of-\d{5}\.gguf$).*\.gguf|.*-00001-of-\d{5}\.gguf",
        ),
        _reader("an Ollama file", "ollama", _is_modelfile, "Modelfile"),
        _reader("a file of fields", "formats", _is_document, r"params\.json|model_config\.yaml"),
    ]

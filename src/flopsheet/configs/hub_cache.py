"""The local cache of the Hugging Face Hub: models by `org/name`, or `org/name@revision`; no network."""

from __future__ import annotations

import os
import re
from pathlib import Path

from msgspec import Struct

CONFIG = "config.json"
NAME = r"[A-Za-z0-9][\w.-]*"
REPOSITORY = re.compile(rf"({NAME}/{NAME})(?:@([\w./-]+))?")
FILES = (
    r"(?i)\.(json|toml|ya?ml|csv|tsv|xls[xmb]?|ods|parquet|gguf|safetensors|bin|pth?|nemo|onnx|txt|md|py|tar|t?gz|zip)$"
)
"""How names end that are files' and no model's."""


class Repository(Struct, frozen=True):
    """A model of the Hub: `org/name`, and the revision that is asked for, "" for the newest."""

    name: str
    revision: str = ""


def repository_of(text: str) -> Repository | None:
    """Return the model of the Hub that a text names; None for what is a path, or is called as a file is."""
    match = REPOSITORY.fullmatch(text.replace(os.sep, "/"))
    if not match or re.search(FILES, match[1]) or any(part in ("", ".", "..") for part in (match[2] or "-").split("/")):
        return None
    return Repository(match[1], match[2] or "")


def cached_config(text: str) -> Path | None:
    """Return the config of a model in the local cache, of the revision asked for or of `main`, else of any."""
    repository = repository_of(text)
    if repository is None:
        return None
    folder = cache_folder() / f"models--{repository.name.replace('/', '--')}"
    head = folder / "refs" / (repository.revision or "main")
    revisions = [head.read_text("utf-8").strip()] if head.is_file() else []
    revisions += [repository.revision] if repository.revision else []
    results = [folder / "snapshots" / revision / CONFIG for revision in revisions]
    results += [] if repository.revision else sorted(folder.glob(f"snapshots/*/{CONFIG}"))
    return next((path for path in results if path.is_file()), None)


def cache_folder() -> Path:
    """Return the folder of the local cache, as the Hub's library finds it."""
    home = Path(os.environ.get("HF_HOME", Path.home() / ".cache" / "huggingface"))
    return Path(os.environ.get("HF_HUB_CACHE", home / "hub"))

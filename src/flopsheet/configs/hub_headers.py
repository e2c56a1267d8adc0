"""What the safetensors headers of a model of the Hub say, kept by commit: its parameters, and the bytes of its weights.

The Hub's cache keeps files, and headers are none. They are kept in flopsheet's own cache, so that a model that is read
from the Hub's cache is compared as it was when it was fetched.
"""

from __future__ import annotations

import json
import math
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import asdict

from flopsheet.configs.fields import STORAGE
from flopsheet.configs.files import parse_json, read_bytes
from flopsheet.configs.groups import group_of
from flopsheet.configs.model import Published
from flopsheet.configs.tensor_names import HEAD, SCALES, reason_aside
from flopsheet.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from flopsheet.host.host import Host

SOURCE = "the safetensors header"
"""What messages call where the count comes from."""
FORM = 1
"""The form of what is kept: what was kept in another one is read again."""


class Tensor(Struct, frozen=True):
    """A tensor of a header."""

    name: str
    shape: tuple[int, ...]
    size: int
    """In bytes."""


class HeaderTotals(Struct, frozen=True):
    """What headers say: parameters, None where weights are packed; and the bytes of all weights, scales included."""

    parameters: int | None
    size: int

    def compare_count(self) -> tuple[Published | None, list[str]]:
        """Return the count to compare with, as `stored_parameters` does."""
        return (None if self.parameters is None else Published(self.parameters, source=SOURCE)), []


def sum_up(host: Host, config: Mapping[str, Any], tensors: Iterable[Tensor]) -> HeaderTotals:
    """Return what the tensors of a model make: no buffers, no layers beyond it, no second copy of a tied head."""
    tensors = list(tensors)
    text = config.get("text_config") if isinstance(config.get("text_config"), dict) else config
    depth = text.get("num_hidden_layers") if text else 0
    n_layers = depth if isinstance(depth, int) else 0
    copy = "a copy of the tied token table" if _is_tied(host, config) and _has_copy(tensors) else ""
    count = size = 0
    for tensor in tensors:
        reason = reason_aside(tensor.name, tensor.shape, n_layers, copy)
        count += 0 if reason else math.prod(tensor.shape)
        size += tensor.size if not reason or SCALES.search(tensor.name) else 0
    is_packed = any(config.get(name) for name in STORAGE)
    return HeaderTotals(None if is_packed else count, size)


def _is_tied(host: Host, config: Mapping[str, Any]) -> bool:
    """Tell whether the head is the token table: as the config says, else as its class has it."""
    model_type = config.get("model_type")
    family = host.family(model_type) if isinstance(model_type, str) and model_type in host.families else None
    default = family.defaults.get("tie_word_embeddings", True) if family else True
    return bool(config.get("tie_word_embeddings", default))


def _has_copy(tensors: Iterable[Tensor]) -> bool:
    shapes = {tensor.name: tensor.shape for tensor in tensors}
    head = shapes.get(HEAD)
    return head is not None and any(group_of(name) == "embedding" and shapes[name] == head for name in shapes)


def keep(config: Path, headers: HeaderTotals) -> None:
    """Write down what headers say of a model whose config is in the Hub's cache; a cache that is full keeps nothing."""
    path = _place(config)
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_suffix(f".{os.getpid()}")
        temporary.write_text(json.dumps({"form": FORM, **asdict(headers)}), "utf-8")
        temporary.replace(path)


def kept_headers(config: Path) -> HeaderTotals | None:
    """Return what the headers of a model said whose config is in the Hub's cache; None where they were not read."""
    path = _place(config)
    try:
        result = parse_json(read_bytes(path), path) if path.is_file() else {}
    except (ConfigError, OSError):
        return None
    numbers = [result.get(name) for name in HeaderTotals.__struct_fields__]
    sound = result.get("form") == FORM and isinstance(numbers[1], int) and isinstance(numbers[0], int | None)
    return HeaderTotals(*numbers) if sound else None  # type: ignore[arg-type]  # just looked at


def _place(config: Path) -> Path:
    """Return where the headers of a model are kept: by its repository and commit."""
    home = os.environ.get("FLOPSHEET_CACHE")
    if home is None:
        from platformdirs import user_cache_path  # noqa: PLC0415 - few models come from the Hub

        home = str(user_cache_path("flopsheet"))
    return Path(home) / "headers" / config.parent.parent.parent.name / f"{config.parent.name}.json"

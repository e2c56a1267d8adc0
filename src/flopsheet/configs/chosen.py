"""Which plugins a run loads: portfolios say it in their first lines, before anything of them can be read."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

from flopsheet.configs.inputs import expand
from flopsheet.errors import ConfigError
from flopsheet.host.host import installed, load

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from flopsheet.host.host import Host
    from flopsheet.host.local import Choice


def load_for(inputs: Iterable[str], choice: Choice) -> Host:
    """Return the host for some inputs: without the plugins that the caller or a portfolio among them leaves out."""
    heads = [_head(path) for text in inputs for path in expand(text) if path.suffix == ".toml"]
    said = [name for name in _all_texts(heads, "without") if name in installed()]
    return load(tuple(dict.fromkeys((*choice.without, *said))), choice.plugins)


def _head(path: Path) -> dict[str, Any]:
    """Return what a portfolio says before its models; nothing where it cannot be read, which its reader tells."""
    from flopsheet.configs.files import read_bytes  # noqa: PLC0415 - configs alone need none

    try:
        text = read_bytes(path).decode("utf-8")
        return tomllib.loads(text.partition("\n[[models]]")[0])
    except (ConfigError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return {}


def _all_texts(heads: Iterable[Mapping[str, Any]], key: str) -> list[str]:
    said = [head.get(key, ()) for head in heads]
    return [text for one in said if isinstance(one, list) for text in one if isinstance(text, str)]

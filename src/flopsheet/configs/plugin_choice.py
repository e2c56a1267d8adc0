"""Which plugins a run loads: portfolios say it in their first lines, before anything of them can be read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomli

from flopsheet.configs.files import check_keys, read_bytes
from flopsheet.configs.folders import is_folder
from flopsheet.configs.inputs import expand
from flopsheet.errors import ConfigError
from flopsheet.host.loading import list_installed, load
from flopsheet.host.local import WRITTEN, Choice

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from flopsheet.host.host import Host


def load_for(inputs: Iterable[str], choice: Choice) -> Host:
    """Return the host for some inputs: as the caller chose, and as the portfolios among them say."""
    return load(*choice_for(inputs, choice))


def choice_for(inputs: Iterable[str], choice: Choice) -> Choice:
    """Return the plugins for some inputs: those of the caller, and what the portfolios among the inputs say.

    A portfolio leaves plugins out (`without`) and names files of plugins that hold no code (`plugins`); a report names
    those that it was made with.
    """
    files_named = (path for text in inputs if not (text and is_folder(Path(text))) for path in expand(text))
    paths = [path for path in map(Path, files_named) if path.suffix == WRITTEN]
    heads = [(path, _head(path)) for path in paths]
    left_out = [name for _, head in heads for name in _texts(head, "without") if name in list_installed()]
    files = [file for path, head in heads for file in files_of(head, path)]
    own_paths = {str(Path(plugin).resolve()) for plugin in choice.plugins if isinstance(plugin, str)}
    more = [str(file) for file in dict.fromkeys(files) if file.exists() and str(file.resolve()) not in own_paths]
    return Choice(tuple(dict.fromkeys((*choice.without, *left_out))), (*choice.plugins, *more))


def files_of(document: Mapping[str, Any], path: Path) -> list[Path]:
    """Return the files of plugins without code that a portfolio or report names."""
    if "schema" not in document:
        return [Path(os.path.relpath(path.parent / text)) for text in _texts(document, "plugins")]
    plugins = document.get("plugins", ())
    packages = [plugin.get("package") for plugin in plugins if isinstance(plugin, dict)]
    return [Path(name) for name in packages if isinstance(name, str) and name.endswith(WRITTEN)]


def _head(path: Path) -> dict[str, Any]:
    """Return what a portfolio says before its models; nothing where it cannot be read, which its reader tells."""
    try:
        text = read_bytes(path).decode("utf-8").partition("\n[[models]]")[0]
        check_keys(text, path)
        return tomli.loads(text)
    except (ConfigError, UnicodeDecodeError, tomli.TOMLDecodeError):
        return {}


def _texts(head: Mapping[str, Any], key: str) -> list[str]:
    values = head.get(key, ())
    return [text for text in values if isinstance(text, str)] if isinstance(values, list) else []

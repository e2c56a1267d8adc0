"""A model from a file that is no transformers config: what a plugin's reader makes of it, counted as a config."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from flopsheet.accounting.workload import MAX_POSITIONS, WORKLOAD
from flopsheet.configs.adapted import adapt
from flopsheet.configs.files import MAX_BYTES
from flopsheet.configs.foreign_files import what_it_is
from flopsheet.configs.model import Model, Published
from flopsheet.configs.readers import description_of, head_of, model_reader_of
from flopsheet.configs.reading import read_config
from flopsheet.errors import ConfigError
from livesheets.suggestions import names_like

if TYPE_CHECKING:
    from collections.abc import Callable

    from flopsheet.configs.readers import Description
    from flopsheet.host.host import Host

    Load = Callable[[str], Model]


def load_described(host: Host, path: Path, load: Load) -> Model | None:
    """Return the model of a file that a plugin recognizes, without a name; None where none does.

    A file that is known to be something else is a model in error that says what it is. `load` reads the base of an
    adapter.
    """
    reader = model_reader_of(host, path)
    if reader is None:
        sentence = what_it_is(path, head_of(path))
        return Model(name="", errors=(sentence,)) if sentence else None
    try:
        description = description_of(reader, path)
    except ConfigError as error:
        return Model(name="", errors=(str(error),))
    title = description.title or reader.title
    if not description.base:
        return _add_description(host, description, read_config(host, description.config), path, title)
    model = _of_base(description, path, load)
    if model.errors:
        reason = f"{path}: this is {title} of {description.base}, whose config is needed: {'; '.join(model.errors)}"
        return Model(name="", errors=(reason,))
    return adapt(host, _add_description(host, description, model, path, title), description.targets)


def _add_description(host: Host, description: Description, model: Model, path: Path, title: str) -> Model:
    """Return a model with what the file says beyond the fields of its config."""
    errors = model.errors or _unknown_dimensions(host, description, model)
    count, source = description.parameters, description.source or path.name
    notes = () if errors else (f"read from {title}", *description.notes)
    return replace(
        model,
        data=_data(path),
        given={**model.given, **description.given},
        stored=model.stored if count is None else Published(count, source=source),
        problems=(*model.problems, *description.problems),
        notes=(*model.notes, *notes),
        errors=tuple(f"{path}: read from {title}: {error}" for error in errors),
    )


def _unknown_dimensions(host: Host, description: Description, model: Model) -> tuple[str, ...]:
    """Return an error for each value that is given to a dimension which the model's architecture does not have."""
    dimensions = host.architecture(model.architecture).dimensions if description.given else ()
    names = {dimension.name for dimension in (*WORKLOAD, MAX_POSITIONS, *dimensions)}
    unknown = sorted(description.given.keys() - names) if description.given else []
    return tuple(f"its reader gave {name!r}: no such dimension{names_like(name, names)}" for name in unknown)


def _data(path: Path) -> bytes:
    """Return the bytes of a file as small as a config, whose hash tells it from others; nothing of a larger one."""
    return path.read_bytes() if path.stat().st_size <= MAX_BYTES else b""


def _of_base(description: Description, path: Path, load: Load) -> Model:
    """Return the model that an adapter changes: the config next to it, a folder that it names, or the cached one."""
    beside = path.parent / "config.json"
    local = Path(os.path.normpath(path.parent / description.base))
    result = next((file for file in (beside, local / "config.json", local) if file.is_file()), None)
    return replace(load(str(result) if result else description.base), stored=None, stored_bytes=0)  # it has no adapter

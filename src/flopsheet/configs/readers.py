"""Files of other programs, as plugins read them: portfolios in other languages, and descriptions of one model."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from flopsheet.configs.plain import check_plain
from flopsheet.errors import ConfigError, FlopsheetError, PluginError, PortfolioError
from flopsheet.host.shelter import shelter
from flopsheet.host.typed_records import record

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from flopsheet.host.candidate import Plugin
    from flopsheet.host.host import Host

OWN = (".toml", ".json")
"""Suffixes of portfolios and configs, which flopsheet reads itself."""
SUFFIX = re.compile(r"\.[a-z0-9_]+", re.ASCII)
HEAD = 2**18
"""Bytes of a file from which a reader of models recognizes it."""


@dataclass(frozen=True, kw_only=True)
class Reader:
    """A language of portfolios: the suffix of its files, such as `.yaml`, what people call it, and what reads one.

    `read` gets the content of a file and returns what a TOML portfolio of the same meaning holds.
    """

    suffix: str
    title: str
    read: Callable[[bytes], Mapping[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Description:
    """One model as a file of another program describes it.

    `title` is what a note calls the format, where its reader has several. `config` holds the fields of a
    transformers config of a type that some plugin reads; `base` names the model that an adapter changes instead, by
    a path or as `org/name`. `given` are dimension values that no field says, of an adapter its ranks; `targets`
    name the modules that these are for, none for all linear layers. `parameters` is what the file stores, where it
    lists its tensors, and `source` what a message calls that list. `problems` say what of the file is not
    understood, which makes the count approximate.
    """

    title: str = ""
    config: Mapping[str, Any] = field(default_factory=dict)
    base: str = ""
    given: Mapping[str, Any] = field(default_factory=dict)
    targets: tuple[str, ...] = ()
    parameters: int | None = None
    source: str = ""
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ModelReader(Reader):
    """A file format that describes one model: what people call it, how a file is recognized, and what reads one.

    `recognizes` gets the path of a file and its first 256 KiB; `read` gets the path and returns a `Description`, or
    raises FlopsheetError with what is wrong. `files` is a regular expression of the names of files that stand for a
    model in a folder without a config.json.
    """

    suffix: str = ""
    recognizes: Callable[[Path, bytes], bool]
    read: Callable[[Path], Description]  # type: ignore[assignment]  # of a path: a file may have hundreds of GB
    files: str = ""


def wrong_suffix(suffix: str) -> str:
    """Say why no file has a suffix as it is looked up, "" where one can."""
    return "" if SUFFIX.fullmatch(suffix) else "lowercase letters and digits behind a dot are expected, such as '.yaml'"


def portfolio_readers(host: Host) -> dict[str, Reader]:
    """Return what reads portfolios in other languages, by suffix."""
    return host.collect_named("flopsheet_readers", Reader, OWN, "suffix", _wrong)


def _wrong(reader: Reader) -> str:
    return "" if isinstance(reader, ModelReader) else wrong_suffix(reader.suffix)


def model_readers(host: Host) -> list[ModelReader]:
    """Return what reads descriptions of models, in the order of plugins."""
    return [reader for reader, _ in _owned_readers(host)]


def _owned_readers(host: Host) -> list[tuple[ModelReader, Plugin]]:
    answers = host.ask_all("flopsheet_readers", Reader)
    return [(reader, plugin) for plugin, readers in answers for reader in readers if isinstance(reader, ModelReader)]


def reader_of(host: Host, path: Path) -> Reader | None:
    """Return what reads a file as a portfolio; None where no plugin does."""
    suffix = path.suffix.lower()
    return None if suffix in OWN or not suffix else portfolio_readers(host).get(suffix)


def model_reader_of(host: Host, path: Path) -> ModelReader | None:
    """Return the first reader that recognizes a file as a description of a model; None where none does."""
    data = head_of(path)
    return next((reader for reader in model_readers(host) if data and is_recognized(host, reader, path, data)), None)


def head_of(path: Path) -> bytes:
    """Return how a file begins; nothing of one that cannot be read, or is no plain file."""
    try:
        if not path.is_file():
            return b""
        with path.open("rb") as file:
            return file.read(HEAD)
    except (OSError, ValueError):
        return b""


def is_recognized(host: Host, reader: ModelReader, path: Path, data: bytes = b"") -> bool:
    """Tell whether a reader recognizes a file, which begins with these bytes; one that fails does not, and is named."""
    data = data or head_of(path)
    try:
        return bool(shelter(lambda: reader.recognizes(path, data), f"the reader of {reader.title}"))
    except FlopsheetError as error:
        plugin = next(owner for each, owner in _owned_readers(host) if each is reader)
        host.fail(plugin, f"the reader of {reader.title} does not recognize {path}: {error}")
        return False


def description_of(reader: ModelReader, path: Path) -> Description:
    """Return what a file says of its model; ConfigError says why it cannot be read."""
    try:
        result = shelter(lambda: reader.read(path), f"the reader of {reader.title}")
    except FlopsheetError as error:
        raise ConfigError(f"{path}: {error}") from None
    if not isinstance(result, Description):
        raise ConfigError(f"{path}: the reader of {reader.title} gave {type(result).__name__}; expected a Description")
    try:
        described: Description = record(Description, result, "Description")
    except PluginError as error:
        raise ConfigError(f"{path}: the reader of {reader.title}: {error}") from None
    return described


def document_of(reader: Reader, data: bytes, path: Path) -> dict[str, Any]:
    """Return what a portfolio of a plugin's language says; PortfolioError says why it cannot be read."""
    try:
        result = shelter(lambda: reader.read(data), f"the reader of {reader.title}")
    except PluginError as error:
        raise PortfolioError(f"{path}: cannot be read as {reader.title}: {error}") from None
    if not isinstance(result, Mapping):
        raise PortfolioError(f"{path}: not a table of names and values, as a portfolio is")
    try:
        check_plain(result)
    except ConfigError as error:
        raise PortfolioError(f"{path}: {reader.title}: {error}") from None
    return dict(result)

"""Portfolios in other languages than TOML, as plugins read them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flopsheet.errors import PluginError, PortfolioError
from flopsheet.host.shelter import sheltered

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from flopsheet.host.host import Host

OWN = (".toml", ".json")
"""Suffixes of portfolios and configs, which flopsheet reads itself."""


@dataclass(frozen=True, kw_only=True)
class Reader:
    """A language of portfolios: the suffix of its files, such as `.yaml`, what people call it, and what reads one.

    `read` gets the content of a file and returns what a TOML portfolio of the same meaning holds.
    """

    suffix: str
    title: str
    read: Callable[[bytes], Mapping[str, Any]]


def reader_of(host: Host, path: Path) -> Reader | None:
    """Return what reads a file as a portfolio; None where no plugin does."""
    suffix = path.suffix.lower()
    return None if suffix in OWN or not suffix else host.named("flopsheet_readers", Reader, OWN, "suffix").get(suffix)


def document_of(reader: Reader, data: bytes, path: Path) -> dict[str, Any]:
    """Return what a portfolio of a plugin's language says; PortfolioError says why it cannot be read."""
    try:
        found = sheltered(lambda: reader.read(data), f"the reader of {reader.title}")
    except PluginError as error:
        raise PortfolioError(f"{path}: cannot be read as {reader.title}: {error}") from None
    if not isinstance(found, Mapping):
        raise PortfolioError(f"{path}: not a table of names and values, as a portfolio is")
    return dict(found)

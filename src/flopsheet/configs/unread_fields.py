"""Configs of a batch that are not read yet, and the archives that some lie in by the ends of their names."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from flopsheet.configs.files import sha256
from flopsheet.configs.source import load_bytes, load_model
from flopsheet.configs.weights import files_beside

if TYPE_CHECKING:
    from flopsheet.configs.model import Model
    from flopsheet.configs.weights import Beside
    from flopsheet.host.host import Host

TARS = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
"""How the names of tar archives end."""
ZIP = ".zip"


class Config(NamedTuple):
    """A config that is not read yet: its path, and its bytes and what is beside it where it lies in an archive."""

    source: str
    data: bytes | None = None
    beside: Beside | None = None

    def load(self, host: Host, name: str = "") -> Model:
        """Return the model of the config under a name, or its own."""
        if self.data is None:
            return load_model(host, self.source, name=name)
        return load_bytes(host, self.data, self.source, name, self.beside)

    def digest(self) -> str:
        """Return the hash of the config, with what the files next to it say; "" where the config cannot be read."""
        try:
            data = Path(self.source).read_bytes() if self.data is None else self.data
        except (OSError, ValueError):
            return ""
        beside = files_beside(self.source) if self.data is None else self.beside
        return sha256(data if beside is None else data + repr(beside).encode())

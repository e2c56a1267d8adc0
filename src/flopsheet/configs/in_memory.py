"""What is held in memory of a batch: configs from archives and stdin, and models that are read already."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from flopsheet.configs.files import sha256
from flopsheet.configs.inputs import path_of
from flopsheet.configs.source import name_of
from flopsheet.configs.unread_fields import Config

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from flopsheet.configs.archives import Archive
    from flopsheet.configs.model import Model
    from flopsheet.host.host import Host


class ReadModel(NamedTuple):
    """A model that was read with the portfolio or list that holds it."""

    model: Model

    def load(self, _: Host, name: str = "") -> Model:
        """Return the model, under another name if one is given."""
        return replace(self.model, name=name) if name else self.model

    def digest(self) -> str:
        """Return what tells the model from another one."""
        return sha256(repr(self.model).encode())


class ArchiveConfigs(Struct, frozen=True):
    """The configs of an archive."""

    archive: Archive

    def list_names(self) -> Iterator[tuple[str, str]]:
        """Give each model's name and its path with the archive before it."""
        return ((name_of(f"/{member}"), self.archive.source(member)) for member in self.archive.members())

    def contents(self) -> Iterator[Config]:
        """Give each config with its bytes and what is beside it."""
        return (Config(self.archive.source(member), data, beside) for member, data, beside in self.archive.read())

    def files(self) -> Iterable[str]:
        """Return the archive."""
        return (str(self.archive.path),)


class Stdin(Struct, frozen=True):
    """A config that was read from stdin."""

    data: bytes

    def list_names(self) -> Iterator[tuple[str, str]]:
        """Give its name, and no path."""
        yield "stdin", ""

    def contents(self) -> Iterator[Config]:
        """Give the config."""
        yield Config("stdin", self.data)

    def files(self) -> Iterable[str]:
        """Return nothing: it has no file."""
        return ()


class Models(Struct, frozen=True):
    """Models that are read already."""

    models: list[Model] = field(default_factory=list)

    def list_names(self) -> Iterator[tuple[str, str]]:
        """Give each model's name and path."""
        return ((model.name, path_of(model)) for model in self.models)

    def contents(self) -> Iterator[ReadModel]:
        """Give each model."""
        return map(ReadModel, self.models)

    def files(self) -> Iterable[str]:
        """Return the files of models and lists."""
        return dict.fromkeys(model.source for model in self.models if model.source)

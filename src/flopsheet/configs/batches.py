"""Large batches: what inputs name as pieces of some models each, read where they are counted, here or elsewhere."""

from __future__ import annotations

import os
import sys
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from msgspec import Struct, field

from flopsheet.configs.files import MAX_BYTES
from flopsheet.configs.inputs import STDIN, expand, has_reader, is_list, names_of, read_input, require_any
from flopsheet.configs.source import name_of
from flopsheet.configs.unread_fields import TARS, ZIP, Config

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from flopsheet.configs.in_memory import Models, ReadModel
    from flopsheet.configs.model import Model
    from flopsheet.configs.model_list import SheetRow
    from flopsheet.configs.parquet import TableRow
    from flopsheet.configs.portfolio import KnownInputs, Portfolio
    from flopsheet.host.host import Host

    Content = Config | ReadModel | TableRow | SheetRow


S = TypeVar("S", "Files", "Models")
CONFIG = ".json"
SIZE = 500
"""Models of a piece."""


class Piece(Struct, frozen=True):
    """Some models of a batch with the names that they have in it."""

    names: tuple[str, ...]
    contents: tuple[Content, ...]

    def models(self, host: Host) -> list[Model]:
        """Return the models, with the hashes of their files in place of the files' bytes."""
        models = [content.load(host, name) for name, content in zip(self.names, self.contents, strict=True)]
        return [model.without_bytes() for model in models] if len(models) > 1 else models


class Source(Protocol):
    """What some inputs name: the name and the path of each model, and the models to be read."""

    def list_names(self) -> Iterator[tuple[str, str]]:
        """Give each model's own name, and its path where it has a file of its own."""

    def contents(self) -> Iterator[Content]:
        """Give each model in the same order."""

    def files(self) -> Iterable[str]:
        """Return the files that are read."""


class Files(Struct, frozen=True):
    """Config files by path."""

    paths: list[str] = field(default_factory=list)

    def list_names(self) -> Iterator[tuple[str, str]]:
        """Give each model's name and path."""
        return ((name_of(path), path) for path in self.paths)

    def contents(self) -> Iterator[Config]:
        """Give each config."""
        return map(Config, self.paths)

    def files(self) -> Iterable[str]:
        """Return the configs."""
        return self.paths


class Batch(Struct, frozen=True):
    """The models of all inputs in order, none of them read before it is asked for, and the portfolios among them."""

    sources: tuple[Source, ...]
    names: Sequence[str]
    portfolios: tuple[Portfolio, ...] = ()
    own: frozenset[str] = frozenset()

    def __len__(self) -> int:
        """Return how many models there are."""
        return len(self.names)

    def files(self) -> Iterator[str]:
        """Give every file that is read."""
        yield from (str(portfolio.path) for portfolio in self.portfolios)
        for source in self.sources:
            yield from source.files()

    def models(self, host: Host) -> list[Model]:
        """Return all models: what a small batch is."""
        return [model for piece in self.pieces() for model in piece.models(host)]

    @property
    def is_large(self) -> bool:
        """Whether there are more models than one piece holds."""
        return len(self) > SIZE

    def pieces(self) -> Iterator[Piece]:
        """Give the models in pieces."""
        names = iter(self.names)
        contents = (content for source in self.sources for content in source.contents())
        while some := tuple(_together(contents)):
            yield Piece(tuple(islice(names, len(some))), some)


def _together(contents: Iterator[Content]) -> Iterator[Content]:
    """Give the models of a piece: so many, or as many as hold so many bytes."""
    size = 0
    for model in islice(contents, SIZE):
        yield model
        size += len(model.data or b"") if isinstance(model, Config) else 0
        if size > MAX_BYTES:
            return


def open_batch(
    host: Host, inputs: Sequence[str], *, decimal_comma: bool = False, check_inputs: KnownInputs | None = None
) -> Batch:
    """Return the batch of some inputs; errors are those of `read_inputs`, and ConfigError of an archive.

    Portfolios and model lists are read; config files and archives only listed.
    """
    require_any(inputs)
    sources: list[Source] = []
    portfolios: list[Portfolio] = []
    own: set[str] = set()
    for argument, text in ((each, path) for each in inputs for path in expand(each, host)):
        if os.path.splitext(text)[1] == CONFIG:  # noqa: PTH122 - a path for each of a million takes longer
            _last(sources, Files).paths.append(text)
            continue
        path = Path(text)
        if text == STDIN:
            from flopsheet.configs.in_memory import Stdin  # noqa: PLC0415 - most inputs are files

            sources.append(Stdin(sys.stdin.buffer.read(MAX_BYTES + 1)))
        elif is_archive(path):
            from flopsheet.configs.archives import Archive  # noqa: PLC0415 - few inputs are archives
            from flopsheet.configs.in_memory import ArchiveConfigs  # noqa: PLC0415 - same reason

            sources.append(ArchiveConfigs(Archive(path)))
        elif is_parquet(path):
            from flopsheet.configs.parquet import Table, partition_of, table_of  # noqa: PLC0415 - few inputs are tables

            table = Table(host, table_of(path), partition_of(argument, path))
            sources.append(table)
            own.update("tokens" for column in table.header.columns if column.says == "tokens")
        elif is_list(path) and not has_reader(host, path):
            from flopsheet.configs.model_list import open_list  # noqa: PLC0415 - most inputs are configs

            rows = open_list(host, path, decimal_comma=decimal_comma)
            sources.append(rows)
            own.update(["tokens"] if rows.states("tokens") else [])
        else:
            from flopsheet.configs.in_memory import Models  # noqa: PLC0415 - most inputs are configs

            models, portfolio = read_input(host, path, decimal_comma=decimal_comma, check_inputs=check_inputs)
            _last(sources, Models).models.extend(model.without_bytes() for model in models)
            portfolios += [portfolio] if portfolio else []
            own.update(name for model in models for name in model.drivers)
    return Batch(tuple(sources), names_of(_Named(sources)), tuple(portfolios), frozenset(own))


def is_archive(path: Path) -> bool:
    """Return whether a path names an archive."""
    return path.name.lower().endswith((*TARS, ZIP))


def is_parquet(path: Path) -> bool:
    """Return whether a path names a Parquet file, perhaps with its rows behind a `#`."""
    return path.name.partition("#")[0].lower().endswith(".parquet")


def _last(sources: list[Source], kind: type[S]) -> S:
    """Return the last of some sources where it is of a kind, else a new one behind them."""
    if not (sources and isinstance(sources[-1], kind)):
        sources.append(kind())
    result = sources[-1]
    assert isinstance(result, kind)  # noqa: S101 - for mypy: it was just made so
    return result


class _Named:
    """Name and path of each model of some sources; each time that this is gone through, they are listed again."""

    def __init__(self, sources: Iterable[Source]) -> None:
        self.sources = sources

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return (pair for source in self.sources for pair in source.list_names())

"""What an interrupted run finished: each part has a key of its configs and of everything that it was made with."""

from __future__ import annotations

import json
from collections import deque
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from flopsheet.export.batch.work import Opened, run_of, versions
from flopsheet.planning.fingerprints import of_all, of_ledger, of_program
from flopsheet.planning.workers import in_order

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from flopsheet.configs.batches import Piece
    from flopsheet.export.batch.parts import Shelf
    from flopsheet.planning.workers import Workers

PARTS = ".parts"
"""What is behind the name of an output for the folder of its parts."""


def stamp_of(job: Opened) -> str:
    """Return what all parts of a run have in common: versions, every formula, the plan's inputs, and the folder."""
    plan, request = job.plan, job.request
    formulas = {name: of_all(of_ledger(ledger)) for name, ledger in plan.host.every_ledger().items()}
    lines = {name: of_all(lines) for name, lines in of_program(plan.program).items()}
    settings = [request.suffixes, request.settings, request.inputs, request.name, request.scenario, request.errors]
    files = [portfolio.sha256 for portfolio in request.portfolios]
    inputs = {driver.name: driver.cases for driver in plan.drivers}
    everything = [versions(plan.host), formulas, lines, settings, files, inputs, str(Path.cwd())]
    return sha256(json.dumps(everything, default=str, sort_keys=True).encode()).hexdigest()


def key_of(stamp: str, piece: Piece) -> str:
    """Return the key of a piece: of the names and hashes of its configs, and of the run's stamp."""
    pairs = zip(piece.names, piece.contents, strict=True)
    models = [[name, str(content[0])[:1000], content.digest()] for name, content in pairs]
    return sha256(json.dumps([stamp, models]).encode()).hexdigest()


def summaries(job: Opened, pieces: Iterable[Piece], shelf: Shelf, workers: Workers) -> Iterator[Mapping[str, Any]]:
    """Give the summary of each part in order: of those that an earlier run finished, and of those that are made now."""
    stamp = stamp_of(job) if shelf.folder else ""
    order: deque[tuple[str, bool]] = deque()

    def find_unfinished() -> Iterator[Piece]:
        for piece in pieces:
            key = key_of(stamp, piece) if stamp else ""
            order.append((key, shelf.has(key)))
            if not order[-1][1]:
                yield piece

    def read_finished() -> Iterator[Mapping[str, Any]]:
        while order and order[0][1]:
            yield shelf.take(order.popleft()[0])

    for data in in_order(run_of(job.request), job, find_unfinished(), workers):
        yield from read_finished()
        yield shelf.add(data, order.popleft()[0])
        yield from read_finished()
    yield from read_finished()

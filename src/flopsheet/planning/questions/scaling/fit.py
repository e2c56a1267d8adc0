"""Your own scaling law: constants fitted to runs of parameters, tokens and loss, as Hoffmann et al. fit theirs."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from flopsheet.errors import UsageError
from flopsheet.planning.own_rows import csv_rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

HEADERS = {
    "parameters": ("parameters", "n", "params", "n_params", "model_size"),
    "tokens": ("tokens", "d", "n_tokens", "training_tokens"),
    "loss": ("loss", "final_loss", "validation_loss", "val_loss", "l"),
}
"""Headers that a column may have, in lower case."""
MIN_RUNS = 6
"""One run more than there are constants."""
DELTA = 1e-3
"""Where the Huber loss turns from square to straight: section D.2 of Hoffmann et al. 2203.15556."""
STARTS = tuple(product((2.0, 8.0), (2.0, 8.0), (-1.0, 0.5), (0.2, 0.6), (0.2, 0.6)))
"""Where the search begins: ln A, ln B, ln E, alpha and beta."""
CONSTANTS = ("own_law_a", "own_law_b", "own_law_e", "own_alpha", "own_beta")


class TrainingRun(NamedTuple):
    """A finished run."""

    parameters: float
    tokens: float
    loss: float


class Fit(Struct, frozen=True):
    """Constants by the name of their input, their standard errors, and how far the runs are from the law."""

    values: Mapping[str, float]
    errors: Mapping[str, float]
    off: float
    runs: int


def read_runs(path: Path) -> list[TrainingRun]:
    """Return the runs of a csv file; UsageError names the column or the cell that is wrong."""
    rows = csv_rows(path)
    headers = {(header or "").strip().casefold().replace(" ", "_"): header for header in (rows[0] if rows else ())}
    columns = {
        name: next((headers[spelling] for spelling in spellings if spelling in headers), None)
        for name, spellings in HEADERS.items()
    }
    missing = [f"{name} (or {', '.join(HEADERS[name][1:])})" for name, column in columns.items() if column is None]
    if missing:
        raise UsageError(f"{path}: no column for {' and '.join(missing)}; expected a header row, then one run per row")
    runs = [
        TrainingRun(*(_number(path, place, row, columns[name]) for name in HEADERS))
        for place, row in enumerate(rows, 2)
    ]
    if len(runs) < MIN_RUNS or min(len({run[0] for run in runs}), len({run[1] for run in runs})) < 3:  # noqa: PLR2004 - two make a line
        raise UsageError(
            f"{path}: {len(runs)} usable rows; at least {MIN_RUNS} with 3 sizes and 3 token counts are needed"
        )
    return runs


def _number(path: Path, place: int, row: Mapping[str, str], column: str | None) -> float:
    text = row[column or ""] or ""
    try:
        number = float(text)
    except ValueError:
        number = 0
    if not 0 < number < float("inf"):
        raise UsageError(f"{path}, line {place}: {column} = {text!r}; a number above 0 is expected, such as 7e9")
    return number


def fit(runs: Sequence[TrainingRun]) -> Fit:
    """Return the law loss = E + A / N^alpha + B / D^beta that is nearest to the runs in the logarithm of the loss.

    Hoffmann et al. 2203.15556, section 3.3: the least Huber loss from many starts. Standard errors are those of least
    squares at the solution.
    """
    import numpy as np  # noqa: PLC0415 - only this command needs it
    from scipy.optimize import least_squares  # noqa: PLC0415 - same reason

    parameters, tokens, loss = (np.log(np.array(column)) for column in zip(*runs, strict=True))

    def off(x: Array) -> Array:
        terms = (x[0] - x[3] * parameters, x[1] - x[4] * tokens, np.full_like(loss, x[2]))
        return np.asarray(np.logaddexp.reduce(terms) - loss)

    results = [least_squares(off, start, loss="huber", f_scale=DELTA, x_scale="jac") for start in STARTS]
    best = min(results, key=lambda result: float(result.cost))
    scales = np.array([*np.exp(best.x[:3]), 1, 1])
    variance = 2 * float(best.cost) / max(len(runs) - len(CONSTANTS), 1)
    errors = np.sqrt(np.diag(np.linalg.pinv(best.jac.T @ best.jac)) * variance) * scales
    values = np.array([*np.exp(best.x[:3]), *best.x[3:]])
    return Fit(
        dict(zip(CONSTANTS, map(float, values), strict=True)),
        dict(zip(CONSTANTS, map(float, errors), strict=True)),
        float(np.sqrt(np.mean(off(best.x) ** 2))),
        len(runs),
    )

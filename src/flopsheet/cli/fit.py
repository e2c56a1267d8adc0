"""`flopsheet fit`: constants of your own scaling law, from a csv file of runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from flopsheet.cli.common import exit_on_error
from flopsheet.errors import UsageError

if TYPE_CHECKING:
    from flopsheet.planning.questions.scaling.fit import Fit


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@exit_on_error
def fit(file: Path) -> None:
    """Fit a scaling law to your runs, and print it as inputs of a portfolio (extra: flopsheet[fit]).

    FILE is a CSV file with a header row: parameters (or N), tokens (or D) and loss, one finished run per row. The law
    is loss = E + A / N^alpha + B / D^beta.
    """
    from flopsheet.planning.questions.scaling.fit import fit as fitted  # noqa: PLC0415 - the help needs none of it
    from flopsheet.planning.questions.scaling.fit import read_runs  # noqa: PLC0415 - same reason

    runs = read_runs(file)
    try:
        found = fitted(runs)
    except ImportError as error:
        raise UsageError(f"fit needs scipy: pip install 'flopsheet[fit]' ({error})") from None
    largest = max(run.parameters for run in runs), max(run.tokens for run in runs)
    click.echo(_inputs(file, found, *largest), nl=False)


def _inputs(file: Path, found: Fit, parameters: float, tokens: float) -> str:
    lines = [
        "[inputs]",
        f"# loss = E + A / N^alpha + B / D^beta, fitted to {found.runs} runs of {file.name}",
        f"# typical error of a predicted loss: {found.off:.2%}; each constant is followed by its standard error",
        'scaling_law = "own"',
        *(f"{name} = {value!r}  # ± {found.errors[name]:.2g}" for name, value in found.values.items()),
        f"own_max_parameters = {parameters!r}",
        f"own_max_tokens = {tokens!r}",
    ]
    return "\n".join(lines) + "\n"

"""`flopsheet fit`: constants of your own scaling law, from a csv file of runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from flopsheet.cli.common import Form, exit_on_error, form_options
from flopsheet.errors import UsageError

if TYPE_CHECKING:
    from flopsheet.planning.questions.scaling.fit import Fit


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@form_options()
@exit_on_error
def fit(file: Path, form: Form) -> None:
    """Fit a scaling law to your runs, and print it as inputs of a portfolio (extra: flopsheet[fit]).

    FILE is a CSV file with a header row: parameters (or N), tokens (or D) and loss, one finished run per row. The law
    is loss = E + A / N^alpha + B / D^beta.
    """
    from flopsheet.planning.questions.scaling.fit import fit as fitted  # noqa: PLC0415 - the help needs none of it
    from flopsheet.planning.questions.scaling.fit import read_runs  # noqa: PLC0415 - same reason

    runs = read_runs(file)
    try:
        result = fitted(runs)
    except ImportError as error:
        raise UsageError(f"fit needs scipy: pip install 'flopsheet[fit]' ({error})") from None
    largest = max(run.parameters for run in runs), max(run.tokens for run in runs)
    click.echo(form(_document(result, *largest), lambda: _inputs(file, result, *largest)))


def _document(result: Fit, parameters: float, tokens: float) -> dict[str, Any]:
    bounds = {"own_max_parameters": parameters, "own_max_tokens": tokens}
    inputs = {"scaling_law": "own", **result.values, **bounds}
    return {"inputs": inputs, "standard_errors": dict(result.errors), "typical_error": result.off, "runs": result.runs}


def _inputs(file: Path, result: Fit, parameters: float, tokens: float) -> str:
    lines = [
        "[inputs]",
        f"# loss = E + A / N^alpha + B / D^beta, fitted to {result.runs} runs of {file.name}",
        f"# typical error of a predicted loss: {result.off:.2%}; each constant is followed by its standard error",
        'scaling_law = "own"',
        *(f"{name} = {value!r}  # ± {result.errors[name]:.2g}" for name, value in result.values.items()),
        f"own_max_parameters = {parameters!r}",
        f"own_max_tokens = {tokens!r}",
    ]
    return "\n".join(lines)

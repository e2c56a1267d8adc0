"""`flopsheet calibrate`: efficiencies of your own training stack, from a csv file of timed steps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from flopsheet.cli.common import exit_on_error
from flopsheet.cli.forms import Form, form_options
from flopsheet.errors import UsageError


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@form_options()
@exit_on_error
def calibrate(file: Path, form: Form) -> None:
    """Fit the step time to your own steps, and print it as inputs of a portfolio (extra: flopsheet[fit]).

    FILE is a CSV file with a header row: config, the path of a model's config from the file's folder; seconds, of one
    optimizer step; and inputs by their names, such as accelerator, accelerators, tensor_parallel, micro_batch,
    global_batch, seq_len and precision. What it prints is a stack of your own: paste it into a portfolio.
    """
    from flopsheet.planning.calibration_log import as_inputs, calibrated, read_log  # noqa: PLC0415 - the help needs none

    steps = read_log(file)
    try:
        found = calibrated(steps)
    except ImportError as error:
        raise UsageError(f"calibrate needs scipy: pip install 'flopsheet[fit]' ({error})") from None
    before, after = found.off
    document: dict[str, Any] = {
        "inputs": {"stack": "own", **found.values},
        "undetermined": list(found.undetermined),
        "steps": [{"seconds": timed, "before": was, "after": now} for timed, was, now in found.steps],
        "median_error": {"before": before, "after": after},
    }
    click.echo(form(document, lambda: "\n".join(as_inputs(file.name, found))))

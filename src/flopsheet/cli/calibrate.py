"""`flopsheet calibrate`: efficiencies of your own stack, from timed training steps or from a load test of a server."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from flopsheet.cli.common import Form, exit_on_error, form_options, input_option, planning_inputs
from flopsheet.errors import UsageError
from flopsheet.host.loading import load

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet.planning.calibration_fit import TimedStep
    from flopsheet.planning.calibration_log import Calibration


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--config", type=click.Path(path_type=Path), help="The model of a load test, which its file does not say."
)
@input_option
@form_options()
@exit_on_error
def calibrate(file: Path, config: Path | None, given: Sequence[tuple[str, Any]], form: Form) -> None:
    """Fit step times or latencies to your own runs, and print them as inputs of a portfolio (extra: flopsheet[fit]).

    FILE is a CSV file of training steps with a header row: config, the path of a model's config from the file's folder;
    seconds, of one optimizer step; and inputs by their names, such as accelerator, accelerators, tensor_parallel,
    micro_batch, global_batch, seq_len and precision. What it prints is a stack of your own.

    Or FILE is what AIPerf, vLLM or GuideLLM write of a load test (JSON). --config names the model, and --input says
    what served it: accelerator, serving_tensor_parallel, weight_precision. Efficiencies of serving are printed.
    """
    from flopsheet.planning.calibration_log import as_inputs  # noqa: PLC0415 - the help needs none

    steps, names, what = _read(file, config, dict(given))
    result = _fit(steps, names)
    before, after = result.off
    document: dict[str, Any] = {
        "inputs": {**what, **result.values},
        "undetermined": list(result.without_effect),
        "steps": [{"seconds": seconds, "before": was, "after": now} for seconds, was, now in result.steps],
        "median_error": {"before": before, "after": after},
    }
    click.echo(form(document, lambda: "\n".join(as_inputs(file.name, result, what))))


def _read(
    file: Path, config: Path | None, inputs: Mapping[str, Any]
) -> tuple[list[TimedStep], Sequence[str], dict[str, str]]:
    """Return what was timed, the efficiencies to be found, and what else a portfolio says of them."""
    from flopsheet.planning import calibration_benchmarks, calibration_log  # noqa: PLC0415 - the help needs neither

    if file.suffix.lower() != ".json":
        if config or inputs:
            raise UsageError("--config and --input are for load tests; in a log of steps they are columns")
        return calibration_log.read_log(file), calibration_log.EFFICIENCIES, {"stack": calibration_log.OWN}
    if config is None:
        raise UsageError(f"{file}: name the model that was served, such as --config config.json")
    planning, workload = planning_inputs(load(), inputs)
    setup = {**planning, **workload, "model": config}
    return calibration_benchmarks.read_benchmark(file, setup), calibration_benchmarks.EFFICIENCIES, {}


def _fit(steps: Sequence[TimedStep], names: Sequence[str]) -> Calibration:
    from flopsheet.planning.calibration_log import calibrate  # noqa: PLC0415 - the help needs none

    try:
        return calibrate(steps, names)
    except ImportError as error:
        raise UsageError(f"calibrate needs scipy: pip install 'flopsheet[fit]' ({error})") from None

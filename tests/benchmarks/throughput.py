"""How many models a second: `make bench`, or `python tests/benchmarks/throughput.py [MODELS]`.

The example configs, repeated, are costed from files and from dictionaries in memory, and reported to a workbook and
TOML. Where torch and transformers are installed, the same configs are built on the meta device in the same run.
"""

import importlib.util
import json
import shutil
import sys
import tempfile
import time
from pathlib import Path

from click.testing import CliRunner

import flopsheet
from flopsheet.cli import main as flopsheet_command

ROOT = Path(__file__).resolve().parent.parent.parent
CONFIGS = sorted((ROOT / "examples" / "configs").glob("*/config.json"))


def good():
    """Return the example configs that are counted exactly."""
    return [path for path in CONFIGS if flopsheet.evaluate(path).status == "ok"]


def rate(title, count, step):
    """Run a step and print how many models a second it takes."""
    start = time.perf_counter()
    step()
    taken = time.perf_counter() - start
    print(f"{title:38} {count / taken:10,.0f} models/s   ({count:,} in {taken:.2f} s)")
    return count / taken


def report(paths, folder):
    """Write the configs as folders, and a workbook and a TOML report of them all."""
    for number, path in enumerate(paths):
        place = folder / "models" / f"m{number:05}"
        place.mkdir(parents=True)
        shutil.copy(path, place)
    outputs = [str(folder / name) for name in ("plan.xlsx", "plan.toml")]
    arguments = ["report", str(folder / "models"), "-o", outputs[0], "-o", outputs[1]]
    rate(
        "workbook and TOML report",
        len(paths),
        lambda: CliRunner().invoke(flopsheet_command, arguments, catch_exceptions=False),
    )


def meta(paths):
    """Build the class of each config on the meta device, as transformers does."""
    import torch  # noqa: PLC0415 - measured where it is installed
    import transformers  # noqa: PLC0415 - as above

    for path in paths:
        config = transformers.AutoConfig.from_pretrained(str(path.parent))
        with torch.device("meta"):
            model = getattr(transformers, config.architectures[0])(config)
        sum(parameter.numel() for parameter in model.parameters())


def main():
    """Measure and print."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    exact = good()
    paths = [exact[number % len(exact)] for number in range(count)]
    contents = [json.loads(path.read_text("utf-8")) for path in paths]
    files = rate("from files", count, lambda: [flopsheet.evaluate(path).totals for path in paths])
    rate("from dictionaries", count, lambda: [flopsheet.evaluate(content).totals for content in contents])
    with tempfile.TemporaryDirectory() as folder:
        report(paths, Path(folder))
    if all(importlib.util.find_spec(name) for name in ("torch", "transformers")):
        one_each = exact[:6]
        meta(one_each[:1])
        built = rate("transformers on the meta device", len(one_each), lambda: meta(one_each))
        print(f"flopsheet costs {files / built:,.0f} models in the time of one build")
    else:
        print("transformers on the meta device: not measured, torch and transformers are not installed")


if __name__ == "__main__":
    main()

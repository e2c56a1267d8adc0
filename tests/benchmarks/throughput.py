"""How many models a second: `make bench`, or `python tests/benchmarks/throughput.py [MODELS]`.

The example configs, repeated, are costed from files and from dictionaries in memory, and reported to csv, and to a
workbook and TOML. CPU seconds of a report are compared with those of parsing the same models' JSON from their files
(`json.load`), and with those of `json.loads` alone, of texts in memory. Where torch and transformers are installed, the
same configs are built on the meta device in the same run.
"""

import importlib.util
import json
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from click.testing import CliRunner

import flopsheet
from flopsheet.cli import main as flopsheet_command

ROOT = Path(__file__).resolve().parent.parent.parent
CONFIGS = sorted((ROOT / "examples" / "configs").glob("*/config.json"))

RUNS = 3
MOST = {("plan.csv",): 12, ("plan.xlsx", "plan.toml"): 60}
"""How many times the CPU of parsing the models' JSON a report may take."""


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


def parse(path):
    """Return a config as json.load reads it from its file."""
    with path.open(encoding="utf-8") as file:
        return json.load(file)


def cpu(step):
    """Return the CPU seconds of the best of some runs of a step."""
    taken = []
    for _ in range(RUNS):
        start = time.process_time()
        step()
        taken.append(time.process_time() - start)
    return min(taken)


def reports(contents, folder):
    """Write the configs as folders, each with a vocabulary of its own, and reports of them; tell if all held."""
    for number, content in enumerate(contents):
        place = folder / "models" / f"m{number:05}"
        place.mkdir(parents=True)
        (place / "config.json").write_text(json.dumps(content | {"vocab_size": content["vocab_size"] + number}))
    files = sorted((folder / "models").glob("*/config.json"))
    texts = [path.read_bytes() for path in files]
    parsed = cpu(lambda: [parse(path) for path in files])
    loaded = cpu(lambda: [json.loads(text) for text in texts])
    count = len(files)
    each = [f"{seconds / count * 1e6:.1f}" for seconds in (parsed, loaded)]
    print(f"parsing the JSON of a model: {each[0]} µs of CPU from its file, {each[1]} from memory")
    held = True
    for outputs, most in MOST.items():
        arguments = ["report", str(folder / "models"), *(f"-o{folder / name}" for name in outputs)]
        taken = cpu(partial(CliRunner().invoke, flopsheet_command, arguments, catch_exceptions=False))
        missed = taken > most * parsed
        held &= not missed
        print(f"report to {' and '.join(outputs)}: {taken / count * 1e6:,.0f} µs of CPU a model,", end=" ")
        print(f"{taken / parsed:.1f} times parsing the JSON ({taken / loaded:.0f} times json.loads alone);", end=" ")
        print(f"at most {most} is wanted{' - MISSED' if missed else ''}")
    return held


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
    """Measure, print, and return 1 if a target is missed."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    exact = good()
    paths = [exact[number % len(exact)] for number in range(count)]
    contents = [json.loads(path.read_text("utf-8")) for path in paths]
    files = rate("from files", count, lambda: [flopsheet.evaluate(path).totals for path in paths])
    rate("from dictionaries", count, lambda: [flopsheet.evaluate(content).totals for content in contents])
    with tempfile.TemporaryDirectory() as folder:
        held = reports(contents, Path(folder))
    if all(importlib.util.find_spec(name) for name in ("torch", "transformers")):
        one_each = exact[:6]
        meta(one_each[:1])
        built = rate("transformers on the meta device", len(one_each), lambda: meta(one_each))
        print(f"flopsheet costs {files / built:,.0f} models in the time of one build")
    else:
        print("transformers on the meta device: not measured, torch and transformers are not installed")
    return int(not held)


if __name__ == "__main__":
    sys.exit(main())

"""How long `flopsheet show` takes to start: `make bench`, or `python tests/benchmarks/cold_start.py [RUNS]`.

Three processes are started in turn, so that a busy moment hits all of them alike: an interpreter that does nothing, one
that imports click and pluggy and scans the entry points, and `flopsheet show` on one config. Medians of their CPU time,
user and system, are compared: on an idle machine that is how long one waits, and on a busy one it leaves out how long
a process waited for its turn. The ratios scatter less than half as much as those of the clock on the wall.
"""

import compileall
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
CONFIG = ROOT / "examples" / "configs" / "gpt2-xl" / "config.json"
BARE = "import click, pluggy; from importlib.metadata import entry_points; list(entry_points(group='flopsheet'))"
COMMANDS = {
    "pass": [sys.executable, "-c", "pass"],
    "bare": [sys.executable, "-c", BARE],
    "show": [str(Path(sys.executable).with_name("flopsheet")), "show", str(CONFIG)],
}
TARGETS = {"pass": 10.0, "bare": 1.5}
MANY, MOST_GROWTH = 300, 2.0
"""Distributions that are installed beside flopsheet, and how many bare interpreters a start may grow by for them."""
FEWEST = 15


def distributions(folder):
    """Write the metadata of as many distributions as somebody may have, every third with entry points."""
    for place in range(MANY):
        about = folder / f"somebodys_{place}-1.0.dist-info"
        about.mkdir()
        head = f"Metadata-Version: 2.4\nName: somebodys-{place}\nVersion: 1.0\n"
        (about / "METADATA").write_text(f"{head}\n{'A readme. ' * 500}\n", "utf-8")
        if place % 3 == 0:
            points = f"[console_scripts]\ntool{place} = somebodys_{place}:main\n"
            (about / "entry_points.txt").write_text(points, "utf-8")


def seconds(command, path=""):
    """Return how long a process computes from start to end, and how long that took by the clock on the wall."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    environment = os.environ | ({"PYTHONPATH": path} if path else {})
    subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, check=True)
    after, end = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, end - start


def main():
    """Measure, print the medians and both ratios, and return 1 if a target is missed."""
    runs = max(FEWEST, int(sys.argv[1]) if len(sys.argv) > 1 else 25)
    for part in ("src", "plugins"):
        compileall.compile_dir(ROOT / part, quiet=1)  # as pip does for an installed wheel
    for command in COMMANDS.values():
        seconds(command)  # once unmeasured, so that files are cached
    taken = {name: [] for name in (*COMMANDS, "many")}
    with tempfile.TemporaryDirectory() as folder:
        distributions(Path(folder))
        for _ in range(runs):
            for name, command in COMMANDS.items():
                taken[name].append(seconds(command))
            taken["many"].append(seconds(COMMANDS["show"], folder))
    median = {}
    for name, times in taken.items():
        computed, waited = zip(*times, strict=True)
        median[name] = statistics.median(computed)
        spread = f"best {min(computed) * 1000:.1f}; by the clock {statistics.median(waited) * 1000:.1f}"
        print(f"{name:5} {median[name] * 1000:7.1f} ms of CPU, median of {runs}; {spread}")
    missed = False
    for name, most in TARGETS.items():
        ratio = median["show"] / median[name]
        missed |= ratio > most
        print(f"show takes {ratio:.2f} times {name}; at most {most:g} is wanted{' - MISSED' if ratio > most else ''}")
    growth = (median["many"] - median["show"]) / median["pass"]
    late = growth > MOST_GROWTH
    text = f"with {MANY} distributions show grows by {growth:.2f} times pass; at most {MOST_GROWTH:g} is wanted"
    print(f"{text}{' - MISSED' if late else ''}")
    return int(missed or late)


if __name__ == "__main__":
    sys.exit(main())

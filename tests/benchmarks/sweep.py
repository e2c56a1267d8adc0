"""What sweeps cost: `make bench`, or `python tests/benchmarks/sweep.py [DESIGNS]`.

A grid of dense models with lines of training and cost, ten thousand to ten million designs, each in a process of its
own: CPU seconds, user and system, and the most memory; a hundred million are measured where they are asked for. The
targets are those of a million designs, and that ten times as many take at most twelve times the CPU beyond the start.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

DESIGN = """
[inputs]
accelerators = 1024
days = 60
[[models]]
name = "dense"
architecture = "dense"
[models.dimensions]
vocab_size = 128256
n_layers = 32
d_model = 4096
n_heads = 32
n_kv_heads = 8
[sweep]
where = ["training_days < days"]
minimize = "training_cost / parameters"
columns = ["parameters", "flops_training_step", "training_flops", "training_hours", "training_days", "training_energy"]
[sweep.axes]
n_layers = {{ from = 8, to = 207, points = {layers} }}
d_model = {{ from = 1024, to = 26496, points = 100, multiple = 128 }}
tokens = {{ from = 1e11, to = 2e13, points = {tokens}, spacing = "log" }}
"""
SIZES = {10_000: (10, 10), 100_000: (20, 50), 1_000_000: (100, 100), 10_000_000: (200, 500)}
FURTHER = {100_000_000: (200, 5000)}
"""Measured when it is asked for: it takes a minute or more."""
RUN = """
import resource, sys
from flopsheet.cli import main
try:
    main(["sweep", sys.argv[1], "--jobs", "1"])
except SystemExit as done:
    assert not done.code
used = resource.getrusage(resource.RUSAGE_SELF)
print(f"\\n{used.ru_utime + used.ru_stime} {used.ru_maxrss / 1024}", file=sys.stderr)
"""
MOST_SECONDS, MOST_MB, MOST_GROWTH = 10, 500, 12


def measured(designs):
    """Return CPU seconds and megabytes of one sweep."""
    layers, tokens = (SIZES | FURTHER)[designs]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "design.toml"
        file.write_text(DESIGN.format(layers=layers, tokens=tokens), "utf-8")
        done = subprocess.run([sys.executable, "-c", RUN, str(file)], capture_output=True, text=True, check=True)
    assert done.stdout.startswith(f"{designs:,} designs"), done.stdout
    seconds, memory = map(float, done.stderr.split()[-2:])
    return seconds, memory


def main():
    """Measure, print, and return 1 if a target is missed."""
    sizes = [int(sys.argv[1])] if len(sys.argv) > 1 else list(SIZES)
    result = {size: measured(size) for size in sizes}
    for size, (seconds, memory) in result.items():
        print(f"{size:>10,} designs: {seconds:6.2f} s of CPU, {memory:4.0f} MB")
    if len(sizes) == 1:
        return 0
    start = result[10_000][0]
    growth = (result[10_000_000][0] - start) / (result[1_000_000][0] - start)
    seconds, memory = result[1_000_000]
    held = seconds <= MOST_SECONDS and memory <= MOST_MB and growth <= MOST_GROWTH
    print(
        f"a million: at most {MOST_SECONDS} s and {MOST_MB} MB; ten times the designs take {growth:.1f} times the CPU"
    )
    print("held" if held else "MISSED")
    return int(not held)


if __name__ == "__main__":
    sys.exit(main())

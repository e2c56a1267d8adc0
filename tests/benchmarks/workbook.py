"""What a workbook of many models costs: `make bench`, or `python tests/benchmarks/workbook.py [MODELS]`.

The example configs, repeated, are written through the shipped template; then openpyxl's write-only mode, which neither
fills templates nor stores values beside formulas, writes the same cells. CPU seconds are compared, without those for
costing the models and for handing openpyxl its values. Memory is the peak of a process that does nothing else.
"""

import html
import re
import resource
import subprocess
import sys
import tempfile
import time
import zipfile
from dataclasses import replace
from pathlib import Path

import flopsheet
from flopsheet.configs.inputs import read_inputs
from flopsheet.export.workbook import write_workbook
from flopsheet.host.host import load
from flopsheet.planning.costing import cost_all
from flopsheet.planning.plan import make_plan

ROOT = Path(__file__).resolve().parent.parent.parent
CONFIGS = sorted((ROOT / "examples" / "configs").glob("*/config.json"))
MOST_CPU = 0.25
MOST_MEGABYTES = 150

CELL = re.compile(
    r'<c r="([A-Z]+)[0-9]+"[^>]*?(?:/>|>(?:<f[^>]*>(.*?)</f>)?(?:<v>(.*?)</v>)?(?:<is>(.*?)</is>)?</c>)', re.DOTALL
)


def plan_of(count):
    """Return a plan of so many models, from the example configs that are counted exactly."""
    host = load(())
    exact = [str(path) for path in CONFIGS if flopsheet.evaluate(path).status == "ok"]
    models, _ = read_inputs(host, exact)
    many = [replace(models[number % len(models)], name=f"model {number:05}") for number in range(count)]
    return make_plan(host, cost_all(host, many, {}), [], "Benchmark")


def value(formula, number, text):
    """Return what openpyxl is given for a cell."""
    if formula:
        return "=" + html.unescape(formula)
    return html.unescape(re.sub("<[^>]*>", "", text)) if text else float(number) if number else None


def sheets(path):
    """Give the rows of each sheet of a workbook, as lists of values."""
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            if name.startswith("xl/worksheets/sheet"):
                xml = archive.read(name).decode()
                rows = re.finditer("<row [^>]*>(.*?)</row>", xml, re.DOTALL)
                yield [[value(*found[1:]) for found in CELL.findall(row[1])] for row in rows]


def openpyxl_seconds(path, folder):
    """Return how many cells a workbook has, and the CPU seconds that openpyxl takes to write them."""
    from openpyxl import Workbook  # noqa: PLC0415 - not in the process whose memory is measured

    book = Workbook(write_only=True)
    taken, cells = 0.0, 0
    for rows in sheets(path):
        cells += sum(one is not None for row in rows for one in row)
        start = time.process_time()
        sheet = book.create_sheet()
        for row in rows:
            sheet.append(row)
        taken += time.process_time() - start
    start = time.process_time()
    book.save(folder / "openpyxl.xlsx")
    return cells, taken + time.process_time() - start


def megabytes():
    """Return the peak of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)


def fill(count, output):
    """Write a workbook and print its CPU seconds, and the peak of memory before and after."""
    plan = plan_of(count)
    before, start = megabytes(), time.process_time()
    write_workbook(plan, Path(output))
    print(time.process_time() - start, before, megabytes())


def main():
    """Measure, print, and return 1 if a target is missed."""
    if sys.argv[1:2] == ["--fill"]:
        return fill(int(sys.argv[2]), sys.argv[3])
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "plan.xlsx"
        command = [sys.executable, __file__, "--fill", str(count), str(output)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        ours, before, peak = map(float, done.stdout.split())
        cells, theirs = openpyxl_seconds(output, Path(folder))
    print(f"{count:,} models, {cells:,} cells: {ours:.1f} CPU s, openpyxl write-only {theirs:.1f} CPU s")
    ratio = ours / theirs
    print(f"ratio {ratio:.2f}; at most {MOST_CPU:g} is wanted{' - MISSED' if ratio > MOST_CPU else ''}")
    missed = peak > MOST_MEGABYTES
    print(f"peak {peak:.0f} MB, {before:.0f} MB of them for the models; at most {MOST_MEGABYTES} is wanted", end="")
    print(" - MISSED" if missed else "")
    return int(missed or ratio > MOST_CPU)


if __name__ == "__main__":
    sys.exit(main())

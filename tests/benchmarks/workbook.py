"""What a workbook of many models costs: `make bench`, or `python tests/benchmarks/workbook.py [MODELS]`.

The example configs, each with a vocabulary of its own, are read from files and written through the shipped template;
then openpyxl's write-only mode, which neither fills templates nor stores values beside formulas, writes the same cells.
CPU seconds are compared, without those for costing the models and for handing openpyxl its values. Both sides collect
garbage as often as the command does: flopsheet.cli, which is imported, sets that.

Filling is also compared with rustpy-xlsxwriter, where that is installed: a table of numbers and texts alone.

Memory is the peak of a process that does nothing else: of the whole report, and of filling a table whose rows are made
while they are written, however many there are.
"""

import html
import importlib.util
import json
import re
import resource
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

import flopsheet
import flopsheet.cli
from flopsheet.configs.inputs import read_inputs
from flopsheet.export.workbook import write_workbook
from flopsheet.host.loading import load
from flopsheet.planning.costing import cost_all
from flopsheet.planning.making import make_plan
from livesheets.engine import Fill, Rows, TableFill, fill

ROOT = Path(__file__).resolve().parent.parent.parent
CONFIGS = sorted((ROOT / "examples" / "configs").glob("*/config.json"))
MOST_CPU = 0.25
MOST_MEGABYTES = 150
ROWS, COLUMNS, CHARTS = 100_000, 40, 4
RUNS = 2
"""Each side is measured as often, and its best run counts. A process starts with the peak of the one that starts it, so
what measures memory comes first."""

CELL = re.compile(
    r'<c r="([A-Z]+)[0-9]+"[^>]*?(?:/>|>(?:<f[^>]*>(.*?)</f>)?(?:<v>(.*?)</v>)?(?:<is>(.*?)</is>)?</c>)', re.DOTALL
)


def write_configs(count, folder):
    """Write so many config files, from the examples that are counted exactly."""
    exact = [json.loads(path.read_bytes()) for path in CONFIGS if flopsheet.evaluate(path).status == "ok"]
    for number in range(count):
        config = exact[number % len(exact)]
        config["vocab_size"] += 1
        path = folder / f"model-{number:05}" / "config.json"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(config))


def plan_of(folder):
    """Return a plan of the config files in a folder."""
    host = load(())
    models, _ = read_inputs(host, [str(folder)])
    return make_plan(host, cost_all(host, models), [], "Benchmark")


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


def write_models(folder, output):
    """Write a workbook and print its CPU seconds, and the peak of memory."""
    plan = plan_of(folder)
    start = time.process_time()
    write_workbook(plan, Path(output))
    print(time.process_time() - start, megabytes())


def rows_template(path):
    """Save a workbook with a table of one row, half of its columns formulas, and charts over some of the others."""
    from openpyxl import Workbook  # noqa: PLC0415 - not in the process whose memory is measured
    from openpyxl.chart import LineChart, Reference  # noqa: PLC0415 - as above
    from openpyxl.worksheet.table import Table  # noqa: PLC0415 - as above

    book = Workbook()
    book.active.append([f"column {place}" for place in range(COLUMNS)])
    book.active.append([None if place % 2 else f"={place}*A2" for place in range(COLUMNS)])
    book.active.add_table(Table(displayName="rows", ref=f"A1:{book.active.cell(2, COLUMNS).coordinate}"))
    for place in range(CHARTS):
        chart, column = LineChart(), 4 * (place + 1)
        chart.add_data(Reference(book.active, column, 1, column, 2), titles_from_data=True)
        chart.set_categories(Reference(book.active, 2, 2, 2, 2))
        book.active.add_chart(chart)
    book.save(path)


def write_rows(count, output):
    """Fill that table with so many rows of numbers and texts, and print the same."""
    template = Path(output).with_name("template.xlsx").read_bytes()
    start = time.process_time()

    def make():
        for row in range(int(count)):
            yield [f"text {row}-{place}" if place % 4 == 1 else row * place for place in range(COLUMNS)]

    fill(template, Fill(tables={"rows": TableFill(Rows(int(count), make))}), Path(output))
    print(time.process_time() - start, megabytes())


def against_rust(count=10_000, columns=10):
    """Print the CPU seconds of filling a table and those of rustpy-xlsxwriter; tell if ours are more."""
    if not importlib.util.find_spec("rustpy_xlsxwriter"):
        print("rustpy-xlsxwriter is not installed: not compared")
        return False
    import rustpy_xlsxwriter  # noqa: PLC0415 - measured where it is installed
    from openpyxl import Workbook  # noqa: PLC0415 - not in the process whose memory is measured
    from openpyxl.worksheet.table import Table  # noqa: PLC0415 - as above

    names = [f"column {place}" for place in range(columns)]
    rows = [[f"text {row}-{at}" if at % 2 else row * at + 0.5 for at in range(columns)] for row in range(count)]
    records = [dict(zip(names, row, strict=True)) for row in rows]
    with tempfile.TemporaryDirectory() as folder:
        book, template = Workbook(), Path(folder) / "template.xlsx"
        book.active.append(names)
        book.active.append([None] * columns)
        book.active.add_table(Table(displayName="rows", ref=f"A1:{book.active.cell(2, columns).coordinate}"))
        book.save(template)
        asked, data = Fill(tables={"rows": TableFill(rows)}), template.read_bytes()
        ours = best(lambda: fill(data, asked, Path(folder) / "ours.xlsx"))
        theirs = best(lambda: rustpy_xlsxwriter.write_worksheet(records, str(Path(folder) / "theirs.xlsx")))
    missed = ours > theirs
    print(f"{count:,} rows × {columns} columns: {ours:.3f} CPU s, rustpy-xlsxwriter {theirs:.3f} CPU s", end="; ")
    print(f"ratio {ours / theirs:.2f}, at most 1 is wanted{' - MISSED' if missed else ''}")
    return missed


def best(step):
    """Return the CPU seconds of the best of some runs of a step, the first not counted."""
    taken = []
    for _ in range(1 + RUNS):
        start = time.process_time()
        step()
        taken.append(time.process_time() - start)
    return min(taken[1:])


def measured(step, source, output):
    """Return what a step prints in a process of its own: CPU seconds, megabytes."""
    command = [sys.executable, __file__, step, str(source), str(output)]
    said = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    return tuple(map(float, said.split()))


def main():
    """Measure, print, and return 1 if a target is missed."""
    if sys.argv[1:2] in (["write_models"], ["write_rows"]):
        return globals()[sys.argv[1]](sys.argv[2], sys.argv[3])
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "plan.xlsx"
        configs = Path(folder) / "configs"
        write_configs(count, configs)
        runs = [measured("write_models", configs, output) for _ in range(RUNS)]
        rows_template(Path(folder) / "template.xlsx")
        streamed, peak_of_rows = measured("write_rows", ROWS, Path(folder) / "rows.xlsx")
        cells, theirs = min(openpyxl_seconds(output, Path(folder)) for _ in range(RUNS))
    ours, peak = min(runs)
    print(f"{count:,} models, {cells:,} cells: {ours:.1f} CPU s, openpyxl write-only {theirs:.1f} CPU s")
    ratio = ours / theirs
    print(f"ratio {ratio:.2f}; at most {MOST_CPU:g} is wanted{' - MISSED' if ratio > MOST_CPU else ''}")
    print(f"the whole report, configs read: peak {peak:.0f} MB")
    print(f"{ROWS:,} rows × {COLUMNS} columns, {CHARTS} charts: {streamed:.1f} CPU s, peak {peak_of_rows:.0f} MB")
    missed = max(peak, peak_of_rows) > MOST_MEGABYTES
    print(f"at most {MOST_MEGABYTES} MB is wanted{' - MISSED' if missed else ''}")
    slower = against_rust()
    return int(missed or slower or ratio > MOST_CPU)


if __name__ == "__main__":
    sys.exit(main())

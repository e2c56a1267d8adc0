"""Model lists as a planner types them: CSV files, workbooks, and what is read of them."""

import zipfile

import openpyxl

from flopsheet.configs.inputs import read_inputs
from flopsheet.host.loading import load
from flopsheet.planning.costing import cost_all

LLAMA = "llama,4096,32,32,8,14336,128256"
FIELDS = "hidden_size,num_hidden_layers,num_attention_heads,num_key_value_heads,intermediate_size,vocab_size"
PARAMETERS = 8_030_261_248
DENSE = {
    "name": "Ours",
    "architecture": "dense",
    "n_layers": 32,
    "d_model": 4096,
    "n_heads": 32,
    "n_kv_heads": 8,
    "d_ff": 14336,
    "mlp_matrices": 3,
    "vocab_size": 128256,
}


def read(path, **options):
    """Return the costed models of a list."""
    host = load()
    models, _ = read_inputs(host, [str(path)], **options)
    return cost_all(host, models)


def csv_file(folder, *lines, name="models.csv", encoding="utf-8"):
    """Write the lines of a CSV file, and return its path."""
    path = folder / name
    path.write_bytes("\n".join(lines).encode(encoding))
    return path


def workbook(folder, rows, name="models.xlsx", sheet="Sheet1"):
    """Write rows to a sheet of a workbook, and return its path."""
    book = openpyxl.Workbook()
    book.active.title = sheet
    for row in rows:
        book.active.append(row)
    book.save(folder / name)
    return folder / name


def dense(folder, **changes):
    """Write a workbook with one dense model, some of its cells changed, and return its path."""
    cells = DENSE | changes
    return workbook(folder, [[int(c) if c.isdecimal() else c for c in cells], list(cells.values())])


def changed(path, before, after, part="xl/worksheets/sheet1.xml"):
    """Replace a text in a part of a workbook."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    assert before.encode(errors="surrogateescape") in parts[part]
    parts[part] = parts[part].replace(before.encode(errors="surrogateescape"), after.encode(errors="surrogateescape"))
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return path


FOUR = '<c r="D2" t="n"><v>4096</v>'

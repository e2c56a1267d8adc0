"""Wrong formats: what writes reports, and what reads portfolios."""

from typing import Any

from test_plugin_hooks import READERS
from toy_plugins import plugin
from wrong import Wrong

from flopsheet import Exporter, Reader


def _around() -> dict[str, Any]:
    """Return a table that holds itself."""
    table: dict[str, Any] = {}
    table["inputs"] = table
    return table


WRITING = {
    "raises": lambda *_: 1 / 0,
    "exits": lambda *_: exit(0),  # noqa: PLR1722 - what a plugin may do
    "writes nothing": lambda *_: None,
    "takes no arguments": lambda: None,
    "writes a folder": lambda _, path: path.mkdir(),
    "deletes its path's folder": lambda _, path: [one.unlink() for one in path.parent.iterdir()],
}
FORMATS = {
    f"an exporter that {what}": Wrong(
        "exporter", plugin(exporters=[Exporter(suffix=".wrong", title="Wrong", write=write)]), asks=("-o", "x.wrong")
    )
    for what, write in WRITING.items()
} | {
    f"an exporter: {what}": Wrong(
        "exporter",
        plugin(exporters=[Exporter(**{"suffix": ".wrong", "title": "Wrong", "write": write_name, **fields})]),
    )
    for write_name in [lambda _, path: path.write_text("a plan", "utf-8")]
    for what, fields in {
        "a suffix of None": {"suffix": None},
        "a suffix without a dot": {"suffix": "wrong"},
        "a suffix in capitals": {"suffix": ".WRONG"},
        "no suffix": {"suffix": ""},
        "a suffix with a folder": {"suffix": "./../x"},
        "the workbook's suffix": {"suffix": ".xlsx"},
        "write is a number": {"write": 5},
        "a part alone": {"part": lambda _: b""},
        "a module of no name": {"module": "no such.module"},
        "a module that is a number": {"module": 5},
        "a title of None": {"title": None},
    }.items()
}
FORMATS |= {
    f"a reader that {what}": Wrong(
        "reader",
        plugin(readers=[Reader(suffix=".own", title="Own", read=read)]),
        harmless="only its own portfolios are read by it, and are refused with its name",
        document="portfolio.own",
    )
    for what, (read, _) in {
        **READERS,
        "gives None": (lambda _: None, ""),
        "exits": (lambda _: exit(0), ""),  # noqa: PLR1722 - what a plugin may do
        "takes nothing": (dict, ""),
        "gives itself": (lambda _: _around(), ""),
        "gives a date and a set": (lambda _: {"name": {1, 2}, "inputs": object()}, ""),
        "gives keys that are numbers": (lambda _: {1: 2, "inputs": {3: 4}}, ""),
    }.items()
} | {
    f"a reader: {what}": Wrong(
        "reader", plugin(readers=[Reader(**{"suffix": ".own", "title": "Own", "read": bytes.decode, **fields})])
    )
    for what, fields in {
        "a suffix of None": {"suffix": None},
        "of TOML": {"suffix": ".toml"},
        "read is a number": {"read": 5},
        "a suffix without a dot": {"suffix": "own"},
    }.items()
}

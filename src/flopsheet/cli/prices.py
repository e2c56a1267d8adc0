"""`flopsheet prices`: prices of accelerators from a feed of your own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
import tomli_w

from flopsheet.cli.common import Form, OutputFile, exit_on_error, form_options
from flopsheet.errors import UsageError
from flopsheet.export.aside import write_aside
from flopsheet.host.loading import load
from flopsheet.host.local import user_folder
from flopsheet.units.numbers import number_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from flopsheet.planning.catalog import Price
    from flopsheet.planning.price_feed import Feed

FILE = "prices.toml"


@click.group()
def prices() -> None:
    """Take prices of accelerators from a feed of your own."""


@prices.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=OutputFile(), help="Write the plugin there, for a portfolio's `plugins`.")
@click.option("--region", default="", metavar="NAME", help="Take the rows of one region alone.")
@form_options()
@exit_on_error
def update(file: Path, output: Path | None, region: str, form: Form) -> None:
    """Turn a dated snapshot of prices into prices of every plan.

    FILE is a CSV file with a header row, or a TOML file with an array of tables. Columns are accelerator, usd (per
    hour) and date, and where there are any count (accelerators that the price is for), kind (on_demand, reserved,
    spot), provider and region. Of each accelerator and kind the median counts, with the 20th and 80th percentile as low
    and high. Without -o the file goes to your configuration, where every command finds it; --without prices leaves it
    out.
    """
    from flopsheet.planning.catalog import catalog  # noqa: PLC0415 - the help needs none of it
    from flopsheet.planning.price_feed import as_plugin, read_feed, summarize_quotes  # noqa: PLC0415 - same reason

    accelerators = catalog(load())
    feed = read_feed(file, accelerators, region)
    result = summarize_quotes(feed.quotes, file.name)
    if not result:
        raise UsageError(f"{file}: no row is of an accelerator of the catalog{f' in {region}' if region else ''}")
    target = output or user_folder() / FILE
    target.parent.mkdir(parents=True, exist_ok=True)
    plugin = as_plugin(result, file.name)
    write_aside({target: lambda draft: draft.write_text(tomli_w.dumps(plugin), encoding="utf-8")})
    document = {"prices": plugin["prices"], "unknown": dict(feed.unknown), "file": str(target)}
    click.echo(form(document, lambda: "\n".join(_text(result, feed, target))))


def _text(prices: Sequence[Price], feed: Feed, target: Path) -> Iterator[str]:
    """Give a line for each price, what was left out, and where the prices went."""
    for price in prices:
        yield f"{price.accelerator}, {price.kind}: USD {price.base} ({price.low} to {price.high}), {price.date}"
    for name, rows in feed.unknown.items():
        yield f"left out: {name} ({rows}), which the catalog does not have; [[accelerators]] of a plugin adds it"
    yield f"{number_of(len(prices), 'price')} → {target}"

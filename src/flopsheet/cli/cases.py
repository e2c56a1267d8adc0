"""The option that chooses a case, which every command with a plan takes."""

from __future__ import annotations

import click

from flopsheet.planning.inputs import CASES

case_option = click.option(
    "--case",
    metavar="NAME",
    help=f"Use this case instead of the portfolio's: {', '.join(CASES)}, or a scenario of the portfolio.",
)

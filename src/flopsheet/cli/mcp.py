"""`flopsheet mcp`: a server for assistants and editors, by the Model Context Protocol."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

import flopsheet
from flopsheet.cli.assistant.confine import confine
from flopsheet.cli.common import exit_on_error
from flopsheet.errors import UsageError
from flopsheet.host.loading import load

INSTRUCTIONS = (
    "flopsheet counts what language models cost, exactly, from their config files, and plans training and serving."
    " Paths are relative to the folder that the server was started with. Begin with show for a config.json or plan for"
    " a portfolio (.toml); use explain for the formula behind any number. Report a model's status with its numbers:"
    " approximate counts are not exact, and the notes say why."
)


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path), default=".")
@exit_on_error
def mcp(folder: Path) -> None:
    """Serve the tools show, plan, sweep, inputs and explain over stdio (extra: flopsheet[mcp]).

    FOLDER is all that the tools can read; this folder by default. They write nothing, start nothing, and connect to
    nothing. Assistants start this command themselves: docs/assistants.md says what to configure.
    """
    try:
        from mcp.server import MCPServer  # noqa: PLC0415 - an extra
        from mcp_types import ToolAnnotations  # noqa: PLC0415 - same

        from flopsheet.cli.assistant.tools import Tools  # noqa: PLC0415 - same
    except ImportError as error:
        raise UsageError(f"mcp needs the package mcp: pip install 'flopsheet[mcp]' ({error})") from None
    root = folder.resolve()
    server = MCPServer("flopsheet", version=flopsheet.__version__, instructions=INSTRUCTIONS, log_level="WARNING")
    for tool in Tools(root).all():
        hints = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
        server.add_tool(tool, annotations=hints)
    load()  # plugins are imported before the process is confined
    os.environ["HF_HUB_OFFLINE"] = "1"
    os.chdir(root)
    sys.dont_write_bytecode = True
    confine(root)
    server.run("stdio")

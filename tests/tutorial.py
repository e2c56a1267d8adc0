"""Somebody who follows a tutorial to the letter: saves its files, types its commands, and compares what is printed."""

import os
import re
import subprocess
import sys

from planner import edit

FENCE = re.compile(r"^```(console|[a-z]+ \S+)\n(.*?)^```$|^<!-- by hand: (.*?) -->$", re.MULTILINE | re.DOTALL)
"""What a reader does: a file to save, commands with what they print, and a cell to type into."""


def programs(folder):
    """Write what the commands name, flopsheet and python, into a folder, and return the PATH that has them first."""
    folder.mkdir()
    scripts = {"flopsheet": 'exec {} -c "from flopsheet.cli import main; main()" "$@"', "python": 'exec {} "$@"'}
    for name, script in scripts.items():
        (folder / name).write_text(f"#!/bin/sh\n{script.format(sys.executable)}\n", "utf-8")
        (folder / name).chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


def follow(text, folder, path):
    """Do everything that a tutorial says, and return it with what the commands print, … kept where it is right."""
    return FENCE.sub(lambda found: _done(found, folder, path), text)


def _done(found, folder, path):
    info, body, by_hand = found.groups()
    if by_hand:
        workbook, table, key, header, value = by_hand.split()
        assert workbook == "plan.xlsx"
        edit(folder, table, key, header, float(value))
        return found[0]
    if info != "console":
        file = folder / info.split()[1]
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(body, "utf-8")
        return found[0]
    parts = re.split(r"^\$ (.*)\n", body, flags=re.MULTILINE)[1:]
    lines = [_typed(command, said, folder, path) for command, said in zip(parts[::2], parts[1::2], strict=True)]
    return f"```console\n{''.join(lines)}```"


def _typed(command, said, folder, path):
    """Return a command with what it prints: as the tutorial says it, where that is what it prints."""
    environment = os.environ | {"PATH": path, "COLUMNS": "100", "TZ": "UTC"}
    done = subprocess.run(
        ["sh", "-c", command], cwd=folder, env=environment, stdout=-1, stderr=subprocess.STDOUT, text=True, check=False
    )
    pattern = re.escape(said).replace("…", ".*?")
    return f"$ {command}\n{said if re.fullmatch(pattern, done.stdout, re.DOTALL) else done.stdout}"

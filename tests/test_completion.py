"""Shell completion: commands, options, choices, files and inputs, as the shells ask for them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
START = f"#!{sys.executable}\nfrom flopsheet.cli import main\n\nmain(prog_name='flopsheet')\n"
SHELLS = {"bash": "complete -o nosort", "zsh": "compdef", "fish": "complete --no-files"}


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """Return the PATH of a shell that finds flopsheet."""
    folder = tmp_path_factory.mktemp("bin")
    (folder / "flopsheet").write_text(START, "utf-8")
    (folder / "flopsheet").chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


def completed(path, line, place):
    """Return what is offered for the word at a place of a command line."""
    words = {"COMP_WORDS": line, "COMP_CWORD": str(place), "_FLOPSHEET_COMPLETE": "bash_complete", "PATH": path}
    done = subprocess.run(["flopsheet"], env=os.environ | words, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


@pytest.mark.parametrize(
    ("line", "place", "offered"),
    [
        ("flopsheet s", 1, ["plain,show", "plain,sweep"]),
        ("flopsheet show --f", 2, ["plain,--format"]),
        ("flopsheet show --format ", 3, ["plain,table", "plain,json", "plain,toml"]),
        ("flopsheet templates c", 2, ["plain,check", "plain,copy"]),
        ("flopsheet templates copy se", 3, ["plain,serving-plan"]),
        ("flopsheet plan port", 2, ["file,port"]),
        ("flopsheet plan plan.toml --input price_per_h", 4, ["plain,price_per_hour="]),
    ],
)
def test_each_word_is_completed(path, line, place, offered):
    """Commands that are imported when they run complete as all others do."""
    assert completed(path, line, place) == offered


@pytest.mark.parametrize("shell", SHELLS)
def test_each_shell_gets_its_script(path, shell):
    """The page of installation names the command, which prints what the shell is to source."""
    words = {"_FLOPSHEET_COMPLETE": f"{shell}_source", "PATH": path}
    done = subprocess.run(["flopsheet"], env=os.environ | words, capture_output=True, text=True, check=True)
    assert SHELLS[shell] in done.stdout
    assert f"_FLOPSHEET_COMPLETE={shell}_source flopsheet" in (ROOT / "docs" / "install.md").read_text("utf-8")


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_bash_completes(path):
    """The script works in a shell: the words that it offers are those of the command."""
    script = (
        'eval "$(_FLOPSHEET_COMPLETE=bash_source flopsheet)"; COMP_WORDS=(flopsheet dif); COMP_CWORD=1;'
        ' _flopsheet_completion flopsheet; echo "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        ["bash", "-c", script], env=os.environ | {"PATH": path}, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "diff"

"""How commands end that cannot go on: by signals, without memory or room (flopsheet.cli.ending)."""

import errno
import os
import random
import signal
import subprocess
import sys
import time
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import click
import pytest
from killing import faults
from samples import CONFIGS

from flopsheet.cli.ending import run_to_end
from flopsheet.configs.inputs import read_inputs
from flopsheet.host.loading import load

CONFIG = CONFIGS / "gpt2-xl" / "config.json"


def fails(error):
    """Return a command that raises."""

    def command():
        raise error

    return command


ENDS = {
    "a command that is done": (lambda: 0, 0, ""),
    "a model in error": (lambda: 1, 1, ""),
    "nothing said": (lambda: None, 0, ""),
    "a misuse": (fails(click.UsageError("no such option")), 2, "no such option"),
    "no memory": (fails(MemoryError()), 3, "flopsheet: there is not enough memory"),
    "a library": (
        fails(ImportError("failed to map segment", path=f"zlib{EXTENSION_SUFFIXES[0]}")),
        3,
        "flopsheet: a compiled module cannot be loaded (failed to map segment)",
    ),
    "memory that ends inside Python": (
        fails(SystemError("error return without exception set")),
        3,
        "flopsheet: Python lost an error of its own (error return without exception set)",
    ),
    "no room": (fails(OSError(errno.ENOSPC, "No space left on device")), 3, "flopsheet: No space left on device"),
    "a file": (fails(OSError(errno.EIO, "Input/output error", "a.csv")), 3, "flopsheet: a.csv: Input/output error"),
    "a reader that left": (fails(BrokenPipeError(errno.EPIPE, "Broken pipe")), 141, ""),
    "Ctrl-C": (fails(KeyboardInterrupt()), 130, "Aborted!"),
    "SIGTERM": (lambda: signal.raise_signal(signal.SIGTERM), 143, ""),
    "SIGHUP": (lambda: signal.raise_signal(signal.SIGHUP), 129, ""),
}


@pytest.mark.parametrize(("command", "status", "said"), ENDS.values(), ids=ENDS)
def test_every_end_has_a_status_of_its_own(command, status, said, capsys):
    """1 stays a model in error; what is said is one line, or the usage of a command."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup has it ignored
    try:
        assert run_to_end(command) == status
    finally:
        signal.signal(signal.SIGHUP, before)
    assert said in capsys.readouterr().err


def test_a_syntax_error_without_memory_is_that(monkeypatch, capsys):
    """Python's parser says so where it runs out of memory; with memory it is a fault of the code."""
    with pytest.raises(SyntaxError):
        run_to_end(fails(SyntaxError("expected ':'")))
    monkeypatch.setattr("flopsheet.cli.ending._is_full", lambda: True)
    assert run_to_end(fails(SyntaxError("expected ':'"))) == 3
    assert capsys.readouterr().err.startswith("flopsheet: Python could not read code of its own (expected ':')")


def test_signals_are_as_before_afterwards():
    """Who runs a command inside of a program keeps its own handlers; a signal that is ignored stays ignored."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        assert run_to_end(lambda: signal.raise_signal(signal.SIGHUP)) == 0
        assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
        assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    finally:
        signal.signal(signal.SIGHUP, before)


def shell(script, folder):
    """Run a script in which flopsheet is $F and a config is $C; return its status and what it says on stderr."""
    names = {"F": f"{sys.executable} -c 'from flopsheet.cli import main; main()'", "C": str(CONFIG)}
    script = script.replace("$F", names["F"]).replace("$C", names["C"])
    done = subprocess.run(
        ["/bin/bash", "-c", script], cwd=folder, capture_output=True, text=True, timeout=60, check=False
    )
    return done.returncode, done.stderr


FULL = f"""{sys.executable} -c '
import resource
from flopsheet.cli import main
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 2**10 * ROOM, used + 2**10 * ROOM))
main()' show $C
"""
"""A run that has little left once it is started; which module then fails to load, and how, is chance."""
SHELL = {
    "a full disk": ("$F show $C > /dev/full", 3, "flopsheet: No space left on device\n"),
    "a folder that is gone": ("mkdir a; cd a; rmdir ../a; $F show $C", 3, "flopsheet: the folder that flopsheet runs"),
    "an output of a folder that is gone": (
        "mkdir a; cd a; rmdir ../a; $F report $C -o x.csv",
        3,
        "flopsheet: the folder that flopsheet runs",
    ),
    **{
        f"{kib} KiB of address space": (FULL.replace("ROOM", str(kib)), 3, "flopsheet: ")
        for kib in (64, 1100, 4800, 6400)
    },
}


@pytest.mark.skipif(sys.platform != "linux", reason="/dev/full and ulimit -v are Linux's")
@pytest.mark.parametrize(("script", "status", "said"), SHELL.values(), ids=SHELL)
def test_what_the_system_refuses_is_one_line(script, status, said, tmp_path):
    """No traceback, and nothing more when Python ends."""
    result, line = shell(script, tmp_path)
    assert (result, line.count("\n"), line[: len(said)]) == (status, 1, said)


@pytest.mark.parametrize("arguments", ["--help", "inputs", "inputs --format json", "show $C"])
def test_a_reader_that_went_away_is_no_model_in_error(arguments, tmp_path):
    """As `| head` does: the status is that of SIGPIPE, and nothing is said of it."""
    assert shell(f"set -o pipefail; $F {arguments} | true", tmp_path) == (141, "")


def test_a_report_without_stderr_is_written(tmp_path):
    """`2>&-` closes the stream for messages, and its number goes to no output."""
    assert shell("$F report $C -o a.csv 2>&-", tmp_path)[0] == 0
    assert (tmp_path / "a.csv").read_text("utf-8").startswith("name,")


@pytest.mark.skipif(sys.platform != "linux", reason="/dev/zero")
def test_a_config_without_end_is_bounded():
    """So much is read as a config may have, whatever the system says of the file's size."""
    models, _ = read_inputs(load(()), ["/dev/zero"])
    assert models[0].errors == ("/dev/zero: larger than 64 MiB, the most that is read",)


def test_a_folder_that_cannot_be_looked_into_is_named(tmp_path, monkeypatch):
    """Its models are not left out unsaid: it stands among the models, in error."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "config.json").write_bytes(CONFIG.read_bytes())
    (tmp_path / "locked").mkdir()
    look = os.scandir

    def refuse(path):
        if str(path).endswith("locked"):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return look(path)

    monkeypatch.setattr(os, "scandir", refuse)
    models, _ = read_inputs(load(()), [str(tmp_path)])
    assert [model.name for model in models] == ["a", "locked"]
    assert models[1].errors == (f"{tmp_path / 'locked'}: this folder cannot be opened",)


@pytest.mark.skipif(sys.platform != "linux", reason="/proc")
def test_an_interrupt_is_said_once_whatever_its_processes_do(tmp_path):
    """Ctrl-C reaches those of --jobs too, which are at their imports: none writes a traceback."""
    command = [sys.executable, "-c", "from flopsheet.cli import main; main()"]
    arguments = ["report", str(CONFIGS), "--jobs", "2", "-o", str(tmp_path / "a.csv")]
    with subprocess.Popen([*command, *arguments], stderr=subprocess.PIPE, text=True, start_new_session=True) as run:
        children = Path(f"/proc/{run.pid}/task/{run.pid}/children")
        while run.poll() is None and not any(map(is_worker, children.read_text("utf-8").split())):
            time.sleep(0.01)
        time.sleep(0.25)
        os.killpg(run.pid, signal.SIGINT)
        said = run.communicate(timeout=60)[1]
    assert (run.returncode, said.split()) == (130, ["Aborted!"])


def is_worker(process):
    """Return whether a process is one of --jobs."""
    return b"spawn_main" in Path(f"/proc/{process}/cmdline").read_bytes()


def test_killed_runs_leave_old_or_new_outputs(capsys):
    """Three runs, each ended by another signal at a moment of a new seed, tear no output and leave nothing."""
    seed = random.SystemRandom().randrange(10**6)
    assert faults(3, seed) == [], f"python tests/killing.py --seed {seed}"
    assert capsys.readouterr().out.count("SIG") >= 3


def test_a_python_runs_the_command_as_a_module():
    """`python -m flopsheet` is flopsheet, in its usage too."""
    done = subprocess.run([sys.executable, "-m", "flopsheet", "--help"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("Usage: flopsheet [OPTIONS]")

"""Commands killed at random moments, and what is left: `python tests/killing.py --job sweep --runs 60 --seed 7`."""

from __future__ import annotations

import argparse
import io
import json
import random
import signal
import subprocess
import sys
import tarfile
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

EXAMPLES = Path(__file__).parent.parent / "examples"
CONFIG = EXAMPLES / "configs" / "gpt2-xl" / "config.json"
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
ARCHIVE, MODELS = "models.tar", 1_600
PARTS = ".parts"
STARTED = "started"
"""What a run prints once Python has started, before it imports anything of flopsheet."""
ENDED = {number: {-number, 128 + number} for number in SIGNALS}
"""How a run ends that a signal reached before its handlers stood, and after."""
EARLY = {signal.SIGINT: 1}
"""How Python itself ends that a signal reached as it started: Ctrl-C is then a fatal error of its own."""


class Job(NamedTuple):
    """A command to kill: its arguments, what a number is given to so that outputs differ, and its outputs.

    One that resumes leaves its parts, and its next run ends as if nothing had happened.
    """

    arguments: tuple[str, ...]
    differs: tuple[str, str]
    outputs: tuple[str, ...]
    resumes: bool = False


JOBS = {
    "report": Job(("report", str(CONFIG)), ("--set", "batch={}"), ("plan.xlsx", "plan.toml", "plan.csv")),
    "sweep": Job(
        ("sweep", str(EXAMPLES / "designs" / "dense-sizes.toml")),
        ("--input", "days={}00"),
        ("sizes.csv", "sizes.xlsx", "sizes.parquet"),
    ),
    "resume": Job(
        ("report", ARCHIVE, "--resume"),
        ("--set", "batch={}"),
        ("models.csv", "models.toml"),
        resumes=True,
    ),
}


def command(job: Job, number: int, outputs: tuple[str, ...]) -> list[str]:
    """Return the command that writes outputs which differ by a number."""
    wanted = [part for output in outputs for part in ("-o", output)]
    option, value = job.differs
    program = f"print({STARTED!r}, flush=True); from flopsheet.cli import main; main()"
    return [sys.executable, "-c", program, *job.arguments, option, value.format(number), *wanted]


def written(folder: Path, job: Job, number: int, outputs: tuple[str, ...] = ()) -> dict[str, bytes]:
    """Write outputs, whole, and return all that is then in the folder."""
    subprocess.run(command(job, number, outputs or job.outputs), cwd=folder, check=True, capture_output=True)
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file() and path.name != ARCHIVE}


def killed(folder: Path, job: Job, number: signal.Signals, moment: float, *, writing: bool) -> tuple[int, bool]:
    """Start a run, send it a signal after some seconds, and return how it ended and whether Python had started.

    The seconds count from its start, or from when it has a hidden folder or its first part.
    """
    with subprocess.Popen(command(job, 2, job.outputs), cwd=folder, stdout=-1, stderr=-3) as run:
        begun = f"*{PARTS}/*.part" if job.resumes else ".flopsheet-*"
        while writing and run.poll() is None and not any(folder.glob(begun)):
            time.sleep(0.002)
        time.sleep(moment)
        run.send_signal(number)
        said, _ = run.communicate()
        return run.returncode, STARTED.encode() in said


def expected(number: signal.Signals, status: int, *, started: bool) -> bool:
    """Whether a run may end so: whole, by its signal, or as Python itself does before anything of flopsheet runs."""
    return status == 0 or status in ENDED[number] or (not started and status == EARLY.get(number))


def pack_models(path: Path) -> None:
    """Write an archive of so many configs that they are counted in parts, each of another size."""
    config = json.loads(CONFIG.read_bytes())
    with tarfile.open(path, "w") as archive:
        for at in range(MODELS):
            data = json.dumps(config | {"vocab_size": 30_000 + at}).encode()
            info = tarfile.TarInfo(f"m{at}/config.json")
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))


def faults(runs: int, seed: int, say=print, job: str = "report") -> list[str]:
    """Kill so many runs of a job at moments that the seed chooses; return what was wrong, a line each."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # behind an & it is ignored, by children too
    with TemporaryDirectory(prefix="flopsheet-killing-") as name:
        if JOBS[job].resumes:
            pack_models(Path(name) / ARCHIVE)
        wrong, seen = _kill_runs(Path(name), JOBS[job], runs, random.Random(seed))  # noqa: S311 - chance, no secret
    for what, count in sorted(seen.items()):
        say(f"{count:5} {what}")
    return wrong


def _kill_runs(folder: Path, job: Job, runs: int, chance: random.Random) -> tuple[list[str], Counter[str]]:
    """Kill runs one after the other; every second one is killed while it writes."""
    wrong, seen = [], Counter()
    new = written(folder, job, 2)
    start = time.monotonic()
    old = written(folder, job, 1)
    usual = time.monotonic() - start
    assert not any(old[one] == new[one] for one in job.outputs), "the outputs of both runs are to differ"
    for turn in range(runs):
        number, writing = SIGNALS[turn % len(SIGNALS)], turn % 2 == 1
        moment = chance.uniform(0, usual / 4 if writing else usual)
        for output in job.outputs:
            (folder / output).write_bytes(old[output])
        status, started = killed(folder, job, number, moment, writing=writing)
        result = {output: (folder / output).read_bytes() for output in job.outputs}
        states = ["old" if result[one] == old[one] else "new" if result[one] == new[one] else "torn" for one in result]
        left = _left_in(folder, job)
        parts = any(folder.glob(f"*{PARTS}/*.part"))
        seen[f"{number.name}: {'/'.join(states)}, {'left' if left else 'clean'}{', parts' if parts else ''}"] += 1
        run = f"{number.name} {'writing ' if writing else ''}after {moment:.3f} s"
        if "torn" in states or not expected(number, status, started=started):
            wrong.append(f"{run}: {states}, status {status}, {'' if started else 'not '}started")
        if left and number != signal.SIGKILL and status > 0:
            wrong.append(f"{run} left {left}")
        if job.resumes:
            wrong += [f"{run}: the resumed run differs"] * (written(folder, job, 2) != new)
        elif left:
            written(folder, job, 1, job.outputs[-1:])
        if left or job.resumes:
            wrong += [f"{run}: the next run left {path}" for path in _left_in(folder, job, parts=True)]
    return wrong, seen


def _left_in(folder: Path, job: Job, *, parts: bool = False) -> list[str]:
    """Return what is in the folder besides inputs and outputs, and besides the parts of a run that resumes."""
    names = [path.name for path in folder.iterdir() if path.name not in (*job.outputs, ARCHIVE)]
    return [name for name in names if parts or not (job.resumes and name.endswith(PARTS))]


def main() -> int:
    """Kill runs as the command line says, and print what was seen and what was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--job", choices=JOBS, default="report")
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    asked = parser.parse_args()
    print(f"seed {asked.seed}")
    wrong = faults(asked.runs, asked.seed, job=asked.job)
    print(f"{asked.runs} runs of {asked.job} killed, {len(wrong)} faults", *wrong, sep="\n")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())

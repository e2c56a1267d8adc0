"""Reports killed at random moments, and what is left: `python tests/killing.py --runs 200 --seed 7`."""

from __future__ import annotations

import argparse
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

CONFIG = Path(__file__).parent.parent / "examples" / "configs" / "gpt2-xl" / "config.json"
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
OUTPUTS = ("plan.xlsx", "plan.toml", "plan.csv")
STARTED = "started"
"""What a run prints once Python has started, before it imports anything of flopsheet."""
ENDED = {number: {-number, 128 + number} for number in SIGNALS}
"""How a run ends that a signal reached before its handlers stood, and after."""
EARLY = {signal.SIGINT: 1}
"""How Python itself ends that a signal reached as it started: Ctrl-C is then a fatal error of its own."""


def command(batch: int, outputs: tuple[str, ...]) -> list[str]:
    """Return the command that writes outputs which differ by the batch."""
    wanted = [part for output in outputs for part in ("-o", output)]
    program = f"print({STARTED!r}, flush=True); from flopsheet.cli import main; main()"
    return [sys.executable, "-c", program, "report", str(CONFIG), "--set", f"batch={batch}", *wanted]


def written(folder: Path, batch: int, outputs: tuple[str, ...] = OUTPUTS) -> dict[str, bytes]:
    """Write outputs, whole, and return all that then stands in the folder."""
    subprocess.run(command(batch, outputs), cwd=folder, check=True, capture_output=True)
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def killed(folder: Path, number: signal.Signals, moment: float) -> tuple[int, bool]:
    """Start a run, send it a signal after some seconds, and return how it ended and whether Python had started."""
    with subprocess.Popen(command(2, OUTPUTS), cwd=folder, stdout=-1, stderr=-3) as run:
        time.sleep(moment)
        run.send_signal(number)
        said, _ = run.communicate()
        return run.returncode, STARTED.encode() in said


def expected(number: signal.Signals, status: int, *, started: bool) -> bool:
    """Whether a run may end so: whole, by its signal, or as Python itself does before anything of flopsheet runs."""
    return status == 0 or status in ENDED[number] or (not started and status == EARLY.get(number))


def faults(runs: int, seed: int, say=print) -> list[str]:
    """Kill so many runs at moments that the seed chooses; return what was wrong, a line each."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # behind an & it is ignored, by children too
    chance, wrong, seen = random.Random(seed), [], Counter()  # noqa: S311 - chance, no secret
    with TemporaryDirectory(prefix="flopsheet-killing-") as name:
        folder = Path(name)
        new = written(folder, 2)
        start = time.monotonic()
        old = written(folder, 1)
        usual = time.monotonic() - start
        for turn in range(runs):
            number, moment = SIGNALS[turn % len(SIGNALS)], chance.uniform(0, usual)
            for output in OUTPUTS:
                (folder / output).write_bytes(old[output])
            status, started = killed(folder, number, moment)
            found = {output: (folder / output).read_bytes() for output in OUTPUTS}
            left = [path.name for path in folder.iterdir() if path.name not in OUTPUTS]
            states = ["old" if found[one] == old[one] else "new" if found[one] == new[one] else "torn" for one in found]
            seen[f"{number.name}: {'/'.join(states)}, {'left' if left else 'clean'}"] += 1
            if "torn" in states or not expected(number, status, started=started):
                wrong.append(
                    f"{number.name} after {moment:.3f} s: {states}, status {status}, {'' if started else 'not '}started"
                )
            if left and number != signal.SIGKILL and status > 0:
                wrong.append(f"{number.name} after {moment:.3f} s left {left}")
            if left:
                written(folder, 1, ("plan.csv",))
                wrong += [f"the next run left {path}" for path in folder.iterdir() if path.name not in OUTPUTS]
    for what, count in sorted(seen.items()):
        say(f"{count:5} {what}")
    return wrong


def main() -> int:
    """Kill runs as the command line says, and print what was seen and what was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    asked = parser.parse_args()
    print(f"seed {asked.seed}")
    wrong = faults(asked.runs, asked.seed)
    print(f"{asked.runs} runs killed, {len(wrong)} faults", *wrong, sep="\n")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())

"""Real configs with odd values in one to three fields: flopsheet raises nothing, and calls none `ok` that is refused.

    python tests/directing.py --count 13000 --seed 1
    python tests/directing.py --configs folder/of/configs -v

Values are null, 0, negative, huge, of another type, unknown words, or at odds with other fields; see `mutating`. What
flopsheet calls `ok` is built by transformers on the meta device, and small models run. Run it with a Python that has
torch and transformers. Exit status 1 if flopsheet raises, or if a config that it calls `ok` is refused.
"""

import argparse
import json
import random
import sys
from collections import Counter
from pathlib import Path

import mutating
import oracle

from flopsheet.configs.source import load_model
from flopsheet.host.loading import load
from flopsheet.planning.costing import cost

MAX_CHANGES = 3
RAISED = "raised"


def configs(folders):
    """Return the configs of all JSON files below the folders that name a type."""
    paths = sorted(path for folder in folders for path in Path(folder).rglob("*.json"))
    results = [json.loads(path.read_text("utf-8")) for path in paths if path.name != "broken"]
    return [config for config in results if isinstance(config, dict) and isinstance(config.get("model_type"), str)]


def mutant(config, rng):
    """Return a config with some fields changed to odd values, and what was changed."""
    changes = []
    for _ in range(rng.randint(1, MAX_CHANGES)):
        change, config = rng.choice(list(mutating.directed(config)))
        changes.append(change)
    return ", ".join(changes), config


def outcome_of(config, rng):
    """Return what flopsheet makes of a mutant, and transformers of one that is called `ok`."""
    try:
        status = cost(load(), load_model(load(), config)).status
    except Exception as error:  # noqa: BLE001 - the point of the run
        return oracle.Outcome(config["model_type"], config, RAISED, f"{type(error).__name__}: {error}")
    return oracle.outcome_of(config, rng) if status == "ok" else oracle.Outcome(config["model_type"], config, status)


def run(drawn, count, seed):
    """Yield what was changed in each mutant, and its outcome."""
    for number in range(count):
        rng = random.Random(f"{seed} {number}")  # noqa: S311 - reproducible, not secret
        changes, config = mutant(drawn[number % len(drawn)], rng)
        yield changes, outcome_of(config, rng)


def main():
    """Run the script."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--configs", nargs="*", default=[Path(__file__).parents[1] / "examples" / "configs"])
    parser.add_argument("--count", type=int, default=13_000)
    parser.add_argument("--seed", default="0")
    given = parser.parse_args()
    verdicts = Counter()
    for changes, outcome in run(configs(given.configs), given.count, given.seed):
        verdicts[outcome.verdict] += 1
        if outcome.verdict in (*oracle.FAILED, oracle.UNBUILT, RAISED):
            print(f"{outcome.model_type}: {changes}: {outcome.verdict}: {outcome.reason}", flush=True)  # noqa: T201 - a script
    print(", ".join(f"{number} {verdict}" for verdict, number in sorted(verdicts.items())))  # noqa: T201 - a script
    return int(any(verdicts[verdict] for verdict in (*oracle.FAILED, oracle.UNBUILT, RAISED)))


if __name__ == "__main__":
    sys.exit(main())

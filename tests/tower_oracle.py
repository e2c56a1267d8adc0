"""Multimodal configs with changed fields of their parts, held against what transformers builds on the meta device.

    python tests/tower_oracle.py --count 500 --seed 1

Each starts from the defaults of a class. One to three fields of its parts, or of what joins them, are halved, doubled,
flipped or left out. A config that flopsheet calls `ok` must have the parameters that the class has; configs that
transformers refuses are passed over. Exit status 1 if a number called `ok` differs.
"""

import argparse
import json
import random
import sys
from collections import Counter

import drawing

from flopsheet.configs.classes import class_table
from flopsheet.configs.source import load_model
from flopsheet.errors import FlopsheetError
from flopsheet.host.loading import load
from flopsheet.planning.costing import cost
from flopsheet.verify import meta

NEVER = ("token_id", "token_index", "_ids", "dropout", "eps", "initializer", "rope", "theta")
TEXTS = ("text_config", "llm_config", "language_config")


def types():
    """Return the multimodal types whose parts are counted."""
    host = load()
    claimed = [name for name, (family, _) in sorted(host.families.items()) if family.architecture in host.joining]
    tables = {name: class_table(name) for name in claimed}
    return [name for name, table in tables.items() if table and not table.tower and "multimodal" in table.classes]


def draw(model_type, rng):
    """Return a config of a type with some fields of its parts changed."""
    table = class_table(model_type)
    config = {"model_type": model_type, "architectures": [table.classes["multimodal"]]}
    for key, said in table.parts.items():
        inner = class_table(said["type"])
        if key not in TEXTS and inner:
            config[key] = {"model_type": said["type"], **said["absent"]}
    for _ in range(rng.randint(1, 3)):
        change(config, rng, table)
    return config


def change(config, rng, table):
    """Change one field of the config or of one of its parts."""
    parts = [key for key in config if isinstance(config[key], dict)]
    key = rng.choice([*parts, *parts, ""])
    fields = {**class_table(config[key]["model_type"]).defaults, **config[key]} if key else table.defaults
    names = [name for name, value in fields.items() if changed(value, rng) is not None and may_change(name)]
    if names:
        name = rng.choice(sorted(names))
        (config[key] if key else config)[name] = changed(fields[name], rng)


def may_change(name):
    """Tell whether a field may say something of sizes."""
    return not any(word in name for word in NEVER) and name != "model_type"


def changed(value, rng):
    """Return another value of a field, None for one that stays."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int) and value > 0:
        return rng.choice([2 * value, max(1, value // 2)])
    return None


def verdict(config):
    """Return what flopsheet and transformers say of a config: a verdict and why."""
    drawing.pad_head(config)
    counted = cost(load(), load_model(load(), config))
    if counted.status != "ok":
        return counted.status, "; ".join(counted.problems)
    try:
        built = meta.build(config, config["architectures"][0])
    except FlopsheetError as error:
        return "refused", str(error)
    expected, result = sum(tensor.count for tensor in meta.tensors(built)), counted.totals["parameters"]
    return ("equal", "") if expected == result else ("differs", f"{result:,} counted, {expected:,} built")


def run(count, seed, names=()):
    """Yield each config with its verdict and the reason."""
    drawn = list(names) or types()
    for number in range(count):
        model_type = drawn[number % len(drawn)]
        config = draw(model_type, random.Random(f"{seed} {model_type} {number}"))  # noqa: S311 - reproducible, not secret
        yield config, *verdict(config)


def main():
    """Run the script."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--types", default="")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", default="0")
    given = parser.parse_args()
    verdicts = Counter()
    for config, said, reason in run(given.count, given.seed, [name for name in given.types.split(",") if name]):
        verdicts[said] += 1
        if said == "differs":
            print(f"{reason}\n  {json.dumps(config)}", flush=True)  # noqa: T201 - a script
    print(dict(verdicts))  # noqa: T201 - a script
    return int(bool(verdicts["differs"]))


if __name__ == "__main__":
    sys.exit(main())

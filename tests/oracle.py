"""Random configs of every supported model_type, held against what transformers builds on the meta device.

    python tests/oracle.py                                   # 2,000 configs of all types that plugins claim
    python tests/oracle.py --types llama,qwen2 --count 200 --seed 1 -v
    python tests/oracle.py --mutate 5                        # with one to five fields changed, real configs among them

Run it with a Python that has torch and transformers. A config that flopsheet calls `ok` must have the parameters that
the class has, and, in a sample, the FLOP that torch's counter sees. Small multimodal models see a picture or hear
sound, and take a step with their cache. `approximate` and `error` are no mistakes, but are
counted: they say how much of a type is not exact. Of configs that transformers refuses, those that flopsheet calls `ok`
are counted apart and printed. Exit status 1 if any number called `ok` differs; differences are printed with their
config, which reproduces them. A run that SIGTERM ends prints what it has found so far.
"""

import argparse
import json
import random
import signal
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import drawing
import mutating
import tower_running

from flopsheet.configs.reading import class_of, classes_of
from flopsheet.configs.source import load_model
from flopsheet.errors import FlopsheetError
from flopsheet.host.loading import load
from flopsheet.planning.costing import cost
from flopsheet.verify import meta
from flopsheet.verify.compare import flop_kind

FLOPS_SHARE = 0.5
"""How many of the exact configs have their FLOP measured too, which takes a forward pass."""

SMALL = 20_000_000
"""Parameters of a model that may be built with values."""

MAX_SIZE = 10**12
"""Larger numbers may be those of layers, which would be built one by one without an end."""

TOKENS = 5
"""What the cache holds when it is counted."""
FEW_TOKENS = 2
"""What passes models of few positions, and of short chunks."""

EINSUM_OVER_ONE = "torch writes an einsum over one token as no matrix product, so the counter misses it"
PASSED_OVER = (
    "Expected gradient function to be set",  # torch's counter stumbles, not the class
    "Input language unknown",  # X-MOD asks for the language of each text
    "'NoneType' object has no attribute 'unsqueeze'",  # Moonshine asks for sound
    "Both `input_features` and `inputs_embeds` are `None`",  # SeamlessM4T's class for speech, same
    "Exactly 1 of pixel_values",  # IDEFICS asks for a picture
    "missing 1 required positional argument: 'pixel_values'",  # BLIP, same
    "Bbox is required",  # UDOP asks for boxes
    "'NoneType' object has no attribute 'transpose'",  # Speech2Text asks for sound
    "invalid combination of arguments - got (NoneType)",  # ESM without a padding token asks for positions
    "'EncoderDecoderCache' object is not subscriptable",  # FlauBERT with pre_norm, a fault of transformers 5.23
)
"""Why a class may not run here though its config is a model: what the run does not give it, and faults of libraries."""
NOT_HERE = ("has no class", "Unrecognized model identifier", "requires the timm library")
"""Why a class cannot be asked."""
FAILED = ("parameters differ", "FLOP differ", "cache differs", "towers differ")
TOWERS_SHARE = 0.5
"""How many of the configs of a type with towers are small and whole, and see or hear something."""
REAL = sorted((Path(__file__).parents[1] / "examples" / "configs").glob("*/config.json"))
REAL_SHARE = 0.1
"""How many of the mutants are of real configs, which take long to build."""

OTHER_CACHES = {
    "falcon": "transformers keeps keys and values for each query head where heads share them; servers do not"
}
"""Types whose class keeps a cache of a way of its own."""

UNBUILT = "ok, but refused"
"""The verdict on a config that flopsheet calls `ok` and transformers refuses to build."""
UNRUNNABLE = "ok, but does not run"
"""The verdict on a config that flopsheet calls `ok`, that transformers builds and that no token can pass."""
UNSEEN = "ok, but sees nothing"
"""The verdict on a config with towers that passes text, and no picture or sound."""
NOT_SEEN = "but no picture or sound"
"""The words of a note on a tower that does not fit what reads it."""
SAID_UNSEEN = "ok, and said to see nothing"
"""The verdict on a config that passes text alone, as flopsheet notes."""
NOT_RUN = "the class can be built but not run"
"""The words of a note on what a class does with its own defaults."""
SAID = "ok, and said not to run"
"""The verdict on a config that no token can pass, as flopsheet notes: its class's own defaults do not fit."""
UNKNOWN = "not in transformers"
NOT_EXACT = {
    "error": ("error", "error, and does not run"),
    "approximate": ("approximate", "approximate, and does not run"),
}
"""The verdicts on configs that transformers builds and flopsheet does not call exact: as they are, and if none run."""
ALL_EXPERTS = "transformers runs every expert on every token, and zeroes those that are not chosen"
OTHER_FLOPS = {
    "llama4": ALL_EXPERTS,
    "llama4_text": ALL_EXPERTS,
    "nllb-moe": "transformers takes its mask for expert numbers, and passes a token once for each expert",
    "switch_transformers": "experts drop the tokens beyond their capacity, which depends on values",
}
"""Types whose class costs other than their router asks for; flopsheet counts what is asked for, and says so."""


@dataclass
class Outcome:
    """What became of one config: a verdict, and why; `measured` says whether its FLOP were held too."""

    model_type: str
    config: dict
    verdict: str
    reason: str = ""
    measured: bool = False


@dataclass
class Tally:
    """The outcomes of a run."""

    outcomes: list = field(default_factory=list)

    @property
    def failed(self):
        """The outcomes whose number was called `ok` and is not."""
        return [outcome for outcome in self.outcomes if outcome.verdict in FAILED]

    def __str__(self):
        verdicts = Counter(outcome.verdict for outcome in self.outcomes)
        types = {outcome.model_type for outcome in self.outcomes}
        measured = sum(outcome.measured for outcome in self.outcomes)
        text = ", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items()))
        return f"{len(self.outcomes)} configs of {len(types)} types: {text}; FLOP measured of {measured}"


def claimed():
    """Return the model_types that plugins claim and transformers has; towers are inside others only."""
    tables = {name: drawing.class_table(name) for name in sorted(load().families)}
    return [name for name, table in tables.items() if table and not table.tower]


def run(types, count, seed, mutate=0):
    """Draw `count` configs over the types in turn, change at most `mutate` fields of each, and yield the outcomes."""
    for number in range(count):
        model_type = types[number % len(types)]
        rng = random.Random(f"{seed} {model_type} {number}")  # noqa: S311 - reproducible, not secret
        if model_type in tower_running.TYPES and rng.random() < TOWERS_SHARE:
            yield with_towers(model_type, rng, mutate)
            continue
        config = drawing.draw(model_type, own_classes(model_type), rng)
        if mutate:
            config = real(types, rng) if rng.random() < REAL_SHARE else config
            _, config = mutating.mutated(config, rng, mutate)
        yield outcome_of(config, rng)


def with_towers(model_type, rng, mutate):
    """Return the outcome of a small multimodal config: as text, then with a picture or sound and a step after it.

    Some classes take no text without a picture.
    """
    config, workload = tower_running.drawn(model_type, rng)
    if mutate:
        part = rng.choice(sorted(name for name, fields in config.items() if isinstance(fields, dict)))
        config[part] = mutating.mutated(config[part], rng, mutate)[1]
    outcome = outcome_of(config, rng)
    if outcome.verdict not in ("equal", UNRUNNABLE) or tower_running.is_large(config, workload):
        return outcome
    try:
        reason = tower_running.differences(config, workload)
    except FlopsheetError as error:
        said = any(NOT_SEEN in note for note in cost(load(), load_model(load(), config)).notes)
        return Outcome(model_type, config, SAID_UNSEEN if said else UNSEEN, str(error))
    return Outcome(model_type, config, "towers differ" if reason else "equal", reason, measured=True)


def real(types, rng):
    """Return a real config, of one of the types if there is any."""
    configs = [json.loads(path.read_text("utf-8")) for path in REAL]
    known = [config for config in configs if isinstance(config.get("model_type"), str)]
    return rng.choice([config for config in known if config["model_type"] in types] or known)


def own_classes(model_type):
    """Return the classes that take the type's own config: the language model inside a wrapper has none with a head."""
    kinds = drawing.class_table(model_type).classes
    only_base = set(kinds) <= {"base"}
    classes = classes_of(load(), model_type)
    return [name for name in classes if name.endswith("TextModel")] if only_base else classes


def endless(fields):
    """Tell whether a config asks for more layers than anything can build."""
    if isinstance(fields, dict):
        return any(map(endless, fields.values()))
    return isinstance(fields, int) and fields > MAX_SIZE


def built(config, name, counted):
    """Return the model of a config; an error without an attempt where none could come to an end."""
    if counted.status == "error" and endless(config):
        raise FlopsheetError("more layers than memory holds")
    return meta.build(config, name)


def own_class(name, model_type):
    """Tell whether a class of transformers takes the type's config; that of a language model in a wrapper may not."""
    import transformers  # noqa: PLC0415 - the configs are of use without it

    made_of = getattr(getattr(transformers, name, None), "config_class", None)
    mapped = name in drawing.class_table(model_type).classes.values()
    return mapped or made_of in (None, transformers.CONFIG_MAPPING[model_type])


def outcome_of(config, rng):
    """Return what flopsheet and transformers say of one config."""
    model_type = config["model_type"]
    if model_type in drawing.FIXED["tie_word_embeddings"]:
        config.pop("tie_word_embeddings", None)
    drawing.pad_head(config)
    counted, name = cost(load(), load_model(load(), config)), class_of(load(), config)
    if drawing.class_table(model_type) and not own_class(name, model_type):
        return Outcome(model_type, config, UNKNOWN, f"{name} is no class of {model_type}")
    try:
        model = built(config, name, counted)
    except FlopsheetError as error:
        unknown = any(word in str(error) for word in NOT_HERE)
        verdict = UNKNOWN if unknown else UNBUILT if counted.status == "ok" else "refused"
        return Outcome(model_type, config, verdict, str(error))
    if counted.status != "ok":
        reason = "; ".join(counted.problems)
        fails = bool(failure(config, model))
        return Outcome(model_type, config, NOT_EXACT[counted.status][fails], reason)
    return of_exact(config, counted, model, rng)


def of_exact(config, counted, model, rng):
    """Return the outcome of a config that is called `ok` and built: parameters first, then FLOP or the cache."""
    model_type, name = config["model_type"], type(model).__name__
    expected, number = sum(tensor.count for tensor in meta.tensors(model)), counted.totals["parameters"]
    if number != expected:
        reason = f"{name}: {number:,} counted, {expected:,} built ({number - expected:+,})"
        return Outcome(model_type, config, "parameters differ", reason)
    if expected > SMALL:
        return Outcome(model_type, config, "equal")
    if reason := failure(config, model):
        said = any(NOT_RUN in note for note in counted.notes)
        return Outcome(model_type, config, SAID if said else UNRUNNABLE, reason)
    if not measurable(counted, model):
        return Outcome(model_type, config, "equal")
    with_one = with_flops if rng.random() < FLOPS_SHARE else with_cache
    return with_one(config, counted, model, rng)


def failure(config, model):
    """Return why no token passes the model of a config, "" where some do; one too large for values runs without.

    Classes for multiple choice take tokens of another shape and are not run.
    """
    if type(model).__name__.endswith("ForMultipleChoice"):
        return ""
    for tokens in (TOKENS, FEW_TOKENS):
        try:
            measured(config, model, {"seq_len": tokens, "target_len": tokens})
        except FlopsheetError as error:
            reason = "" if passed_over(model, str(error)) else str(error)
        else:
            return ""
        if not reason:
            return ""
    return reason


def passed_over(model, error):
    """Tell whether an error says only that the oracle gave a class too little."""
    without_sound = type(model).__name__.startswith("SpeechT5") and "'NoneType' object is not subscriptable" in error
    return without_sound or any(words in error for words in PASSED_OVER)


def with_cache(config, counted, model, _):
    """Return the outcome of a config whose parameters are equal: what its cache holds after some tokens.

    States, latents and what layers share are kept in ways of their own, and not compared.
    """
    own = {name: value for name, value in counted.dimensions.items() if value}
    apart = ("latent", "shared", "index")
    plain = counted.totals["state_bytes"] == 0 and not any(word in name for name in own for word in apart)
    if (
        config["model_type"] in OTHER_CACHES
        or model.config.is_encoder_decoder
        or not plain
        or not counted.totals["kv_cache_bytes"]
    ):
        return Outcome(config["model_type"], config, "equal")
    result = cached(model)
    count = cost(load(), load_model(load(), config), {"context": TOKENS, "kv_dtype_bytes": 1}).totals["kv_cache_bytes"]
    if result in (None, count):
        return Outcome(config["model_type"], config, "equal")
    return Outcome(config["model_type"], config, "cache differs", f"{count:,} elements counted, {result:,} kept")


def cached(model):
    """Return the elements that the cache holds after a few tokens; None where the class does not run without values."""
    import torch  # noqa: PLC0415 - the configs are of use without it

    tokens = torch.zeros(1, TOKENS, dtype=torch.long, device=next(model.parameters()).device)
    try:
        with torch.no_grad():
            layers = model.eval()(input_ids=tokens, use_cache=True).past_key_values.layers
        return sum(layer.keys.numel() + layer.values.numel() for layer in layers)
    except Exception:  # noqa: BLE001 - classes fail in many ways where there are no values
        return None


def measurable(counted, model):
    """Tell whether torch's counter sees what is meant.

    Widths, heads, groups and streams of one channel look like outer products, which do not count, and rotary positions
    over an odd number of channels make the heads wider than they are.
    """
    named = [name for name in counted.dimensions if name.endswith("d_head") and name != "tied_head"]
    heads = [counted.dimensions[name] for name in named if counted.dimensions[name]]
    outer = 1 in map(counted.dimensions.get, ("d_expert", "d_model", "d_index_head", "n_streams"))
    if groups := counted.dimensions.get("n_out_groups"):
        heads += [heads[0] * counted.dimensions["n_heads"] // groups, counted.dimensions["n_streams"]]
    rotary = getattr(model.config, "rope_parameters", None) or {}
    turned = [int(head * rotary.get("partial_rotary_factor", 1)) for head in heads]
    return not outer and 1 not in heads and all(width % 2 == 0 and width > 0 for width in turned)


def with_flops(config, _, model, rng):
    """Return the outcome of a config whose parameters are equal: its FLOP of a short sequence."""
    lengths = {"seq_len": rng.randint(2, 12), "target_len": rng.randint(2, 12)}
    parts = {part for name, _ in model.named_modules() for part in name.split(".")}
    if not model.config.is_encoder_decoder or "encoder" not in parts:  # a decoder alone has one length
        lengths["target_len"] = lengths["seq_len"]
    counted = cost(load(), load_model(load(), config), lengths)
    kind, reason = flop_kind(counted)
    reason = OTHER_FLOPS.get(config["model_type"], reason)
    if config["model_type"] == "pegasus_x" and 1 in (config.get("num_global_tokens"), config.get("block_size")):
        reason = EINSUM_OVER_ONE
    if not kind or reason in (EINSUM_OVER_ONE, *OTHER_FLOPS.values()):
        return Outcome(config["model_type"], config, "equal", reason)
    number = counted.totals[f"flops_forward_{kind}"]
    try:
        expected = getattr(measured(config, model, lengths), kind)
    except FlopsheetError as error:
        return Outcome(config["model_type"], config, "equal", f"FLOP not measured: {error}")
    if number == expected:
        return Outcome(config["model_type"], config, "equal", measured=True)
    reason = f"{kind} {number:,} counted, {expected:,} measured ({number - expected:+,}) at {lengths}"
    return Outcome(config["model_type"], config, "FLOP differ", reason, measured=True)


def measured(config, model, lengths):
    """Return the FLOP of one forward pass; a class that looks at values is built with some, unless it is large."""
    try:
        return meta.forward_flops(model, **lengths)
    except FlopsheetError:
        if sum(tensor.count for tensor in meta.tensors(model)) > SMALL:
            raise
        return meta.forward_flops(meta.build(config, type(model).__name__, "cpu"), **lengths)


def shown(outcome):
    """Return an outcome as text, with the config that reproduces it."""
    return f"{outcome.model_type}: {outcome.verdict}: {outcome.reason}\n  {json.dumps(outcome.config)}"


def by_type(tally):
    """Return a line for each type: how often each verdict, and the commonest reasons of those that are not exact."""
    verdicts, reasons = defaultdict(Counter), defaultdict(Counter)
    for outcome in tally.outcomes:
        verdicts[outcome.model_type][outcome.verdict] += 1
        if outcome.verdict != "equal" or outcome.reason:
            reasons[outcome.model_type][f"{outcome.verdict}: {outcome.reason[:150]}"] += 1
    lines = []
    for name, counts in sorted(verdicts.items()):
        lines.append(f"{name:<20} " + ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())))
        lines += [f"    {count} × {reason}" for reason, count in reasons[name].most_common(4)]
    return "\n".join(lines)


def main():
    """Run the script."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--types", default="", help="model_types separated by commas; default: all that are claimed")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", default="0")
    parser.add_argument("--mutate", type=int, default=0, help="change one to so many fields of each config")
    parser.add_argument("-v", action="store_true", help="verdicts and reasons by type")
    given = parser.parse_args()
    tally = Tally()
    types = given.types.split(",") if given.types else claimed()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        for outcome in run(types, given.count, given.seed, given.mutate):
            tally.outcomes.append(outcome)
            if outcome.verdict in (*FAILED, UNBUILT, UNRUNNABLE, UNSEEN):
                print(shown(outcome), flush=True)  # noqa: T201 - a script
    except KeyboardInterrupt:
        print("stopped early")  # noqa: T201 - a script
    print(*([by_type(tally)] if given.v else []), tally, sep="\n")  # noqa: T201 - a script
    return int(bool(tally.failed))


if __name__ == "__main__":
    sys.exit(main())

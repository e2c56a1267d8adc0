"""Random configs of every claimed model_type have the parameters and FLOP of the class that transformers builds.

`FLOPSHEET_ORACLE_CONFIGS` says how many (60 unless set; the long run is 2,000), `FLOPSHEET_ORACLE_SEED` which.
"""

import importlib.util
import os
import random
import secrets

import adapting
import decoding
import pytest

MISSING = [name for name in ("torch", "transformers") if importlib.util.find_spec(name) is None]
pytestmark = [
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}"),
    pytest.mark.filterwarnings("ignore"),
]
COUNT = int(os.environ.get("FLOPSHEET_ORACLE_CONFIGS", "60"))
SEED = os.environ.get("FLOPSHEET_ORACLE_SEED", "0")


def test_what_is_called_ok_is_what_transformers_builds(capsys):
    """No number called `ok` differs; how many were not exact, or refused by transformers, is told."""
    import oracle  # noqa: PLC0415 - it needs torch and transformers

    tally = oracle.Tally(list(oracle.run(oracle.claimed(), COUNT, SEED)))
    with capsys.disabled():
        print(f"\nseed {SEED}: {tally}")  # noqa: T201 - the figures are the point of the run
    assert [oracle.shown(outcome) for outcome in tally.failed] == []
    assert any(outcome.verdict == "equal" for outcome in tally.outcomes)


def test_mutants_that_are_called_ok_are_what_transformers_builds(capsys):
    """One to five fields of drawn and real configs changed: none of this seed differs, and a new seed is printed.

    What a new seed finds is for the next change: it does not fail a run that changed something else.
    """
    import oracle  # noqa: PLC0415 - it needs torch and transformers

    tallies, types = {}, oracle.claimed()
    for seed in (SEED, str(secrets.randbelow(10**6))):
        drawn = types if seed == SEED else random.Random(seed).sample(types, len(types))  # noqa: S311 - no secret
        tallies[seed] = oracle.Tally(list(oracle.run(drawn, COUNT // 2, seed, mutate=5)))
        results = [*tallies[seed].failed, *(o for o in tallies[seed].outcomes if o.verdict == oracle.UNBUILT)]
        with capsys.disabled():
            print(f"\nmutants of seed {seed}: {tallies[seed]}", *map(oracle.shown, results), sep="\n")  # noqa: T201 - read by people
    assert [oracle.shown(outcome) for outcome in tallies[SEED].failed] == []


def test_models_that_see_and_hear_cost_what_torch_counts(capsys):
    """Small multimodal models take a picture or sound and then a step: FLOP, caches and the step equal torch's counts.

    As for mutants, a new seed is printed and fails nothing.
    """
    import oracle  # noqa: PLC0415 - it needs torch and transformers
    import tower_running  # noqa: PLC0415 - same

    tallies = {}
    for seed in (SEED, str(secrets.randbelow(10**6))):
        rng = random.Random(seed)  # noqa: S311 - no secret
        quick = rng.sample(tower_running.quick(), max(1, COUNT // 20))
        tallies[seed] = oracle.Tally([oracle.with_towers(model_type, rng, 0) for model_type in quick])
        with capsys.disabled():
            print(f"\ntowers of seed {seed}: {tallies[seed]}", *map(oracle.shown, tallies[seed].failed), sep="\n")  # noqa: T201 - read by people
    assert [oracle.shown(outcome) for outcome in tallies[SEED].failed] == []
    assert any(outcome.measured for outcome in tallies[SEED].outcomes)


@pytest.mark.parametrize("model_type", decoding.CONFIGS)
def test_prefill_and_decode_step_are_what_torch_counts(model_type):
    """The figures that the tests of serving hold flopsheet to are measured again."""
    assert decoding.measured(model_type) == decoding.MEASURED[model_type]


@pytest.mark.parametrize("model_type", adapting.types())
def test_adapters_are_of_all_linear_layers(model_type):
    """With rank 1, adapters have a number for each row and column of each linear layer but head and routers."""
    counted, built = adapting.sides(model_type, SEED)
    assert counted == built

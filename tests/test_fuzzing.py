"""A short run of `make fuzz`, with a new seed each time."""

import random

from fuzzing import KINDS, faults


def test_random_faults_break_nothing():
    """Inputs with random faults are answered or refused; the message has the case that makes a fault again."""
    seed = random.SystemRandom().randrange(10**6)
    assert faults(list(KINDS), 5, seed) == []


def test_a_case_is_the_same_each_time():
    """A seed makes the same bytes again."""
    assert [make(random.Random("1.7")) for make in KINDS.values()] == [  # noqa: S311 - reproducible
        make(random.Random("1.7"))  # noqa: S311 - same
        for make in KINDS.values()
    ]

"""Random formulas of the whole grammar, and values for their names."""

NAMES = "abcdef"


def whole(rng, depth=2):
    """Write a formula whose value and steps are whole numbers that float64 holds exactly."""
    if depth == 0:
        return rng.choice([*NAMES, str(rng.randint(0, 99))])
    left, right = whole(rng, depth - 1), whole(rng, depth - 1)
    return rng.choice([f"({left} + {right})", f"({left} - {right})", f"{left} * {right}", f"-({left})", left])


def ratio(rng):
    """Write a division of whole numbers: fractions in Python, and one rounding away from them in float64."""
    return f"max({whole(rng)}, 0) * {rng.choice(NAMES)} / max({whole(rng)}, 1)"


def condition(rng):
    """Write the test of a choice."""
    sides = rng.choice([(whole(rng), whole(rng)), (ratio(rng), ratio(rng)), (ratio(rng), whole(rng))])
    sign = rng.choice(["<", "<=", "==", "!=", ">=", ">"])
    return rng.choice([whole(rng), f"{sides[0]} {sign} {sides[1]}"])


def step(rng):
    """Write a rounding up or down."""
    below_zero = f"max(-floor(({whole(rng)}) / max({whole(rng)}, 1)), 0)"
    return rng.choice([f"ceil({ratio(rng)})", f"round_up({ratio(rng)}, max({whole(rng)}, 1))", below_zero])


def real(rng, depth):
    """Write a formula of values from 0 up: nothing cancels, so its rounding errors stay below 1e-12."""
    if depth == 0:
        return rng.choice([ratio(rng), step(rng), str(rng.randint(1, 999) / 100), rng.choice(NAMES)])
    left, right = real(rng, depth - 1), real(rng, depth - 1)
    return rng.choice(
        [
            f"({left} + {right})",
            f"{left} * ({right})",
            f"{left} / (1 + {right})",
            f"min({left}, {right})",
            f"max({left}, {right})",
            f"({left} if {condition(rng)} else {right})",
            f"power({left}, {rng.choice(['2', '0.5', '3', '0', '1 / 4'])})",
            f"log(2 + {left})",
            f"exp(min({left}, 9) / 10)",
            step(rng),
        ]
    )


def formula(rng):
    """Write any formula of the grammar."""
    return rng.choice(["", "-"]) + real(rng, rng.randint(1, 3))


def values(rng):
    """Choose a value for every name."""
    return {name: rng.choice([0, 1, rng.randint(0, 99), rng.randint(0, 99)]) for name in NAMES}

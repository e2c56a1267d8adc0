import pytest

from flopsheet.units.numbers import decimal_bytes, digits, human, number_of


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (0, "", "0"),
        (7, "", "7"),
        (999, "", "999"),
        (1000, "", "1.00 K"),
        (8_030_261_248, "parameters", "8.03 B"),
        (999_999, "", "1.00 M"),
        (383_866_460_176_384, "FLOP", "384 TFLOP"),
        (6.7e23, "FLOP", "670 ZFLOP"),
        (16_060_522_496, "bytes", "15.0 GiB"),
        (0.25, "", "0.250"),
        (1.976e15, "tokens", "1,980 T"),
        (15e18, "tokens", "1.5e+19"),
        (1e40, "FLOP", "1e+40 FLOP"),
    ],
)
def test_human_has_three_digits_and_a_prefix(value, unit, shown):
    """A number is short enough to compare at a glance and says its unit's prefix."""
    assert human(value, unit) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (8_030_261_248, "8,030,261,248"),
        (2**63, "9,223,372,036,854,775,808"),
        (12.0, "12"),
        (1234.5, "1,234.5"),
        (445_275_000_000.0625, "445,275,000,000"),
        (0.38, "0.38"),
        (0.000_012_5, "1.25e-05"),
        (-3, "-3"),
        (2**200, "1.60694e+60"),
        (6.7e23, "6.7e+23"),
    ],
)
def test_digits_are_all_there(value, shown):
    """Whole numbers show every digit; others as many as mean something."""
    assert digits(value) == shown


def test_vendors_label_memory_in_powers_of_1000():
    """16,060,522,496 bytes are 16.1 GB, which a person who compares with a label wants to know."""
    assert decimal_bytes(16_060_522_496) == "16.1 GB"


@pytest.mark.parametrize(("count", "shown"), [(0, "0 models"), (1, "1 model"), (12_000, "12,000 models")])
def test_one_thing_is_said_in_the_singular(count, shown):
    """So reads every count on a terminal."""
    assert number_of(count, "model") == shown

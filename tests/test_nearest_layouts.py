"""The note on a model that does not fit: the nearest layout that does, or how many accelerators it takes."""

from samples import planned, write_portfolio

from flopsheet.planning.nearest_layouts import nearest_layouts

PORTFOLIO = """
questions = ["training"]
[inputs]
accelerator = "h100-sxm"
accelerators = {accelerators}
"""
FITS = """
[[models]]
name = "8B"
size = "8B"
"""
LARGE = """
[[models]]
name = "70B"
size = "70B"
inputs = { tensor_parallel = 2, pipeline_parallel = 8, zero_stage = 1 }
"""


def notes(folder, models, accelerators=64):
    """Return the notes on the models."""
    path = write_portfolio(folder, PORTFOLIO.format(accelerators=accelerators) + models)
    return [*nearest_layouts(planned(path))]


def test_the_nearest_layout_is_named(tmp_path):
    """Its tensor and pipeline sizes stay where a setting beside them is enough."""
    (note,) = notes(tmp_path, LARGE)
    assert note.startswith("70B does not fit under its layout; the nearest that fits is TP2 PP8 ")


def test_other_models_change_nothing(tmp_path):
    """What is near is near the model's own layout, whatever was found for those before it."""
    (alone,) = notes(tmp_path, LARGE)
    before = LARGE.partition("inputs")[0].replace('name = "70B"', 'name = "Ours"')
    assert notes(tmp_path, before + LARGE) == [alone]


def test_too_few_accelerators_are_said(tmp_path):
    """Where none of the layouts fits, it is said how many it takes."""
    (note,) = notes(tmp_path, LARGE.partition("inputs")[0], 4)
    assert "none of those compared does on so few accelerators: it takes " in note


def test_a_model_that_fits_has_no_note(tmp_path):
    """There is nothing to say."""
    assert notes(tmp_path, FITS) == []

"""A sample of the wrong plugins that the tool drives: no traceback, no stopped report, no other answer."""

import os
import sys
from pathlib import Path

import pytest
from toy_plugins import Point, plugin, toy
from wrong_plugins import WRONGS, drive

from flopsheet import Architecture, Exporter
from flopsheet.errors import PluginError
from flopsheet.host.loading import load_from
from flopsheet.host.shelter import shelter

SAMPLE = ("an architecture: depth is None", "a question: a line of an unknown unit", "a formula for a note")


def test_a_sample_harms_nobody():
    """Each is found by the check or harmless, and the report is written with the numbers of others."""
    assert len(WRONGS) >= 160
    assert {name: seen.faults for name, seen in drive(list(SAMPLE)).items() if seen.faults} == {}


def test_what_code_changes_of_the_process_is_put_back(tmp_path):
    """The working folder, the depth of recursion and standard error."""
    before = Path.cwd(), sys.getrecursionlimit(), sys.stderr

    def spoil():
        os.chdir(tmp_path)
        sys.setrecursionlimit(before[1] + 500)
        sys.stderr = None

    shelter(spoil, "a test")
    assert (Path.cwd(), sys.getrecursionlimit(), sys.stderr) == before


def test_code_that_would_end_the_process_raises():
    """With the status that it wanted, as any other error of a plugin."""
    with pytest.raises(PluginError, match="SystemExit: 7"):
        shelter(lambda: os._exit(7), "a test")
    assert os._exit.__module__ == "posix"


HELD = {
    "an architecture": ({"architectures": [Architecture("toy", "Toy", "One", depth=None)]}, "Architecture.depth: null"),
    "an exporter": ({"exporters": [Exporter(suffix=None, title="T", write=print)]}, "Exporter.suffix: null"),
}


@pytest.mark.parametrize(("answers", "said"), HELD.values(), ids=HELD)
def test_records_of_python_are_held_to_their_types(answers, said):
    """When they are asked for, with the field."""
    host = load_from([Point("bad", toy(**answers) if "architectures" in answers else plugin(**answers))])
    host.ask_all("flopsheet_exporters", Exporter)
    assert [said in failure.reason for failure in host.failures] == [True]

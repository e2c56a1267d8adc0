"""Installed plugins: entry points are read from their files as importlib.metadata reads them."""

import os
import zipfile
from importlib.metadata import entry_points

import pytest

from flopsheet.host.entry_points import Point, installed_points


def distribution(folder, name, points, ending="dist-info"):
    """Write the metadata of a distribution with some entry points."""
    about = folder / f"{name}-1.0.{ending}"
    about.mkdir(parents=True)
    about.joinpath("METADATA").write_text(f"Metadata-Version: 2.4\nName: {name}\nVersion: 1.0\n\n", "utf-8")
    about.joinpath("entry_points.txt").write_text(points, "utf-8")


def told(points):
    """Return what entry points say, with the names of their distributions."""
    names = [(point.dist.read_text("METADATA") or point.dist.read_text("PKG-INFO")) for point in points]
    return [(point.name, point.value, name) for point, name in zip(points, names, strict=True)]


POINTS = """
[console_scripts]
dense = somebody:main

# a comment
[flopsheet]
  one = some.body
# two = some.body

two=some.body:part.of [extra]
[flopsheet.other]
three = some.body
"""


@pytest.fixture
def path(tmp_path, monkeypatch):
    """Give two folders at the head of sys.path, and one that is not there."""
    folders = [tmp_path / "first", tmp_path / "second"]
    for folder in [tmp_path / "none", *reversed(folders)]:
        monkeypatch.syspath_prepend(folder)
    return folders


def test_entry_points_are_those_of_the_standard_library(path):
    """Sections, comments and spaces are read alike, and of two distributions of a name the first one counts."""
    first, second = path
    distribution(first, "Some.Body", POINTS)
    distribution(second, "some_body", "[flopsheet]\nhidden = some.body\n")
    distribution(second, "another", "[flopsheet]\nfour = another\n", "egg-info")
    distribution(second, "nothing", "")
    (second / "file-1.0.egg-info").write_text("Name: file\n", "utf-8")
    assert sorted(told(installed_points())) == sorted(told(entry_points(group="flopsheet")))
    assert {"one", "two", "four"} < {point.name for point in installed_points()}


def test_distributions_in_an_archive_are_found(tmp_path, monkeypatch):
    """What lies in a zip file on the path is asked of the standard library."""
    with zipfile.ZipFile(tmp_path / "packed.zip", "w") as archive:
        archive.writestr("packed-1.0.dist-info/METADATA", "Name: packed\nVersion: 1.0\n\n")
        archive.writestr("packed-1.0.dist-info/entry_points.txt", "[flopsheet]\npacked = packed\n")
    monkeypatch.syspath_prepend(tmp_path / "packed.zip")
    assert "packed" in {point.name for point in installed_points()}


def test_an_entry_point_may_name_a_part_of_a_module():
    """What stands behind the colon is looked up in the module, and an extra is passed over."""
    assert Point("one", "os:path.join [extra]", None).load() is os.path.join
    assert Point("one", "zipfile", None).load() is zipfile

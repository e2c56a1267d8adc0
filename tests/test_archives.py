"""Archives of configs that somebody made to cost time and memory: refused before anything is unpacked."""

import gzip
import io
import tarfile
import zipfile
from copy import copy

import pytest
from click.testing import CliRunner
from samples import CONFIGS

from flopsheet.cli import main
from flopsheet.configs import batches

CONFIG = (CONFIGS / "gpt2-xl" / "config.json").read_bytes()


def refusal(path):
    """Return what `show` says of an archive that it refuses."""
    result = CliRunner().invoke(main, ["show", str(path)])
    assert result.exit_code == 2
    return result.stderr


def test_entries_that_overlap_are_refused(tmp_path):
    """What is packed once would be unpacked as often as the directory names it."""
    with zipfile.ZipFile(tmp_path / "odd.zip", "w") as archive:
        archive.writestr("m0/config.json", CONFIG)
        for at in range(1, 20):
            again = copy(archive.filelist[0])
            again.filename = again.orig_filename = f"m{at}/config.json"
            archive.filelist.append(again)
    assert "odd.zip: has entries that overlap; pack the folder again" in refusal(tmp_path / "odd.zip")


@pytest.mark.parametrize("suffix", ["zip", "tar.gz"])
def test_a_config_that_unpacks_to_far_too_much_is_refused(suffix, tmp_path):
    """A large config is text, which no program packs a thousandfold."""
    path, data = tmp_path / f"odd.{suffix}", b" " * 2**23
    if suffix == "zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("m/config.json", data)
    else:
        with tarfile.open(path, "w:gz") as archive:
            info = tarfile.TarInfo("m/config.json")
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    assert f"odd.{suffix}: m/config.json unpacks to more than 200 times its size" in refusal(path)


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK])
def test_a_large_header_is_refused_before_it_is_read(kind, tmp_path):
    """It announces 2 GiB, none of which follow."""
    header = tarfile.TarInfo("x")
    header.type, header.size = kind, 2**31
    with gzip.open(tmp_path / "odd.tar.gz", "wb") as file:
        file.write(header.tobuf(tarfile.GNU_FORMAT))
    said = refusal(tmp_path / "odd.tar.gz")
    assert "odd.tar.gz: a header of 2,147,483,648 bytes; at most 1,048,576 are read" in said


def test_a_long_name_is_no_large_header(tmp_path):
    """GNU tar writes a header for each name of more than 100 characters."""
    info = tarfile.TarInfo(f"{'x' * 200}/config.json")
    info.size = len(CONFIG)
    with tarfile.open(tmp_path / "long.tar", "w", format=tarfile.GNU_FORMAT) as archive:
        archive.addfile(info, io.BytesIO(CONFIG))
    assert CliRunner().invoke(main, ["show", str(tmp_path / "long.tar")]).exit_code == 0


def test_a_piece_holds_a_limited_number_of_bytes(monkeypatch):
    """Large configs are counted a few at a time, however many there are."""
    monkeypatch.setattr(batches, "MAX_BYTES", 100)
    contents = [batches.Config(f"m{at}", b"x" * 40) for at in range(7)]

    class Source:
        def contents(self):
            return iter(contents)

    pieces = list(batches.Batch((Source(),), [f"m{at}" for at in range(7)]).pieces())
    assert [len(piece.contents) for piece in pieces] == [3, 3, 1]
    assert [name for piece in pieces for name in piece.names] == [f"m{at}" for at in range(7)]

"""Archives of configs that somebody made to cost time and memory: refused before anything is unpacked."""

import gzip
import io
import tarfile
import tracemalloc
import zipfile
from copy import copy

import pytest
from click.testing import CliRunner
from samples import CONFIGS

from flopsheet.cli import main
from flopsheet.configs import batches
from flopsheet.configs.archives import Archive

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
    assert f"odd.{suffix}: unpacks to more than 200 times its size; if you trust it, unpack" in refusal(path)


def padded(path, count, size):
    """Write an archive of so many configs, each padded with spaces to so many bytes."""
    data = CONFIG.rstrip().removesuffix(b"}").ljust(size - 1) + b"}"
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for at in range(count):
                archive.writestr(f"m{at}/config.json", data)
        return
    with tarfile.open(path, f"w:{path.suffix[1:]}") as archive:
        for at in range(count):
            info = tarfile.TarInfo(f"m{at}/config.json")
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))


@pytest.mark.parametrize("suffix", ["zip", "tar.gz", "tar.bz2", "tar.xz"])
def test_configs_that_together_unpack_to_far_too_much_are_refused(suffix, tmp_path):
    """Each alone is small enough to pass."""
    padded(tmp_path / f"odd.{suffix}", 12, 900_000)
    assert f"odd.{suffix}: unpacks to more than 200 times its size" in refusal(tmp_path / f"odd.{suffix}")


@pytest.mark.parametrize("suffix", ["zip", "tar.gz", "tar.bz2", "tar.xz"])
def test_many_configs_that_are_alike_are_no_bomb(suffix, tmp_path):
    """They pack a thousandfold, and each is as large as configs are."""
    padded(tmp_path / f"alike.{suffix}", 100, 60_000)
    assert len(list(Archive(tmp_path / f"alike.{suffix}").members())) == 100


@pytest.mark.parametrize("suffix", ["gz", "bz2", "xz"])
def test_a_tar_file_is_unpacked_a_little_at_a_time(suffix, tmp_path):
    """What a thousand bytes of it unpack to can be more than memory holds."""
    padded(tmp_path / f"odd.tar.{suffix}", 1, 2**26)
    tracemalloc.start()
    refusal(tmp_path / f"odd.tar.{suffix}")
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 2**24


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


@pytest.mark.parametrize("name", ["a\\..\\config.json", "a\\config.json"])
@pytest.mark.parametrize("suffix", ["zip", "tar"])
def test_backslashes_are_unsafe_in_names(suffix, name, tmp_path):
    """On Windows they part folders, elsewhere they would hide a config."""
    with zipfile.ZipFile(tmp_path / "odd.zip", "w") as archive:
        archive.writestr(name, CONFIG)
    with tarfile.open(tmp_path / "odd.tar", "w") as archive:
        info = tarfile.TarInfo(name)
        info.size = len(CONFIG)
        archive.addfile(info, io.BytesIO(CONFIG))
    assert f"an unsafe name: {name!r}; pack the folder again" in refusal(tmp_path / f"odd.{suffix}")

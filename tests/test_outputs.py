"""Outputs: refused before any work, written aside, renamed together (flopsheet.export.files)."""

import os
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from click.testing import CliRunner

from flopsheet.cli import main
from flopsheet.errors import UsageError
from flopsheet.export.aside import write_aside, write_tree
from flopsheet.export.files import FORMATS, check_inputs_kept, check_outputs, same_file, shown_path


def _content(folder):
    return {path.name: path.read_text() for path in folder.iterdir()}


def _writes(text):
    return lambda path: path.write_text(text)


def _fails(path):
    path.write_text("half of it")
    raise ValueError("no more")


def test_all_outputs_are_written(tmp_path):
    """Each output holds what its writer wrote, and nothing else stands in the folder."""
    write_aside({tmp_path / "a.toml": _writes("a"), tmp_path / "b.csv": _writes("b")})
    assert _content(tmp_path) == {"a.toml": "a", "b.csv": "b"}


def test_an_output_that_exists_is_replaced(tmp_path):
    """A second run replaces the first one's output."""
    (tmp_path / "a.toml").write_text("old")
    write_aside({tmp_path / "a.toml": _writes("new")})
    assert _content(tmp_path) == {"a.toml": "new"}


def test_an_error_leaves_everything_as_it_was(tmp_path):
    """If one output fails, no output is replaced and no draft is left."""
    (tmp_path / "a.toml").write_text("old")
    with pytest.raises(ValueError, match="no more"):
        write_aside({tmp_path / "a.toml": _writes("new"), tmp_path / "b.csv": _fails})
    assert _content(tmp_path) == {"a.toml": "old"}


def test_an_interrupt_leaves_nothing(tmp_path):
    """Ctrl-C in the middle of a write leaves no draft."""

    def interrupted(path):
        path.write_text("half of it")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_aside({tmp_path / "a.toml": interrupted})
    assert _content(tmp_path) == {}


def test_a_writer_sees_the_suffix(tmp_path):
    """The draft has the output's suffix, for writers that look at it, and stands on the output's disk, hidden."""
    seen = []
    write_aside({tmp_path / "a.xlsx": lambda path: seen.append(path) or path.write_text("new")})
    assert [(path.parent.parent, path.parent.name[:11], path.suffix) for path in seen] == [
        (tmp_path, ".flopsheet-", ".xlsx")
    ]


def test_what_a_killed_run_left_is_removed_by_the_next(tmp_path):
    """A draft whose run is gone has no lock; it goes, whatever stands in it."""
    (tmp_path / ".flopsheet-dead").mkdir()
    (tmp_path / ".flopsheet-dead" / "0.xlsx").write_text("half of it")
    write_aside({tmp_path / "a.toml": _writes("new")})
    assert _content(tmp_path) == {"a.toml": "new"}


def test_a_run_leaves_the_drafts_of_another_alone(tmp_path):
    """Two runs that write into one folder at once do not remove each other's drafts."""

    def meanwhile(path):
        write_aside({tmp_path / "b.toml": _writes("other")})
        path.write_text("own")

    write_aside({tmp_path / "a.toml": meanwhile})
    assert _content(tmp_path) == {"a.toml": "own", "b.toml": "other"}


def test_a_link_is_written_through(tmp_path):
    """An output that is a symbolic link stays one: the file that it names is replaced."""
    (tmp_path / "real.toml").write_text("old")
    (tmp_path / "link.toml").symlink_to(tmp_path / "real.toml")
    write_aside({tmp_path / "link.toml": _writes("new")})
    assert (tmp_path / "link.toml").is_symlink()
    assert (tmp_path / "real.toml").read_text() == "new"


def test_permissions_are_kept(tmp_path):
    """A replaced file keeps its permissions; a new one gets the usual ones."""
    output = tmp_path / "a.toml"
    output.write_text("old")
    output.chmod(0o640)
    write_aside({output: _writes("new"), tmp_path / "b.toml": _writes("new")})
    (tmp_path / "usual").touch()
    modes = [path.stat().st_mode & 0o777 for path in (output, tmp_path / "b.toml", tmp_path / "usual")]
    assert modes == [0o640, modes[2], modes[2]]


def test_a_system_error_is_told_plainly(tmp_path):
    """What the system refuses is a UsageError that names the output."""

    def full(_):
        raise OSError(28, "No space left on device")

    with pytest.raises(UsageError, match=r"a\.toml: cannot be written: No space left on device"):
        write_aside({tmp_path / "a.toml": full})
    assert _content(tmp_path) == {}


BAD = {
    "no folder": ("nowhere/a.toml", "nowhere does not exist; make it first"),
    "folder is a file": ("file.txt/a.toml", "file.txt is not a folder"),
    "is a folder": ("folder.toml", "is a directory"),
    "unknown suffix": ("a.pdf", "unsupported extension '.pdf'; use one of .xlsx"),
    "no suffix": ("a", "no extension; use one of"),
    "too long": ("a" * 300 + ".toml", "cannot be written: File name too long"),
    "null byte": ("a\0b.toml", "not a file path"),
}


@pytest.mark.parametrize(("name", "message"), BAD.values(), ids=BAD)
def test_a_place_that_cannot_be_written_is_refused(tmp_path, name, message):
    """Nothing is computed for an output that could not be written in the end."""
    (tmp_path / "folder.toml").mkdir()
    (tmp_path / "file.txt").touch()
    with pytest.raises(UsageError, match=re.escape(message)):
        check_outputs([tmp_path / name])


def test_an_output_that_links_to_itself_is_refused(tmp_path):
    """The link stays, and the message says what it is."""
    (tmp_path / "a.csv").symlink_to("a.csv")
    with pytest.raises(UsageError, match="a symbolic link that leads back to itself"):
        check_outputs([tmp_path / "a.csv"])


def test_a_read_only_output_is_refused(tmp_path):
    """Who takes away the right to write means the file to stay, even if its folder would let it be replaced."""
    (tmp_path / "a.csv").write_text("old")
    (tmp_path / "a.csv").chmod(0o444)
    with pytest.raises(UsageError, match=r"a\.csv is read-only; make it writable"):
        check_outputs([tmp_path / "a.csv"])


def test_a_pipe_is_written_into(tmp_path):
    """A named pipe stays one, and its reader gets the whole output."""
    os.mkfifo(tmp_path / "a.csv")
    with ThreadPoolExecutor(1) as pool:
        read = pool.submit((tmp_path / "a.csv").read_text)
        write_aside({tmp_path / "a.csv": _writes("new")})
        assert read.result(timeout=10) == "new"
    assert (tmp_path / "a.csv").is_fifo()


def test_of_two_names_of_a_file_one_is_replaced(tmp_path):
    """A hard link is a copy that costs nothing, such as a backup's: the other name keeps the old content."""
    (tmp_path / "a.csv").write_text("old")
    os.link(tmp_path / "a.csv", tmp_path / "backup.csv")
    write_aside({tmp_path / "a.csv": _writes("new")})
    assert _content(tmp_path) == {"a.csv": "new", "backup.csv": "old"}


@pytest.mark.parametrize("suffix", FORMATS)
def test_known_suffixes_are_taken_in_any_case(tmp_path, suffix):
    """`.XLSX` is `.xlsx`."""
    check_outputs([tmp_path / f"a{suffix.upper()}"])


@pytest.mark.parametrize(
    ("second", "said"),
    [("a.toml", "is given twice"), ("../{here}/a.toml", "are the same file"), ("link.toml", "are the same file")],
)
def test_two_outputs_of_one_file_are_refused(tmp_path, second, said):
    """The same file under two names would keep only one of them."""
    (tmp_path / "link.toml").symlink_to(tmp_path / "a.toml")
    with pytest.raises(UsageError, match=said):
        check_outputs([tmp_path / "a.toml", tmp_path / second.format(here=tmp_path.name)])


def test_an_input_is_never_overwritten(tmp_path, monkeypatch):
    """An output that is an input under another name is refused."""
    (tmp_path / "plan.toml").touch()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=r"is an input \(plan\.toml\)"):
        check_inputs_kept([tmp_path / "plan.toml"], [Path("plan.toml")])


def test_a_hard_link_is_the_same_file(tmp_path):
    """Two names of one file are found even if their paths differ."""
    (tmp_path / "a").touch()
    os.link(tmp_path / "a", tmp_path / "b")
    assert same_file(tmp_path / "a", tmp_path / "b")
    assert not same_file(tmp_path / "a", tmp_path / "c")
    assert not same_file(tmp_path / "a", Path("a\0b"))


def test_paths_are_shown_from_here(tmp_path, monkeypatch):
    """Below the working folder a path is relative, elsewhere it stays as it was given, without detours."""
    monkeypatch.chdir(tmp_path)
    shown = [shown_path(path) for path in (tmp_path / "a" / "b", "a/../c", "/elsewhere/./a", "../x", "")]
    assert shown == ["a/b", "c", "/elsewhere/a", "../x", ""]


def test_two_outputs_of_one_file_are_refused_whoever_writes_them(tmp_path):
    """A link hides that the second one would replace the first."""
    (tmp_path / "linked.csv").symlink_to(tmp_path / "a.csv")
    with pytest.raises(UsageError, match="are the same file"):
        write_aside({tmp_path / "a.csv": _writes("a"), tmp_path / "linked.csv": _writes("b")})


@pytest.mark.parametrize(("one", "other"), [("plan.csv", "Plan.csv"), ("a/plan.csv", "A/plan.csv")])
def test_names_that_differ_only_in_case_are_refused(one, other, tmp_path):
    """On most disks of Windows and macOS the second would replace the first."""
    for path in (one, other):
        (tmp_path / path).parent.mkdir(exist_ok=True)
    with pytest.raises(UsageError, match=r"differ only in case: they are one file on Windows and macOS; give each"):
        write_aside({tmp_path / one: _writes("a"), tmp_path / other: _writes("b")})
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


@pytest.mark.parametrize("command", [["report", "7B"], ["sweep", "d.toml"], ["import", "w.xlsx"]])
@pytest.mark.parametrize("name", ["y.csv/", "y.csv/."])
def test_the_name_of_a_folder_is_no_output(command, name, tmp_path):
    """The slash at its end is not dropped."""
    said = CliRunner().invoke(main, [*command, "-o", f"{tmp_path}/{name}"])
    assert (said.exit_code, list(tmp_path.iterdir())) == (2, [])
    assert f"{name}' names a folder; expected a file such as plan.xlsx" in " ".join(said.stderr.split())


def test_folders_of_files_that_fail_are_gone(tmp_path):
    """What stood there before is left."""
    with pytest.raises(ValueError, match="no more"):
        write_tree({tmp_path / "new" / "a.toml": _writes("a"), tmp_path / "new" / "deep" / "b.csv": _fails})
    assert _content(tmp_path) == {}


@pytest.mark.parametrize("suffix", ["toml", "json", "csv", "md", "html", "parquet", "xlsx"])
def test_a_folder_whose_name_is_not_utf_8_has_a_replacement_in_every_format(tmp_path, suffix):
    """No output can hold the bytes of such a name; each is written, and readable."""
    if suffix == "parquet":
        pytest.importorskip("pyarrow")
    folder = tmp_path / os.fsdecode(b"b\xff")
    folder.mkdir()
    (folder / "config.json").write_text('{"model_type": "gpt2", "n_layer": 2}', "utf-8")
    output = tmp_path / f"plan.{suffix}"
    result = CliRunner().invoke(main, ["report", str(folder), "-o", str(output)])
    assert result.exit_code == 0, result.output
    assert suffix == "xlsx" or "b�".encode() in output.read_bytes()

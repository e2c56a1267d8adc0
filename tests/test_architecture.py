"""The shape of the project: who may import whom, what is public, how long files are, what commands load."""

import ast
import json
import subprocess
import sys
import tomllib
from functools import cache
from graphlib import TopologicalSorter
from importlib.metadata import version
from pathlib import Path
from typing import get_args

import pytest
from click.testing import CliRunner

import flopsheet
import livesheets
from flopsheet.accounting.line import GROUPS
from flopsheet.cli import main

ROOT = Path(__file__).parent.parent
ROOMS = ("cli", "kit", "audit", "verify", "export", "planning", "configs", "host", "accounting", "units")
"""Each room imports the rooms behind it, and none before it."""

SHEETS = sorted(ROOT.glob("src/livesheets/**/*.py"))
SOURCES = sorted([*ROOT.glob("src/flopsheet/**/*.py"), *SHEETS])
PLUGINS = sorted([*ROOT.glob("plugins/**/*.py"), *ROOT.glob("examples/**/flopsheet_*.py")])
PUBLIC = [
    *("API_VERSION", "MODELS", "OTHERS", "Accelerator", "Architecture", "Block", "Check", "Costed"),
    *("Description", "Dimension", "Exporter", "Family", "Figure", "FlopsheetError", "Group", "Input", "Line"),
    *("Link", "ModelReader", "Number", "Optimizer", "PlanResult", "Portfolio", "Price", "Question", "Reader"),
    *("Reading", "FoundRow", "RowSearch", "Rows", "Rule", "ScalingLaw", "SweepResult", "Table", "WeightFormat"),
    *("accelerators", "blocks", "compose", "evaluate", "families_from", "hookimpl", "inputs_from", "lines_from"),
    *("load_portfolio", "plan", "read_windows", "report", "rules_from", "sheet_from", "sweep"),
]
HEAVY = {"numpy", "openpyxl", "lxml", "rich", "hypothesis", "packaging", "difflib"}


def relative(path):
    """Return a path for people."""
    return str(path.relative_to(ROOT))


@cache
def parsed(path):
    """Return a file's syntax tree, which several tests look at."""
    return ast.parse(path.read_text("utf-8"))


@cache
def imports(path):
    """Return every module, and every name with its module, that a file imports anywhere."""
    result = set()
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            result |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{relative(path)} has a relative import, which hides its room"
            result |= {f"{node.module}.{alias.name}" for alias in node.names}
    return result


def faults(paths, find):
    """Return what is wrong in modules by the module, nothing where all is right."""
    return {relative(path): wrong for path in paths if (wrong := find(path))}


def room(module):
    """Return the room of a module of flopsheet, or nothing."""
    parts = module.split(".")
    return parts[1] if parts[0] == "flopsheet" and len(parts) > 1 and parts[1] in ROOMS else None


GROUND = ("__init__.py", "__main__.py", "blocks.py", "compose.py", "errors.py", "testing.py")
INSIDE = [
    path for path in SOURCES if path not in SHEETS and (path.parent.name != "flopsheet" or path.name not in GROUND)
]
FORMULAS = ("addresses", "days", "errors", "excel", "references", "spelling", "suggestions", "tokens")
"""The modules of livesheets that are of its interface."""


def test_imports_run_one_way():
    """From cli to export, planning, configs, host, accounting, units and spreadsheet, and never back."""

    def back(path):
        before = ROOMS[: ROOMS.index(path.relative_to(ROOT / "src" / "flopsheet").parts[0])]
        return [name for name in sorted(imports(path)) if room(name) in before]

    assert faults(INSIDE, back) == {}


HOUSES = ("flopsheet", "livesheets")


def own_imports(path):
    """Return the modules of both houses that a file imports anywhere: inside functions, and for its types alone."""
    return {
        f"{node.module}.{alias.name}" if f"{node.module}.{alias.name}" in MODULES else node.module
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.ImportFrom) and node.module.split(".")[0] in HOUSES
        for alias in node.names
    }


MODULES = {
    ".".join(path.relative_to(ROOT / "src").with_suffix("").parts).removesuffix(".__init__"): path for path in SOURCES
}


def test_no_imports_go_in_a_circle():
    """Modules that need each other are one module: also where a function hides its import, or only types are needed."""
    graph = {name: own_imports(path) & MODULES.keys() - {name} for name, path in MODULES.items()}
    TopologicalSorter(graph).prepare()


NOT_VERBS = {
    *("added", "asked", "called", "changed", "checked", "chosen", "compared", "computed", "counted"),
    *("declared", "described", "drawn", "filled", "found", "given", "held", "joined", "kept", "known"),
    *("laid", "listed", "lost", "made", "merged", "moved", "named", "needed", "offered", "packed", "parsed"),
    *("placed", "planned", "priced", "ranked", "refused", "renamed", "rounded", "said", "scaled", "settled"),
    *("shown", "spelled", "stated", "summed", "taken", "told", "tried", "typed", "used", "wanted", "written"),
}
"""Participles, which say what a value is and not what a function does."""


def called_functions(tree):
    """Give the name of each function that is no property."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and "property" not in " ".join(map(ast.unparse, node.decorator_list)):
            yield node.name


def test_functions_are_verbs():
    """What is called says what it does; participles are for values."""

    def participles(path):
        return [name for name in called_functions(parsed(path)) if name.strip("_") in NOT_VERBS]

    assert faults([*SOURCES, *PLUGINS], participles) == {}


def test_nothing_inside_imports_the_front_door():
    """The package's public names are for others: whoever stands inside names the room."""
    public = {f"flopsheet.{name}" for name in PUBLIC}
    assert faults(INSIDE, lambda path: imports(path) & public) == {}


def test_livesheets_knows_nothing_of_models():
    """The second package could be installed without flopsheet."""

    def foreign(path):
        return [name for name in imports(path) if name.split(".")[0].startswith("flopsheet")]

    assert faults(SHEETS, foreign) == {}


def test_nobody_reaches_behind_livesheets():
    """Its names and modules of the interface are all that others use; the audit looks into parts of workbooks."""

    def behind(path):
        used = {name.removeprefix("livesheets.") for name in imports(path) if name.startswith("livesheets.")}
        return [name for name in used if name not in livesheets.__all__ and name.split(".")[0] not in FORMULAS]

    assert faults([path for path in INSIDE if path.parent.name != "audit"], behind) == {}


def test_the_ground_floor_knows_nothing_of_models():
    """Units are read without models: of flopsheet they import their own modules and errors."""
    inside = (ROOT / "src" / "flopsheet" / "units").glob("**/*.py")
    ours = {name for path in inside for name in imports(path) if name.split(".")[0] == "flopsheet"}
    assert {name for name in ours if not name.startswith(("flopsheet.units", "flopsheet.errors."))} == set()


def test_accounting_imports_no_other_room():
    """Formulas know nothing of files, plugins or workbooks."""
    inside = [path for path in SOURCES if "accounting" in path.parts]
    rooms = {room(name) for path in inside for name in imports(path)} - {None}
    assert rooms == {"accounting"}


def test_plugins_import_public_names_alone():
    """A bundled plugin uses what anybody's can, and its own modules."""
    public = {f"flopsheet.{name}" for name in flopsheet.__all__}

    def others(path):
        own = path.relative_to(ROOT / "plugins").parts[0] if path.is_relative_to(ROOT / "plugins") else path.stem
        ours = {name for name in imports(path) if name.startswith("flopsheet") and name.split(".")[0] != own}
        return ours - public

    assert faults(PLUGINS, others) == {}


def test_the_public_names():
    """What is promised to others, sorted, and there."""
    assert flopsheet.__all__ == sorted(PUBLIC)
    assert all(hasattr(flopsheet, name) for name in PUBLIC)


def test_the_version_is_the_packages():
    """It is the tag's, by way of the installed metadata, and typed nowhere else."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert project["project"]["dynamic"] == ["version"]
    assert project["tool"]["hatch"]["version"]["source"] == "vcs"
    assert flopsheet.__version__ == version("flopsheet")
    printed = CliRunner().invoke(main, ["--version"], prog_name="flopsheet", catch_exceptions=False).output
    assert printed == f"flopsheet, version {version('flopsheet')}\n"


def lines_of_code(path):
    """Return how many lines hold code: blank lines, comments and docstrings left out."""
    text = path.read_text("utf-8")
    told = set()
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            told |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    lines = enumerate(text.splitlines(), start=1)
    return sum(1 for number, line in lines if line.strip() and not line.strip().startswith("#") and number not in told)


def test_files_are_short():
    """A file that one can read in a sitting."""
    assert {path: lines for path, lines in faults([*SOURCES, *PLUGINS], lines_of_code).items() if lines > 350} == {}


def undocumented(tree, prefix=""):
    """Return the public functions and classes without a docstring, methods included."""
    results = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            results += [] if ast.get_docstring(node) else [prefix + node.name]
            results += undocumented(node, f"{prefix}{node.name}.") if isinstance(node, ast.ClassDef) else []
    return results


def test_everything_public_has_a_docstring():
    """Modules, classes, methods and functions."""

    def lacking(path):
        tree = parsed(path)
        return [*([] if ast.get_docstring(tree) else ["the module"]), *undocumented(tree)]

    assert faults([*SOURCES, *PLUGINS], lacking) == {}


def loaded(*arguments):
    """Return the modules that a command has loaded when it ends."""
    code = (
        "import sys, json, atexit\n"
        "from flopsheet.cli import main\n"
        "atexit.register(lambda: print(json.dumps(sorted(sys.modules)), file=sys.stderr))\n"
        f"sys.argv = ['flopsheet', *{list(arguments)!r}]\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return {name.split(".")[0] for name in json.loads(done.stderr.splitlines()[-1])}


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["show", "examples/configs/gpt2-xl/config.json"],
        ["show", "examples/configs/gpt2-xl/config.json", "--format", "json"],
        ["plugins"],
    ],
    ids=" ".join,
)
def test_short_commands_load_nothing_heavy(arguments):
    """What only sweeps, workbooks and mistakes need is loaded when it is needed."""
    assert loaded(*arguments) & HEAVY == set()


def test_importing_flopsheet_is_cheap():
    """`import flopsheet` loads none of its rooms: each public name is imported when it is asked for."""
    code = "import sys, flopsheet; print([name for name in sys.modules if name.startswith('flopsheet.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    names = ast.literal_eval(done.stdout)
    assert names == []


def test_every_group_has_a_meaning():
    """The words that a type checker knows are those that a table says something of."""
    assert get_args(flopsheet.Group) == tuple(GROUPS)

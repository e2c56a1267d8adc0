"""Configs, portfolios and plans that several tests use."""

import json
import sys
import zipfile
from importlib.resources import files
from io import BytesIO
from pathlib import Path

from flopsheet.configs.inputs import read_inputs
from flopsheet.host.loading import load
from flopsheet.planning.costing import cost_all
from flopsheet.planning.making import make_plan

EXAMPLES = Path(__file__).parents[1] / "examples"
CONFIGS = EXAMPLES / "configs"
PROGRAM = Path(sys.executable).with_name("flopsheet")
FRONTIER = EXAMPLES / "portfolios" / "frontier.toml"
LLAMA = json.loads((CONFIGS / "Llama-3.1-8B" / "config.json").read_text("utf-8"))
NAMES = sorted(path.parent.name for path in CONFIGS.glob("*/config.json"))


def write_config(folder, **changes):
    """Write Llama 3.1 8B's config with some fields changed, and return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "config.json"
    path.write_text(json.dumps(LLAMA | changes), "utf-8")
    return path


def write_portfolio(folder, text, name="portfolio.toml"):
    """Write a portfolio, and return its path."""
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def costed(*inputs, **settings):
    """Return the costed models of some inputs."""
    models, _ = read_inputs(load(), [str(path) for path in inputs])
    return cost_all(load(), models, settings)


def planned(*inputs, questions=(), **settings):
    """Return the plan of some inputs, for questions that are named or those that the inputs call for."""
    models, portfolios = read_inputs(load(), [str(path) for path in inputs])
    return make_plan(load(), cost_all(load(), models, settings), portfolios, questions=questions)


def with_macros(path):
    """Write the shipped template with a VBA project to a path, and return it."""
    shipped = BytesIO((files("flopsheet_templates") / "plan.xlsx").read_bytes())
    kind = b'<Override PartName="/xl/vbaProject.bin" ContentType="application/vnd.ms-office.vbaProject"/></Types>'
    with zipfile.ZipFile(shipped) as old, zipfile.ZipFile(path, "w") as new:
        for info in old.infolist():
            new.writestr(
                info, old.read(info).replace(b"</Types>", kind) if "Types" in info.filename else old.read(info)
            )
        new.writestr("xl/vbaProject.bin", b"code")
    return path


def caveats(model):
    """Return a model's problems, but for a config without sizes: a test wants those of the class."""
    return [text for text in model.problems if "neither depth nor width" not in text]

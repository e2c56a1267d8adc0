"""A portfolio that is made anew from a workbook, where there is none to edit."""

import tomllib

from planner import Planner, run


def test_a_portfolio_is_made_where_there_is_none(folder):
    """It gives the workbook's numbers: from the configs where they stand as they did, else by dimensions."""
    planner = Planner(folder)
    planner.cell("drivers", "mfu", "Base").value = 0.4
    planner.cell("dense", 1, "n_layers").value = 36
    planner.add("dense", 7, 2, model="Bigger", n_layers=60)
    planner.save()
    status, out, _ = run("import", folder / "plan.xlsx", "-o", folder / "new.toml", "--yes")
    assert (status, out.splitlines()[1]) == (0, "3 models, 5 inputs that differ from the catalog")
    made = tomllib.loads((folder / "new.toml").read_text("utf-8"))
    one, two, three = made["models"]
    assert one.pop("config").endswith("llama/config.json")
    assert one == {"name": "Ours 8B", "tokens": 15 * 10**12, "n_layers": 36}
    assert (two["architecture"], two["dimensions"]["n_layers"], three["dimensions"]["n_layers"]) == ("dense", 40, 60)
    assert (made["name"], made["inputs"]["accelerator"]) == ("Next year", "h100-sxm")
    assert made["inputs"]["mfu"]["base"] == 0.4


def test_what_a_portfolio_made_anew_reports(folder):
    """Nothing moves."""
    run("import", folder / "plan.xlsx", "-o", folder / "new.toml", "--yes")
    run("report", folder / "new.toml", "-o", folder / "new.xlsx")
    assert run("diff", folder / "plan.xlsx", folder / "new.xlsx")[:2] == (0, "no number moved\n")


def test_doubts_are_not_forgotten(folder):
    """A model that is not exact is described by its config or not at all."""
    config = folder / "llama" / "config.json"
    config.write_text(config.read_text("utf-8").replace("{", '{"gate_rank": 8,', 1), "utf-8")
    run("report", folder / "portfolio.toml", "-o", folder / "plan.xlsx")
    config.unlink()
    status, _, errors = run("import", folder / "plan.xlsx", "-o", folder / "new.toml", "--yes")
    assert status == 2
    assert "Ours 8B is not exact, and its config file" in errors
    assert not (folder / "new.toml").exists()

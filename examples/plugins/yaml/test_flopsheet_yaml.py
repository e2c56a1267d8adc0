"""A portfolio in YAML plans what the same one in TOML plans."""

import flopsheet


def test_yaml_says_what_toml_says(tmp_path):
    """Number by number."""
    (tmp_path / "plan.toml").write_text('[inputs]\ndays = 30\n\n[[models]]\nsize = "7B"\n', "utf-8")
    (tmp_path / "plan.yaml").write_text("inputs:\n  days: 30\nmodels:\n  - size: 7B\n", "utf-8")
    toml, yaml = (flopsheet.plan(tmp_path / name) for name in ("plan.toml", "plan.yaml"))
    assert yaml.answers == toml.answers
    assert yaml.rows() == toml.rows()

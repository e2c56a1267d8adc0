"""Families and rules as TOML files in a plugin's package."""

import sys

import pytest

from flopsheet import Family, Rule, families_from, rules_from
from flopsheet.errors import PluginError


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Return a function that makes an importable package of files, by name."""

    def make(**files):
        name = f"tables_of_{tmp_path.name.replace('-', '_')}"
        folder = tmp_path / name
        folder.mkdir()
        folder.joinpath("__init__.py").touch()
        for stem, text in files.items():
            folder.joinpath(f"{stem}.toml").write_text(text, "utf-8")
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.delitem(sys.modules, name, raising=False)
        return name

    return make


def test_a_table_is_a_family(package):
    """Everything that a family can say stands under its model_type; what is left out has its default."""
    name = package(
        families="""
        [tiny]
        classes = { TinyForCausalLM = {}, TinyModel = { has_head = 0 } }
        values = { mlp_matrices = 3 }
        irrelevant = ["colour"]
        [tiny.rename]
        n_embd = "hidden_size"
        [tiny.defaults]
        hidden_size = 64
        [tinier]
        """
    )
    assert families_from(name, "dense") == [
        Family(
            "tiny",
            "dense",
            classes={"TinyForCausalLM": {}, "TinyModel": {"has_head": 0}},
            values={"mlp_matrices": 3},
            rename={"n_embd": "hidden_size"},
            defaults={"hidden_size": 64},
            irrelevant=("colour",),
        ),
        Family("tinier", "dense"),
    ]


def test_a_table_is_a_rule(package):
    """A rule's name is its table's."""
    name = package(
        rules="""
        [twelve]
        title = "12 L d²"
        formula = "12 * n_layers * d_model * d_model"
        compares = "parameters"
        unit = "parameters"
        source = "Folklore"
        """
    )
    assert rules_from(name) == [
        Rule("twelve", "12 L d²", "12 * n_layers * d_model * d_model", "parameters", "parameters", "Folklore")
    ]


BAD = {
    "no file": ({}, "families.toml cannot be read"),
    "no TOML": ({"families": "[tiny\n"}, "families.toml cannot be read: Expected ']'"),
    "unknown key": ({"families": "[tiny]\nclases = {}\n"}, "families.toml: [tiny]: "),
}


@pytest.mark.parametrize(("files", "message"), BAD.values(), ids=BAD)
def test_bad_family_tables_are_told(package, files, message):
    """The message names the file and, where it can, the table."""
    name = package(**files)
    with pytest.raises(PluginError) as caught:
        families_from(name, "dense")
    assert message in str(caught.value)


def test_bad_rule_tables_are_told(package):
    """A rule without its formula is none."""
    name = package(rules="[twelve]\ntitle = '12 L d²'\n")
    with pytest.raises(PluginError, match=r"rules.toml: \[twelve\]: .*missing"):
        rules_from(name)

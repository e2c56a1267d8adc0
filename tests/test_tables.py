"""Families and rules as TOML files in a plugin's package."""

import sys

import pytest

from flopsheet import Family, Rule, families_from, rules_from
from flopsheet.accounting.tables import whole
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
        irrelevant = ["color"]
        [tiny.rename]
        n_embd = "hidden_size"
        [tiny.defaults]
        hidden_size = 64
        [tinier]
        """
    )
    assert [whole(family) for family in families_from(name, "dense")] == [
        Family(
            "tiny",
            "dense",
            classes={"TinyForCausalLM": {}, "TinyModel": {"has_head": 0}},
            values={"mlp_matrices": 3},
            rename={"n_embd": "hidden_size"},
            defaults={"hidden_size": 64},
            irrelevant=("color",),
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
    "not text": ({"families": "\xff"}, "families.toml: '\xff' comes before the first [model_type]"),
    "open head": ({"families": "[tiny\n"}, "families.toml: '[tiny' comes before the first [model_type]"),
    "key without head": ({"families": "# said\ntiny = 3\n[small]\n"}, "families.toml: 'tiny = 3' comes before"),
}
UNREADABLE = {
    "unknown key": ("[tiny]\nclases = {}\n", "clases"),
    "no TOML": ("[tiny]\nvalues = {\n", "families.toml: [tiny]: "),
    "key twice": ("[tiny]\nsource = 'a'\nsource = 'b'\n", "overwrite"),
    "irrelevant number": ("[tiny]\nirrelevant = 3\n", "not iterable"),
}


@pytest.mark.parametrize(("files", "message"), BAD.values(), ids=BAD)
def test_bad_family_files_are_told(package, files, message):
    """A file without heads is no file of families, and makes no plugin without any."""
    name = package(**files)
    with pytest.raises(PluginError) as caught:
        families_from(name, "dense")
    assert message in str(caught.value)


@pytest.mark.parametrize(("text", "message"), UNREADABLE.values(), ids=UNREADABLE)
def test_a_bad_family_is_told_when_it_is_asked_for(package, text, message):
    """The message names the table; a neighbor reads."""
    first, second = families_from(package(families=f"{text}[small]\nsource = 'here'\n"), "dense")
    with pytest.raises(PluginError, match=r"families.toml: \[tiny\]: ") as caught:
        whole(first)
    assert message in str(caught.value)
    assert whole(second) == Family("small", "dense", source="here")


def test_a_family_made_in_python_is_whole():
    """There is nothing to parse."""
    family = Family("tiny", "dense", source="here")
    assert whole(family) is family


def test_bad_rule_tables_are_told(package):
    """A rule without its formula is none."""
    name = package(rules="[twelve]\ntitle = '12 L d²'\n")
    with pytest.raises(PluginError, match=r"rules.toml: \[twelve\]: .*missing"):
        rules_from(name)

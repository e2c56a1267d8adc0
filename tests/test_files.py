"""Files that people hand over by mistake: one clear message for each way they can be bad."""

import json
from pathlib import Path

import pytest

from flopsheet.configs import files
from flopsheet.configs import plugin_choice as chosen
from flopsheet.configs.files import parse_json, parse_toml, read_bytes, sha256
from flopsheet.errors import ConfigError
from flopsheet.host.local import Choice

HERE = Path("config.json")
BAD_JSON = {
    "empty": (b"", "the file is empty"),
    "truncated": (b'{"hidden_size": 64,', "invalid JSON at line 1, column 20"),
    "TOML": (b"hidden_size = 64", "not JSON: it begins with 'hidden_size'; a config.json begins with {"),
    "list": (b"[1, 2]", "found a JSON list; expected an object {…}"),
    "text": (b'"config"', "found a JSON text"),
    "number": (b"64", "found a JSON number"),
    "null": (b"null", "found a JSON null"),
    "truth value": (b"true", "found a JSON truth value"),
    "not text": (b"\xff\xfe\x00", "not UTF-8 text (byte 0); is it a config?"),
    "nested without end": (b'{"a":' * 100_000, "unusable JSON"),
    "nested to an end": (
        b'{"a":' + b"[" * 100 + b"]" * 100 + b"}",
        "unusable JSON: it nests more than 100 levels",
    ),
    "number without end": (b'{"a": ' + b"9" * 10_000 + b"}", "unusable JSON"),
}


@pytest.mark.parametrize(("data", "message"), BAD_JSON.values(), ids=BAD_JSON)
def test_bad_json(data, message):
    """The message names the file, the place where there is one, and what is wrong."""
    with pytest.raises(ConfigError) as caught:
        parse_json(data, HERE)
    assert str(caught.value).startswith("config.json: ")
    assert message in str(caught.value)


def test_brackets_in_texts_and_side_by_side_are_no_levels():
    """Only what stands inside what counts."""
    inside, beside = "[" * 200, [[]] * 200
    data = json.dumps({"a": f'"{inside}', "b": beside}).encode()
    assert parse_json(data, HERE)["b"] == beside


@pytest.mark.parametrize("data", [b'{"a": 1}', b'\xef\xbb\xbf{"a": 1}', b'{"a":\r\n1}'], ids=["plain", "BOM", "CRLF"])
def test_good_json(data):
    """Editors on Windows add marks that change nothing."""
    assert parse_json(data, HERE) == {"a": 1}


@pytest.mark.parametrize("data", [b"a = 1\n", b"\xef\xbb\xbfa = 1\n", b"a = 1\r\n"], ids=["plain", "BOM", "CRLF"])
def test_good_toml(data):
    """Editors on Windows add marks that change nothing."""
    assert parse_toml(data, HERE) == {"a": 1}


@pytest.mark.parametrize("data", [b"a = ", b"a = 1\na = 2", b"\xff", b"a = " + b"[" * 5_000])
def test_bad_toml(data):
    """The message names the file."""
    with pytest.raises(ConfigError, match=r"^config\.json: "):
        parse_toml(data, HERE)


def test_a_folder_is_no_file(tmp_path):
    """The message says what stands there."""
    with pytest.raises(ConfigError, match="is a directory; expected a file"):
        read_bytes(tmp_path)


def test_a_missing_file_is_told(tmp_path):
    """With the reason of the operating system."""
    with pytest.raises(ConfigError, match="cannot be read: No such file or directory"):
        read_bytes(tmp_path / "none.json")


@pytest.mark.parametrize("name", ["x" * 5_000, "a\0b"], ids=["too long", "null character"])
def test_an_impossible_path_is_told(tmp_path, name):
    """Also where the operating system refuses the name itself."""
    with pytest.raises(ConfigError):
        read_bytes(tmp_path / name)


def test_a_huge_file_is_refused_unread(tmp_path, monkeypatch):
    """A checkpoint given by mistake is not loaded into memory."""
    monkeypatch.setattr(files, "MAX_BYTES", 2**20)
    path = tmp_path / "config.json"
    path.write_bytes(b" " * (2**20 + 1))
    with pytest.raises(ConfigError, match="larger than 1 MiB, the most that is read"):
        read_bytes(path)


def test_sha256_is_that_of_the_bytes():
    """The hash stands in reports, so that anybody can check it."""
    assert sha256(b"abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_an_object_of_very_many_fields_is_no_config():
    """The limit says itself."""
    data = json.dumps(dict.fromkeys(map(str, range(10_001)), 1)).encode()
    with pytest.raises(ConfigError, match="10,001 fields; at most 10,000 are read; is it a config"):
        parse_json(data, HERE)


def test_very_many_fields_inside_are_no_config():
    """They are counted wherever they are; nobody looks at them."""
    data = json.dumps({"text_config": dict.fromkeys(map(str, range(100_001)), 1)}).encode()
    with pytest.raises(ConfigError, match="more than 100,000 fields, the most that are read; is it a config"):
        parse_json(data, HERE)


def test_labels_of_the_largest_published_classifier_are_read():
    """21,841 of them, to and from numbers, in the config and in its part."""
    labels = dict.fromkeys(map(str, range(21_841)), "a")
    inside = {"id2label": labels, "label2id": labels}
    assert parse_json(json.dumps(inside | {"text_config": inside}).encode(), HERE)["id2label"] == labels


@pytest.mark.parametrize(("before", "where"), [("", "the beginning"), ("a = 1\n [inputs]\n", "inputs")])
def test_very_many_keys_are_no_portfolio(before, where):
    """They are counted before they are read."""
    data = before + "".join(f"a{at} = {at}\n" for at in range(10_001))
    with pytest.raises(ConfigError, match=f"10,001 keys under {where}; at most 10,000 are read"):
        parse_toml(data.encode(), HERE)


def test_many_lines_of_tables_and_lists_are_read():
    """A report of many models is a portfolio, and a list may have an item on each line."""
    data = "a = [\n" + "1,\n" * 20_000 + "]\n" + "[[models]]\nname = 'a'\n" * 20_000
    result = parse_toml(data.encode(), HERE)
    assert (len(result["a"]), len(result["models"])) == (20_000, 20_000)


def test_very_many_keys_are_counted_before_plugins_are_looked_for(tmp_path, monkeypatch):
    """A portfolio may name plugins, for which its beginning is read on its own."""
    (tmp_path / "p.toml").write_text("".join(f"a{at} = {at}\n" for at in range(10_001)))
    monkeypatch.setattr(chosen.tomli, "loads", lambda _: pytest.fail("it was read"))
    assert chosen.choice_for([str(tmp_path / "p.toml")], Choice()).plugins == ()

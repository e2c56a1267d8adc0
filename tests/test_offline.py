"""Offline nothing is fetched from a network, whatever a config or a command line names."""

import json
import socket

from click.testing import CliRunner

from flopsheet.cli import main

FAR = "https://example.org/model"


def test_no_config_makes_a_connection(tmp_path, monkeypatch):
    """Addresses in a config and as an input are texts: the one is counted, the other is a model in error."""
    asked = []
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr(socket, "getaddrinfo", lambda *said, **_: asked.append(said))
    monkeypatch.setattr(socket.socket, "connect", lambda _, place: asked.append(place))
    said = {
        "model_type": "llama",
        "hidden_size": 4096,
        "_name_or_path": FAR,
        "auto_map": {"AutoConfig": f"{FAR}--code.Config"},
    }
    (tmp_path / "config.json").write_text(json.dumps(said), "utf-8")
    shown = CliRunner().invoke(main, ["show", str(tmp_path / "config.json"), FAR, "org/model"])
    assert asked == []
    assert shown.exit_code != 0
    assert "✓ ok" in shown.output
    assert "not in the local Hugging Face cache" in shown.output

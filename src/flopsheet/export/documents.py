"""JSON documents for programs: each says which version of its form it has."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

VERSION = 1
"""The version of all documents: it rises when a key is removed or changes its meaning, not when one is added."""


def add_version(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document: its version, then its content."""
    return {"version": VERSION, **content}


def json_text(content: Any) -> str:
    """Return content as JSON that people can read too."""
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)

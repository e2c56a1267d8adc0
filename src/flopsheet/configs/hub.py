"""Models of the Hugging Face Hub by `org/name`."""

from __future__ import annotations

from flopsheet.configs.model import Model


def load_from_hub(text: str) -> Model:
    """Return a model in error: what is not in the local cache is not fetched."""
    reason = "not in the local Hugging Face cache; download its config.json or give a path"
    return Model(name=text, source=text, errors=(f"{text}: {reason}",))

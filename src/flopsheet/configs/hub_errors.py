"""What an error of the Hub, or of the network before it, means to who asked for a model: half a sentence."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.configs.hub_cache import Repository

BY_CLASS = {
    "GatedRepoError": "lets in who accepted its terms: accept them at {page}, then set HF_TOKEN or run 'hf auth login'",
    "RevisionNotFoundError": "has no revision {revision} of it",
    "DisabledRepoError": "has disabled it",
    "RepositoryNotFoundError": "has no such model, or it is private: check the name, or set HF_TOKEN",
    "RemoteEntryNotFoundError": "has no such file of it: was it changed meanwhile? Try again",
    "SafetensorsParsingError": "gave a header of safetensors that cannot be read",
    "OfflineModeIsEnabled": "is not asked: HF_HUB_OFFLINE is set",
    "HFValidationError": "takes no such name",
}
BY_STATUS = {
    401: "refuses the token: check HF_TOKEN, or run 'hf auth login'",
    403: "refuses access: check that your token may read it",
    429: "limits requests: try again{later}, or set HF_TOKEN",
}
CUT_SHORT = ("Consistency check", "ncomplete", "complete message body")
"""How the library and what it is built on say that an answer ended before it was whole."""
DEFAULT = "https://huggingface.co"


def reason_of(error: BaseException, repository: Repository) -> str:
    """Return what follows "the Hub": the reason of an error, or of what it was raised from."""
    errors = list(_chain(error))
    for link in errors:
        for kind in type(link).__mro__:
            if kind.__name__ in BY_CLASS:
                return BY_CLASS[kind.__name__].format(page=_page(repository), revision=repository.revision or "main")
    for link in errors:
        if status := getattr(getattr(link, "response", None), "status_code", 0):
            text = BY_STATUS.get(status, f"answered {status}; try again later")
            return text.format(later=_later(link))
    if any("Timeout" in kind.__name__ for link in errors for kind in type(link).__mro__):
        return "did not answer in time; try again later"
    if any(word in str(link) for link in errors for word in CUT_SHORT):
        return "gave half an answer; try again"
    return f"cannot be reached ({_short(errors[-1])})"


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Give an error, and those that it was raised from."""
    ids: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in ids:
        ids.add(id(current))
        yield current
        current = current.__cause__ or current.__context__


def _page(repository: Repository) -> str:
    return f"{os.environ.get('HF_ENDPOINT', DEFAULT).rstrip('/')}/{repository.name}"


def _later(error: Any) -> str:
    """Return when a request may be tried again, as the Hub says it."""
    after = str(error.response.headers.get("Retry-After", ""))
    return f" in {after} seconds" if after.isdecimal() else " later"


def _short(error: BaseException) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__

"""Which required plugin packages are missing or too old."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable


def unmet(requirements: Iterable[Any]) -> list[str]:
    """Return a sentence for each requirement (such as `flopsheet-moe>=1.2`) that the installation does not meet."""
    return [problem for text in requirements if (problem := _problem(text))]


def _problem(text: Any) -> str:
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - few portfolios require

    from packaging.requirements import InvalidRequirement, Requirement  # noqa: PLC0415 - few portfolios require

    try:
        requirement = Requirement(str(text))
    except InvalidRequirement as error:
        return f"{text!r} is not a requirement: {error}"
    try:
        result = version(requirement.name)
    except PackageNotFoundError:
        return f"{requirement} is not installed; pip install '{requirement}'"
    return "" if result in requirement.specifier else f"{requirement} is required, {result} is installed"

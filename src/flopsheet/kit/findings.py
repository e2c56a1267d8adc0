"""What a check of a plugin finds: where, what, and what to do about it."""

from __future__ import annotations

from msgspec import Struct


class Finding(Struct, frozen=True):
    """Something that is wrong: the line, config or file where it is, what is wrong, and what to do."""

    where: str
    what: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}; {self.remedy}"


class Remark(Struct, frozen=True):
    """Something that a reader should know and that is no fault."""

    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


class Verdict(Struct, frozen=True):
    """What a check found: it passes without findings, or was `skipped` for a reason.

    `absent` is what was skipped because the plugin has nothing of the kind.
    """

    name: str
    asks: str
    findings: tuple[Finding, ...] = ()
    skipped: str = ""
    remarks: tuple[Remark, ...] = ()
    absent: bool = False

    @property
    def outcome(self) -> str:
        """Return failed, skipped or passed."""
        return "failed" if self.findings else "skipped" if self.skipped else "passed"


class SkippedError(Exception):
    """A check that cannot be made here, and why."""


class AbsentError(SkippedError):
    """A check of what a plugin does not have."""

"""What a wrong plugin is to the tool that drives it."""

from typing import Any, NamedTuple

LEAK = '=HYPERLINK("http://leak.example/","Open")'
"""A text that would be a formula where a cell took it for one."""


class Wrong(NamedTuple):
    """A wrong plugin: a module or what its import raises, or the text of a file with its suffix.

    `harmless` says why nobody need find it. One that may harm its process is driven in one of its own (`alone`).
    `asks` are options of a plan that uses what the plugin brings, `document` the portfolio that its reader reads.
    One that `extends` dense may spoil its models, which then name it.
    """

    kind: str
    plugin: Any
    suffix: str = ""
    harmless: str = ""
    alone: bool = False
    asks: tuple[str, ...] = ()
    document: str = ""
    extends: bool = False

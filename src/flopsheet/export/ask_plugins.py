"""Ask every plugin for everything that it may say, so that its faults are known."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from flopsheet.configs.classes import class_table
from flopsheet.configs.kinds import unknown_names
from flopsheet.configs.quantization_config import formats_of_plugins
from flopsheet.configs.readers import portfolio_readers
from flopsheet.errors import PluginError
from flopsheet.export.exporters import exporters
from flopsheet.host.candidate import ARCHITECTURE
from flopsheet.planning.catalog import catalog
from flopsheet.planning.registry import questions
from flopsheet.planning.rules import sound_rules
from livesheets.suggestions import names_like

if TYPE_CHECKING:
    from flopsheet.accounting.line import Family
    from flopsheet.host.candidate import Plugin
    from flopsheet.host.host import Host

KNOWN_NAMES = (
    "a dimension, one of its keys, or a field of defaults, rename, hints.reads or the architecture's fields is expected"
)
"""What a formula of a family may name."""


def ask_everything(host: Host) -> None:
    """Ask for lines, rules, families, prices, laws, questions and formats; what is wrong is in host.failures."""
    for name in [*host.every_ledger(), *host.tables]:
        with suppress(PluginError):
            sound_rules(host, name, host.ledger(name).places)
    for name, (_, plugin) in list(host.families.items()):
        with suppress(PluginError):  # the host keeps it as a failure of its plugin
            _ask_dimensions(host, plugin, host.family(name))
            _ask_formulas(host, plugin, name)
            _ask_like(host, plugin, host.family(name))
    catalog(host)
    questions(host)
    host.optimizers()
    formats_of_plugins(host)
    exporters(host)
    portfolio_readers(host)


def _ask_dimensions(host: Host, plugin: Plugin, family: Family) -> None:
    try:
        host.architecture(family.architecture)
    except PluginError as error:
        if (ARCHITECTURE, family.architecture) not in host.refused:  # that is there already
            host.fail(plugin, f"family {family.model_type}: {error}")


def _ask_like(host: Host, plugin: Plugin, family: Family) -> None:
    if family.like and family.like not in host.families and class_table(family.like) is None:
        hint = names_like(family.like, host.families) or "; a type that a plugin or transformers has is expected"
        what, where = f"family {family.model_type}: like: there is no type", f"families.{family.model_type}.like"
        host.fail(plugin, f"{what} {family.like!r}{hint}", where)


def _ask_formulas(host: Host, plugin: Plugin, model_type: str) -> None:
    """Find formulas of a type that name what nothing declares, such as a misspelled field."""
    for place, wrong in unknown_names(host, model_type).items():
        host.fail(plugin, f"family {model_type}: {place}: {wrong}; {KNOWN_NAMES}", f"families.{model_type}.{place}")

"""The hooks that an architecture plugin may implement, in the entry-point group `flopsheet`.

A plugin is a module (or object) with functions marked `@flopsheet.hookimpl`, which return an iterable of frozen data.
Those without an argument are asked once, when the plugin is loaded. Those that get an architecture are asked once for
each that the plugin declares itself or names in its `extends`, a tuple of architecture names, when the architecture is
first needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pluggy

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flopsheet.accounting.line import Architecture, Dimension, Family, Line, Rule

PROJECT = "flopsheet"
hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def flopsheet_architectures() -> Iterable[Architecture]:  # type: ignore[empty-body]
    """Return the architectures that this plugin describes."""


@hookspec
def flopsheet_families() -> Iterable[Family]:  # type: ignore[empty-body]
    """Return families: `model_type`s of config files, each read by some architecture, this plugin's or another's."""


@hookspec
def flopsheet_dimensions(architecture: Architecture) -> Iterable[Dimension]:  # type: ignore[empty-body]
    """Return dimensions that this plugin's lines need and the architecture does not declare."""


@hookspec
def flopsheet_parameters(architecture: Architecture) -> Iterable[Line]:  # type: ignore[empty-body]
    """Return the lines of stored parameters (unit `parameters`), each weight once."""


@hookspec
def flopsheet_flops(architecture: Architecture) -> Iterable[Line]:  # type: ignore[empty-body]
    """Return the lines of one forward pass (unit `FLOP`), 2 for each multiply-add."""


@hookspec
def flopsheet_memory(architecture: Architecture) -> Iterable[Line]:  # type: ignore[empty-body]
    """Return the lines of memory in addition to the weights (unit `bytes`): caches, states, activations."""


@hookspec
def flopsheet_activations(architecture: Architecture) -> Iterable[Line]:  # type: ignore[empty-body]
    """Return what a forward pass keeps for the backward pass (unit `elements`); asked by plans of training alone."""


@hookspec
def flopsheet_rules(architecture: Architecture) -> Iterable[Rule]:  # type: ignore[empty-body]
    """Return published rules of thumb that mean to give one of the architecture's totals."""


@hookspec
def flopsheet_questions() -> Iterable[Any]:  # type: ignore[empty-body]
    """Return planning questions (`flopsheet.Question`): inputs, tables, figures, checks and a sheet of their own."""

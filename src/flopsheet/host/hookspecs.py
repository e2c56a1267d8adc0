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
    from collections.abc import Iterable, Mapping

    from flopsheet.accounting.blocks import Block
    from flopsheet.accounting.line import Architecture, Dimension, Family, Line, Rule

PROJECT = "flopsheet"
API_VERSION = "1.0"
"""The version of what plugins build on: the first number changes when something is taken away, the second with
additions. A plugin states the one that it is written for as `flopsheet_api`."""
hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def flopsheet_architectures() -> Iterable[Architecture]:  # type: ignore[empty-body]
    """Return the architectures that this plugin describes."""


@hookspec
def flopsheet_families() -> Iterable[Family]:  # type: ignore[empty-body]
    """Return families: `model_type`s of config files, each read by some architecture, this plugin's or another's."""


@hookspec
def flopsheet_block(architecture: Architecture, lines: Mapping[str, Line]) -> Block:  # type: ignore[empty-body]
    """Return dimensions and lines in one: what the five hooks below would give, and in addition to them.

    `lines` are those that the architecture has already, by name: none where this plugin declared it.
    """


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
    """Return what a forward pass keeps for the backward pass (unit `elements`); plans of training and serving ask."""


@hookspec
def flopsheet_rules(architecture: Architecture) -> Iterable[Rule]:  # type: ignore[empty-body]
    """Return published rules of thumb that mean to give one of the architecture's totals."""


@hookspec
def flopsheet_questions() -> Iterable[Any]:  # type: ignore[empty-body]
    """Return planning questions (`flopsheet.Question`): inputs, tables, figures, checks and a sheet of their own."""


@hookspec
def flopsheet_accelerators() -> Iterable[Any]:  # type: ignore[empty-body]
    """Return accelerators (`flopsheet.Accelerator`) that a plan may name next to those of the catalog."""


@hookspec
def flopsheet_prices() -> Iterable[Any]:  # type: ignore[empty-body]
    """Return prices (`flopsheet.Price`) of accelerators, the catalog's or others', that win over the catalog's."""


@hookspec
def flopsheet_optimizers() -> Iterable[Any]:  # type: ignore[empty-body]
    """Return optimizer recipes (`flopsheet.Optimizer`) that `optimizer = "…"` may name."""


@hookspec
def flopsheet_weight_formats() -> Iterable[Any]:  # type: ignore[empty-body]
    """Return formats of quantized weights (`flopsheet.WeightFormat`), each of a `quant_method` of configs."""


@hookspec
def flopsheet_scaling_laws() -> Iterable[Any]:  # type: ignore[empty-body]
    """Return scaling laws (`flopsheet.ScalingLaw`) that the question `scaling` compares with the published ones."""


@hookspec
def flopsheet_exporters() -> Iterable[Any]:  # type: ignore[empty-body]
    """Return formats of reports (`flopsheet.Exporter`), each by the suffix of `-o`."""


@hookspec
def flopsheet_readers() -> Iterable[Any]:  # type: ignore[empty-body]
    """Return formats of inputs: of portfolios (`flopsheet.Reader`) and of single models (`flopsheet.ModelReader`)."""

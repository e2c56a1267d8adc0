"""Tests that a plugin inherits: `class TestMine(PluginSuite)` with its published counts is a whole test file.

It needs pytest, and for modules of torch the extra `verify`. The suite belongs to version 1.0 of the plugin API: a
later 1.x may check more, and says so in the changelog.
"""

from __future__ import annotations

import inspect
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from flopsheet.accounting.line import NOTHING
from flopsheet.configs.files import parse_json, read_bytes
from flopsheet.configs.source import load_model
from flopsheet.errors import UsageError
from flopsheet.host.loading import load
from flopsheet.kit.checks import CHECKS, verdict_of
from flopsheet.kit.default_config import default_config
from flopsheet.kit.subject import Subject
from flopsheet.kit.targets import found_in
from flopsheet.planning.costing import cost
from flopsheet.verify.meta import flops_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet.planning.costed_model import Costed

__all__ = ["PluginSuite"]
WORKLOADS = ((1, 16), (2, 32))
"""Batch and length at which a module of torch runs: a formula that forgets the batch is right for one sequence."""


class PluginSuite:
    """The tests of a plugin. Paths are meant from the folder of the file that inherits it.

    `plugin` is an installed plugin's name, a .py file or folder, or a module. `configs` are config.json files that must
    be counted as ok. `published` says totals that somebody published or computed by hand, by config file or, at its
    class defaults, by model_type: `{"small/config.json": {"parameters": 47_940_608}}`. `slow = True` adds the checks
    that need LibreOffice or transformers.

    `torch_module` may build the model of a config as a module of torch, on the meta device: its parameters and, unless
    `torch_inputs` gives None, the FLOP of a forward pass are compared for each of `configs`.
    """

    plugin: ClassVar[str | Path | ModuleType] = ""
    configs: ClassVar[Sequence[str | Path]] = ()
    published: ClassVar[Mapping[str, Mapping[str, float]]] = {}
    slow: ClassVar[bool] = False

    def torch_module(self, config: Mapping[str, Any]) -> Any:  # noqa: ARG002 - who inherits it reads the config
        """Return a module of torch with the model's weights, None where there is none."""
        return None

    def torch_inputs(self, config: Mapping[str, Any], length: int) -> tuple[Any, ...] | None:  # noqa: ARG002 - same
        """Return what the module's forward pass takes for one sequence of so many tokens, None not to run it.

        It is run for two sequences too: tensors whose first dimension is 1 are repeated along it.
        """
        import torch  # noqa: PLC0415 - an extra

        return (torch.zeros(1, length, dtype=torch.long, device="meta"),)

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Make a test of each check, of each published count, and of each config that a module of torch is built of."""
        if "case" not in metafunc.fixturenames:
            return
        cases = [("check", check.name) for check in CHECKS if self.slow or not check.slow]
        cases += [("published", str(name)) for name in self.published]
        built = type(self).torch_module is not PluginSuite.torch_module
        cases += [("torch", str(name)) for name in self.configs if built]
        metafunc.parametrize("case", cases, ids=" ".join)

    def test_plugin(self, case: tuple[str, str]) -> None:
        """A check finds nothing, a published count is the one that is counted, a module of torch has as much."""
        kind, name = case
        {"check": self._check, "published": self._find_published, "torch": self._torch}[kind](name)

    def _check(self, name: str) -> None:
        verdict = verdict_of(next(one for one in CHECKS if one.name == name), self.subject())
        if verdict.findings:
            pytest.fail("\n".join(map(str, verdict.findings)), pytrace=False)
        if verdict.skipped and not verdict.absent:
            pytest.skip(verdict.skipped)

    def _find_published(self, name: str) -> None:
        model, totals = self.count_model(name), self.published[name]
        _fail_unless(model.status == "ok", name, model)
        _compare(name, "published", {total: model.totals[total] for total in totals}, totals)

    def _torch(self, name: str) -> None:
        if find_spec("torch") is None:
            pytest.skip("torch is not installed: pip install 'flopsheet[verify]'")
        import torch  # noqa: PLC0415 - an extra

        model, config = self.count_model(name), parse_json(read_bytes(self._path(name)), self._path(name))
        _fail_unless(model.ledger is not None, name, model)
        with torch.device("meta"):
            module = self.torch_module(config)
        weights = {id(one): one.numel() for one in module.parameters()}
        result = {"parameters": sum(weights.values())}
        _compare(name, "torch", {total: model.totals[total] for total in result}, result, _lines(model))
        for batch, length in WORKLOADS:
            inputs = self.torch_inputs(config, length)
            if inputs is not None:
                run = cost(self.subject().host, model.model, {"batch": batch, "seq_len": length})
                result = {"flops_forward_matmul": flops_of(module, _repeat_inputs(inputs, batch)).matmul}
                counted = {total: run.totals[total] for total in result}
                _compare(f"{name}, batch {batch}, length {length}", "torch", counted, result, _lines(run))

    def count_model(self, name: str) -> Costed:
        """Return what a config file or a model_type at its class defaults costs."""
        return cost(self.subject().host, load_model(self.subject().host, self._config(name)))

    def subject(self) -> Subject:
        """Return the plugin that is tested, made once a class."""
        return _subject(type(self))  # type: ignore[arg-type]  # a class is hashable

    def _config(self, name: str) -> Any:
        return path if (path := self._path(name)).suffix == ".json" else default_config(name)

    def _path(self, name: str) -> Path:
        return _folder(type(self)) / name


def _repeat_inputs(inputs: Sequence[Any], batch: int) -> tuple[Any, ...]:
    """Return the inputs of one sequence for several: what has a first dimension of 1 is repeated along it."""
    several = (getattr(one, "shape", ())[:1] == (1,) for one in inputs)
    return tuple(one.repeat_interleave(batch, 0) if each else one for one, each in zip(inputs, several, strict=True))


def _fail_unless(fits: bool, name: str, model: Costed) -> None:  # noqa: FBT001 - what is asked of the model
    if not fits:
        pytest.fail(f"{name}: {model.status}: {'; '.join(model.problems)}", pytrace=False)


def _compare(
    name: str,
    against: str,
    counted: Mapping[str, float],
    found: Mapping[str, float],
    lines: Mapping[str, float] = NOTHING,
) -> None:
    differing = [
        f"{name}: {total}: {counted[total]:,} counted, {found[total]:,} {against}"
        + _as_much(abs(counted[total] - found[total]), lines)
        for total in found
        if counted[total] != found[total]
    ]
    if differing:
        pytest.fail("\n".join(differing), pytrace=False)


def _lines(model: Costed) -> Mapping[str, float]:
    """Return what each line of a model comes to."""
    entries = model.ledger.entries if model.ledger else ()
    return {one.line.name: float(model.numbers[one.line.name]) for one in entries if one.role == "line"}


def _as_much(difference: float, lines: Mapping[str, float]) -> str:
    """Return which lines are as large as a difference: one of them may be what only one side has."""
    names = [name for name, number in lines.items() if number == difference]
    return f"; the difference is as large as {' or '.join(names)}" if names else ""


@cache
def _subject(suite: type[PluginSuite]) -> Subject:
    given = suite.plugin
    if isinstance(given, ModuleType):
        host = load((), (given,))
        (plugin,) = [one for one in host.plugins if one.package == f"module {given.__name__}"]
    else:
        path = _folder(suite) / given
        host, (plugin, *more) = found_in(str(path) if path.exists() else str(given))
        if more:
            names = ", ".join(one.name for one in (plugin, *more))
            raise UsageError(f"{given} holds {len(more) + 1} plugins, {names}: give the file of one of them")
    return Subject(host, plugin, [_folder(suite) / name for name in suite.configs])


def _folder(suite: type[PluginSuite]) -> Path:
    return Path(inspect.getfile(sys.modules[suite.__module__])).parent

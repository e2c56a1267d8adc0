"""The tools themselves: each reads files of one folder and returns the document that a command prints."""

from __future__ import annotations

from functools import wraps
from pathlib import Path  # noqa: TC003 - the server reads annotations
from typing import TYPE_CHECKING, Annotated, Any

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from flopsheet.cli.assistant.confine import inside
from flopsheet.cli.assistant.explaining import explain as explained
from flopsheet.cli.common import check_tables, planning_inputs, read_plan
from flopsheet.cli.inputs import has_text
from flopsheet.cli.show import as_document
from flopsheet.configs.inputs import read_inputs
from flopsheet.configs.plugin_choice import load_for
from flopsheet.errors import FlopsheetError, UsageError
from flopsheet.export.documents import add_version
from flopsheet.export.plan_answers import plan_document
from flopsheet.host.local import Choice
from flopsheet.planning.costing import cost_all
from flopsheet.planning.listing import list_inputs

if TYPE_CHECKING:
    from collections.abc import Callable

    from flopsheet.planning.plan import Plan

Value = int | float | str
Paths = Annotated[
    list[str],
    Field(
        min_length=1, description="config.json files, folders that hold some, portfolios or model lists, in the folder"
    ),
]
File = Annotated[str, Field(description="A portfolio (.toml), a config.json or a folder, in the folder")]
Design = Annotated[str, Field(description="A portfolio (.toml) with a table [sweep.axes], in the folder")]
Settings = Annotated[
    dict[str, Value],
    Field(
        description="Workload names and dimensions of every model, such as batch, context, kv_dtype_bytes, optimizer"
    ),
]
Inputs = Annotated[
    dict[str, Value],
    Field(description="Inputs of the plan, such as mfu or accelerators; the tool inputs lists them"),
]
Case = Annotated[
    str, Field(description="low, base, high, or a scenario of the portfolio; the portfolio's own if empty")
]
Questions = Annotated[
    list[str], Field(description="Ask these questions only, such as budget, training, serving, money")
]
Tables = Annotated[list[str], Field(description="Tables whose rows to return; the answer names those that there are")]


class Tools:
    """The tools of a server that may read one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def all(self) -> list[Callable[..., dict[str, Any]]]:
        """Return the tools; what is wrong with a request is an error that the assistant can read."""
        tools = (self.show, self.plan, self.sweep, self.inputs, self.explain)
        return [_with_errors(tool) for tool in tools]

    def show(
        self,
        paths: Paths,
        settings: Settings | None = None,
        lines: Annotated[bool, Field(description="Also return every line with its formula")] = False,  # noqa: FBT002 - the server passes names
    ) -> dict[str, Any]:
        """Count parameters, FLOPs and memory of models from their config files, exactly.

        Each model has a status: ok, approximate (its notes say why) or error (its problems say why).
        """
        files = [inside(self.folder, path) for path in paths]
        host = load_for(files, Choice())
        models, _ = read_inputs(host, files)
        documents = [as_document(document) for document in cost_all(host, models, settings or {})]
        left_out = set() if lines else {"lines"}
        return add_version({"models": [_without(document, {"version", *left_out}) for document in documents]})

    def plan(
        self,
        portfolio: File,
        inputs: Inputs | None = None,
        case: Case = "",
        questions: Questions | None = None,
        tables: Tables | None = None,
    ) -> dict[str, Any]:
        """Answer the planning questions of a portfolio in the low, base and high case: cost, time, memory, feasibility.

        Checks that fail say what is wrong with the plan. Counts are exact; money and time rest on the inputs.
        """
        plan = self._make_plan(portfolio, inputs, case, questions)
        document = plan_document(plan)
        every = document["tables"]
        check_tables(tables or (), every, plan)
        asked = {name: every[name] for name in tables or ()}
        return add_version({**document, "tables": asked, "table_names": list(every)})

    def sweep(self, design: Design, inputs: Inputs | None = None, case: Case = "") -> dict[str, Any]:
        """Evaluate a plan at many designs, and return the best of them."""
        try:
            from flopsheet.export.sweeps.writing import sweep_document  # noqa: PLC0415 - an extra
            from flopsheet.planning.designs import sweep as sweeping  # noqa: PLC0415 - same
        except ImportError as error:
            raise UsageError(
                f"sweep needs numpy, scipy and pyarrow: pip install 'flopsheet[sweep]' ({error})"
            ) from None
        path = inside(self.folder, design)
        planning, workload = planning_inputs(load_for([path], Choice()), inputs or {})
        request = sweeping.Request(path, planning, workload, case)
        state = sweeping.open_sweep(request)
        return add_version(sweep_document(state, *sweeping.find_kept(state, sweeping.run(request, state))))

    def inputs(
        self, text: Annotated[str, Field(description="Keep those whose name, title or question has this")] = ""
    ) -> dict[str, Any]:
        """List the inputs that a portfolio or a plan may set, with unit, range, source and question."""
        rows = list_inputs(load_for([], Choice()))
        return add_version({"inputs": [row for row in rows if has_text(text, row)]})

    def explain(
        self,
        path: File,
        name: Annotated[
            str, Field(description="An input, a figure such as budget.cost, or a line such as weights_bytes")
        ],
        model: Annotated[str, Field(description="One model of the portfolio; all if empty")] = "",
        inputs: Inputs | None = None,
        case: Case = "",
    ) -> dict[str, Any]:
        """Explain a number: its formula, unit and source, and the numbers that the formula reads."""
        return add_version(
            {"name": name, "meanings": explained(self._make_plan(path, inputs, case, None), name, model)}
        )

    def _make_plan(self, path: str, inputs: dict[str, Value] | None, case: str, questions: list[str] | None) -> Plan:
        files = [inside(self.folder, path)]
        host = load_for(files, Choice())
        plan = read_plan(host, files, (inputs or {}).items(), questions=questions or ())
        return plan.show_case(case) if case else plan


def _with_errors(tool: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    """Return the tool with what is wrong with a request, a file or a plugin as a message."""

    @wraps(tool)
    def run(**arguments: Any) -> dict[str, Any]:
        try:
            return tool(**arguments)
        except (FlopsheetError, OSError) as error:
            raise ToolError(str(error)) from None

    return run


def _without(document: dict[str, Any], keys: set[str]) -> dict[str, Any]:
    return {key: value for key, value in document.items() if key not in keys}

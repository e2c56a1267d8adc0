"""A plan as one HTML file: data, formulas and script in it, and no request to anywhere."""

from __future__ import annotations

import json
from base64 import b64encode
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import asdict

import flopsheet
from flopsheet.accounting.formula import javascript
from flopsheet.errors import UsageError
from flopsheet.export.page.wording import describe_plan
from flopsheet.export.toml import storable_text
from flopsheet.planning.compiled.plan import compile_plan
from flopsheet.planning.compiled.references import Brought, Earlier, Flag, Given, Key, Linked, Own, Total

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet.planning.compiled.plan import Compiled, Formulas, Source
    from flopsheet.planning.compiled.references import Ref
    from flopsheet.planning.plan import Plan


def plan_data(plan: Compiled) -> dict[str, Any]:
    """Return what the page knows of a plan, for JSON; its formulas are functions of `plan_functions`."""
    counts = iter(range(len(_counts(plan))))
    return {
        "name": plan.name,
        "shown": plan.shown,
        "cases": [asdict(case) for case in plan.cases],
        "models": [asdict(model) for model in plan.models],
        "tables": {table.name: [_source(source, counts) for source in table.sources] for table in plan.tables},
        "steps": [_formulas(step) for step in plan.steps],
        "checks": [_formulas(check) for check in plan.checks],
        "figures": [asdict(figure) for figure in plan.figures],
        "verdicts": [asdict(verdict) for verdict in plan.verdicts],
    }


def plan_functions(plan: Compiled) -> str:
    """Return the functions of a plan as JavaScript: those of its steps, of its checks, and of counts of rows."""
    parts = {"steps": plan.steps, "checks": plan.checks, "counts": _counts(plan)}
    return "\n".join(f"F.{name}=[{','.join(map(_function, every))}];" for name, every in parts.items())


def _counts(plan: Compiled) -> list[Formulas]:
    """Return the formulas that count rows, in the order of tables."""
    return [source.counted for table in plan.tables for source in table.sources if source.counted]


def _function(formulas: Formulas) -> str:
    """Return a function from the columns of what formulas read to theirs, of `n` rows; `b` tells which begin anew."""
    lines = {name: f"l{at}" for at, name in enumerate(formulas.lines)}
    inputs = {name: f"g{at}" for at, name in enumerate(formulas.reads)}
    names = {name: f"{column}[i]" for name, column in (inputs | lines).items()}
    names |= {name: f"(b[i]?0:{lines[line]}[i-1])" for name, line in _recurring(formulas).items()}
    columns = ",".join(f"{line}=new Float64Array(n)" for line in lines.values())
    texts = {name: javascript.write(formula, names.__getitem__) for name, formula in formulas.lines.items()}
    steps = "".join(f"{lines[name]}[i]=sound({text});" for name, text in texts.items())
    of = ",".join(("n", "b", *inputs.values()))
    return f"({of})=>{{const {columns};for(let i=0;i<n;i++){{{steps}}}return[{','.join(lines.values())}]}}"


def _recurring(formulas: Formulas) -> dict[str, str]:
    """Return the line behind each name that reads it in the row before."""
    refs = {name: formulas.reads[name] for name in formulas.recurring}
    return {name: ref.line for name, ref in refs.items() if isinstance(ref, Linked)}


def _formulas(formulas: Formulas) -> dict[str, Any]:
    reads = [[name, _ref(ref)] for name, ref in formulas.reads.items()]
    return {"table": formulas.table, "reads": reads, "lines": [*formulas.lines], "recurring": formulas.recurring}


def _source(source: Source, counts: Any) -> dict[str, Any]:
    count = {**_formulas(source.counted), "at": next(counts)} if source.counted else None
    return {**asdict(source), "counted": count}


def _ref(ref: Ref | None) -> list[Any] | None:
    """Return a reference as a list that begins with its kind."""
    match ref:
        case Given() | Key() | Total():
            return [type(ref).__name__, ref.name]
        case Earlier():
            return ["Earlier", ref.line]
        case Own() | Brought():
            return [type(ref).__name__, ref.name, _ref(ref.otherwise)]
        case Flag():
            return ["Flag", _ref(ref.of), ref.place]
        case Linked():
            return ["Linked", ref.table, ref.line, ref.reduce, ref.on, ref.case, ref.where]
    return None


def script(plan: Compiled) -> str:
    """Return data and functions as one script."""
    data = json.dumps(plan_data(plan), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return f"const D={data};\nconst F={{}};\n{plan_functions(plan)}\n"


MOST_MODELS = 200
"""Costed models of a page: a browser computes all of them at each edit."""
PARTS = ("engine.js", "format.js", "charts.js", "answer.js", "page.js")


class Designs(Struct, frozen=True):
    """Designs of a sweep that a page shows: a sentence, headers, and rows of texts with what each changes of inputs."""

    text: str
    headers: Sequence[str]
    rows: Sequence[Sequence[str]]
    changes: Sequence[Mapping[str, float]]


def plan_page(plan: Plan, designs: Designs | None = None) -> str:
    """Return the page of a plan, and designs that it may be shown at.

    UsageError where it has more models than a browser computes at once.
    """
    if len(plan.costed) > MOST_MODELS:
        raise UsageError(f"{len(plan.costed):,} models are more than the {MOST_MODELS} that a page computes at once")
    content = describe_plan(plan) | {"designs": asdict(designs) if designs else None}
    data = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    code = "\n".join([script(compile_plan(plan)), f"const SEEN={data};", *map(_part, PARTS)]).replace("<!--", "<\\!--")
    code = storable_text(code.replace("</", "<\\/"))
    style = _part("page.css")
    page = _part("page.html").format(
        policy=_policy(code, style),
        title=escape(plan.name),
        subtitle=escape(" · ".join(question.title for question in plan.questions)),
        style=style,
        script=code,
        version=escape(flopsheet.__version__),
        files=_files(plan),
    )
    return storable_text(page)


def _policy(code: str, style: str) -> str:
    """Return a policy under which this script and style alone run, and nothing is loaded."""
    sources = {"default-src": "none", "script-src": _hash(code), "style-src": _hash(style), "base-uri": "none"}
    return "; ".join(f"{what} '{source}'" for what, source in (sources | {"form-action": "none"}).items())


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def _files(plan: Plan) -> str:
    """Return the files that the plan was made of, as a list."""
    paths: list[tuple[Any, str]] = [(portfolio.path, portfolio.sha256) for portfolio in plan.portfolios]
    paths += [(model.model.source, model.model.sha256) for model in plan.models if model.model.sha256]
    items = "".join(f"<li>{escape(str(path))} <code>{escape(digest)}</code></li>" for path, digest in paths)
    return f"<ul>{items}</ul>" if items else "<p>None.</p>"


@cache
def _part(name: str) -> str:
    return (files("flopsheet.export.page") / name).read_text("utf-8")

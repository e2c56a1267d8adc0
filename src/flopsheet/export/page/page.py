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
from flopsheet.errors import UsageError
from flopsheet.export.page.script import script
from flopsheet.export.page.wording import describe_plan
from flopsheet.export.toml import storable_text
from flopsheet.planning.compiled.plan import compile_plan

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet.planning.plan import Plan

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

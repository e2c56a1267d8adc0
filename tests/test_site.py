"""The site of documentation: every link of every page leads somewhere; where its tools are installed, it is built."""

import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import yaml

import flopsheet
from flopsheet.host import hookspecs

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(
    [*DOCS.rglob("*.md"), *(ROOT / name for name in ("README.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md"))]
)
LINK = re.compile(r"\]\(([^)\s]+)\)")
TOOLS = ("mkdocs", "material", "mkdocstrings")
MISSING = [tool for tool in TOOLS if find_spec(tool) is None]
needs_tools = pytest.mark.skipif(bool(MISSING), reason=f"{', '.join(MISSING)}: the extra docs is not installed")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_of_a_page_leads_to_a_file(page):
    """In the repository, as on GitHub."""
    text = re.sub(r"^(`{3,}).*?^\1", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    targets = [urlsplit(link) for link in LINK.findall(text)]
    local = [target.path for target in targets if not target.scheme and target.path]
    assert [path for path in local if not (page.parent / path).exists()] == []


class Loader(yaml.SafeLoader):
    """A reader of mkdocs.yml, which names functions."""


Loader.add_multi_constructor("tag:yaml.org,2002:python/", lambda *_: None)


def test_every_page_is_in_the_navigation():
    """And each only once."""
    sections = yaml.load((ROOT / "mkdocs.yml").read_text("utf-8"), Loader)["nav"]  # noqa: S506 - names become None
    listed = [page for section in sections for pages in section.values() for page in pages]
    own = [str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")]
    assert sorted(listed) == sorted([*own, "index.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md"])


def test_the_reference_has_every_public_name():
    """From the module that defines it."""
    text = (DOCS / "api.md").read_text("utf-8")
    identifiers = {line.removeprefix("::: ").rpartition(".")[2] for line in text.splitlines() if line[:4] == "::: "}
    assert identifiers == {*flopsheet.__all__}


class Page(HTMLParser):
    """What a page links to, what it loads, and the places in it that have a name."""

    def __init__(self, text):
        super().__init__()
        self.links, self.loads, self.names = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        """Keep what an element says."""
        result = dict(attrs)
        self.names |= {result[key] for key in ("id", "name") if result.get(key)}
        if tag == "a" and result.get("href"):
            self.links.append(result["href"])
        if tag in ("script", "img") and result.get("src"):
            self.loads.append(result["src"])
        if tag == "link" and result.get("rel") in ("stylesheet", "icon"):
            self.loads.append(result["href"])


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Return the site, built so that a warning is an error."""
    folder = tmp_path_factory.mktemp("site")
    tools = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder],
        cwd=ROOT,
        env=os.environ | {"PATH": tools, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    return folder


@pytest.fixture(scope="module")
def pages(site):
    """Return each page of the site by its file."""
    return {path: Page(path.read_text("utf-8")) for path in site.rglob("*.html") if path.name != "404.html"}


@needs_tools
@pytest.mark.slow
def test_every_link_leads_to_a_page_and_a_place_in_it(pages):
    """Within the site, anchors too; pages load nothing from elsewhere."""
    lost = []
    for path, page in pages.items():
        for link in (*page.links, *page.loads):
            parts = urlsplit(link)
            if parts.scheme:
                lost += [f"{path.name} loads {link}"] if link in page.loads else []
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            known = not parts.fragment or target not in pages or unquote(parts.fragment) in pages[target].names
            lost += [] if target.exists() and known else [f"{path.name}: {link}"]
    assert lost == []


@needs_tools
@pytest.mark.slow
def test_what_people_look_for_is_found(site, pages):
    """The search knows tutorials, hooks and inputs; hooks and public names are on their pages."""
    index = json.loads((site / "search" / "search_index.json").read_text("utf-8"))["docs"]
    texts = "".join(entry["title"] + entry["text"] for entry in index)
    assert all(word in texts for word in ("For planners", "price_per_hour", "flopsheet_questions", "kv_cache"))
    hooks = {name for name in vars(hookspecs) if name.startswith("flopsheet_")}
    assert {f"flopsheet.host.hookspecs.{name}" for name in hooks} <= pages[site / "hooks.html"].names
    api = pages[site / "api.html"].names
    assert {"flopsheet.evaluate", "flopsheet.planning.question.Question", "flopsheet.accounting.line.Line"} <= api

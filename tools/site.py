"""What MkDocs needs to make a site of pages that are written for the repository: hooks, which mkdocs.yml names.

README and others of the root become pages. A link to a file outside docs/, such as an example, leads to a page that
shows it. A fence may have a file's name behind its language, as tests read it; here it becomes the fence's title.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mkdocs.structure.files import File

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).parent.parent
DOCS, SOURCE = "docs/", "source/"
PAGES = {
    "README.md": "index.md",
    "SECURITY.md": "SECURITY.md",
    "CONTRIBUTING.md": "CONTRIBUTING.md",
    "CHANGELOG.md": "CHANGELOG.md",
}
"""Pages of the repository's root, and what they are called on the site."""
LINK = re.compile(r"(?<=\]\()(?!https?:|#)([^)\s#]+)(#[^)\s]*)?(?=\))")
FENCE = re.compile(r"^```([a-z]+) ([^\s=`]+)$", re.MULTILINE)
SHOWN = {".py": "python", ".toml": "toml", ".json": "json", ".md": "markdown", ".yaml": "yaml", ".yml": "yaml"}
"""The languages of files that are shown."""
MAX_BYTES = 50_000
"""Of files of a folder, those that are larger are only named."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages of the root, and a page for each file or folder that a page links to."""
    for name, page in PAGES.items():
        files.append(File.generated(config, page, content=(ROOT / name).read_text("utf-8")))
    for target in sorted({found for page in [*files.documentation_pages()] for found in _outside(page)}):
        files.append(File.generated(config, _page_of(target), content=_shown(target)))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Lead links to the pages of the site, and give fences their titles."""
    here = page.file.src_uri

    def lead(found: re.Match[str]) -> str:
        target = _page_of(_target(here, found[1]))
        return posixpath.relpath(target, posixpath.dirname(here) or ".") + (found[2] or "")

    return FENCE.sub(r'```\1 title="\2"', markdown if here.startswith(SOURCE) else LINK.sub(lead, markdown))


def _outside(file: File) -> Iterator[str]:
    """Give the places in the repository that a page links to and that are no pages."""
    if file.src_uri.startswith(SOURCE):
        return
    for found in LINK.finditer(file.content_string):
        target = _target(file.src_uri, found[1])
        if _page_of(target).startswith(SOURCE) and (ROOT / target).exists():
            yield target


def _target(page: str, link: str) -> str:
    """Return the place in the repository that a page's link leads to."""
    roots = {site: name for name, site in PAGES.items()}
    place = roots.get(page, f"{DOCS}{page}")
    return posixpath.normpath(posixpath.join(posixpath.dirname(place), link))


def _page_of(target: str) -> str:
    """Return the page of the site that shows a place in the repository."""
    if target in PAGES:
        return PAGES[target]
    is_own = target.startswith(DOCS) and not (ROOT / target).is_dir()
    return target.removeprefix(DOCS) if is_own else f"{SOURCE}{target}.md"


def _shown(target: str) -> str:
    path = ROOT / target
    files = [path] if path.is_file() else sorted(file for file in path.rglob("*") if _is_source(file))
    return f"# {target}\n\n" + "\n".join(_file(file) for file in files)


def _is_source(file: Path) -> bool:
    return file.is_file() and "__pycache__" not in file.parts and file.suffix in SHOWN


def _file(file: Path) -> str:
    name = file.relative_to(ROOT)
    if file.stat().st_size > MAX_BYTES:
        return f"`{name}` is too long to show.\n"
    return f'````{SHOWN.get(file.suffix, "text")} title="{name}"\n{file.read_text("utf-8").rstrip()}\n````\n'

"""A report whose name ends in .htm is a page."""

import subprocess
import sys
from pathlib import Path


def test_a_report_is_a_page(tmp_path):
    """With every model, and text that HTML would read as marks written out."""
    (tmp_path / "portfolio.toml").write_text('name = "Big < small"\n[[models]]\nsize = "7B"\nname = "Seven"\n', "utf-8")
    program = Path(sys.executable).with_name("flopsheet")
    subprocess.run([program, "report", "portfolio.toml", "-o", "plan.htm"], cwd=tmp_path, check=True)
    text = (tmp_path / "plan.htm").read_text("utf-8")
    assert "<h1>Big &lt; small</h1>" in text
    assert "<td>Seven</td><td>approximate</td>" in text

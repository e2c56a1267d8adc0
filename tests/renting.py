"""A distribution of somebody else, installed for as long as a test lasts: a planning question in its own folder."""

import sys
from contextlib import contextmanager
from pathlib import Path

FOLDER = Path(__file__).parent / "rentals"
METADATA = "Metadata-Version: 2.4\nName: flopsheet-rentals\nVersion: 2.1\n"


@contextmanager
def installed(folder):
    """Put the distribution on the path, with metadata in a folder as an installer writes it."""
    about = folder / "flopsheet_rentals-2.1.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(METADATA, "utf-8")
    (about / "entry_points.txt").write_text("[flopsheet]\nrentals = flopsheet_rentals\n", "utf-8")
    paths = [str(FOLDER), str(folder)]
    sys.path[:0] = paths
    try:
        yield
    finally:
        sys.path[:] = [path for path in sys.path if path not in paths]
        sys.modules.pop("flopsheet_rentals", None)

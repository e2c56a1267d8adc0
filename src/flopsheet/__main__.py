"""Run the command where its script is not on the path: `python -m flopsheet`."""

import sys

from flopsheet.cli import main

if __name__ == "__main__":
    sys.exit(main(prog_name="flopsheet"))

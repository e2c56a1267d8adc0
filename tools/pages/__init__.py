"""Writers of the generated pages of docs/: `python -m pages.NAME`, from tools/; `make docs` runs all."""

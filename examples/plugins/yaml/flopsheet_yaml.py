"""Portfolios in YAML, which say what TOML portfolios say."""

import yaml

from flopsheet import Reader, hookimpl

READERS = [Reader(suffix=suffix, title="YAML", read=yaml.safe_load) for suffix in (".yaml", ".yml")]

flopsheet_readers = hookimpl(lambda: READERS)

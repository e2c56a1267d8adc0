"""From a plan to files and pages: workbooks, TOML, JSON, CSV, Markdown and plain text."""

"""Plans as one HTML page: the figures, then a table of the models."""

from html import escape

from flopsheet import Exporter, hookimpl


def _rows(rows):
    return "".join(f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in row)}</tr>" for row in rows)


def write(result, path):
    """Write a plan, as `flopsheet.plan` returns it, to a path."""
    figures = [
        (question, name, figure["base"], figure["unit"])
        for question, own in result.answers.items()
        for name, figure in own.items()
    ]
    models = [(m["name"], m["status"], m["totals"].get("parameters", "")) for m in result.report["models"]]
    title = escape(result.report["name"])
    path.write_text(
        f"<!doctype html><meta charset=utf-8><title>{title}</title><h1>{title}</h1>"
        f"<h2>Figures</h2><table>{_rows(figures)}</table><h2>Models</h2><table>{_rows(models)}</table>\n",
        "utf-8",
    )


flopsheet_exporters = hookimpl(lambda: [Exporter(suffix=".htm", title="a page to read in a browser", write=write)])

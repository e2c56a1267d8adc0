"""What the header of a template's column means: a field in a unit, something wrong, or nothing, with a hint."""

import contextlib

import pytest

from flopsheet.configs.grid import Grid
from flopsheet.configs.headers import find_header
from flopsheet.configs.words import aliases, words
from flopsheet.errors import PortfolioError
from flopsheet.export.binding.fields import fields_of
from flopsheet.export.binding.headers import Bound, Catalog, InvalidHeader, UnknownHeader
from flopsheet.export.workbook.model_columns import shown_columns
from flopsheet.host.loading import load
from flopsheet.planning.registry import program
from livesheets.spelling import fold

CATALOG = Catalog(fields_of(load()))


MEANINGS = {
    "Parameters (B)": "parameters ÷ 1e9",
    "parameters": "parameters",
    "PARAMETERS, m": "parameters ÷ 1e6",
    "Training cost [USD m]": "training_cost ÷ 1e6",
    "Cost ($k)": "training_cost ÷ 1e3",
    "training_cost (USD '000)": "training_cost ÷ 1e3",
    "Training FLOP (ZFLOP)": "training_flops ÷ 1e21",
    "KV cache (GiB)": "kv_cache_bytes ÷ 1073741824",
    "Weights, GB": "weights_bytes ÷ 1e9",
    "GPU-hours (M GPU-h)": "training_hours ÷ 1e6",
    "Training days (weeks)": "training_days ÷ 7",
    "Training days (hours)": "training_days × 24",
    "Energy [MWh]": "training_energy ÷ 1e3",
    "MFU (%)": "model_mfu × 100",
    "Fits?": "fits",
    "tokens": "training_tokens",
    "MFU, %": "model_mfu × 100",
    "Layers (#)": "n_layers",
    "Status [text]": "status",
    "Layers": "n_layers",
    "Recurrent state (MiB)": "recurrent_state or ssm_state or wkv_state ÷ 1048576",
    "Router (GFLOP)": "router_flops ÷ 1e9",
    "SHA-256": "sha256",
    "Training\ntime\n(weeks)": "training_days ÷ 7",
    "Family": "model_type",
    "Weights GiB": "weights_bytes ÷ 1073741824",
    "Cost in USD m": "training_cost ÷ 1e6",
    "Params billions": "parameters ÷ 1e9",
    "COST $": "training_cost",
    "Cost $m": "training_cost ÷ 1e6",
    "MFU %": "model_mfu × 100",
    "MFU%": "model_mfu × 100",
    "Model name": "model",
}


@pytest.mark.parametrize(("header", "meaning"), MEANINGS.items(), ids=MEANINGS)
def test_a_header_means_a_field_in_a_unit(header, meaning):
    """Names, titles and words of planners, whatever their case, with a unit that converts."""
    result = CATALOG.meaning(header)
    assert isinstance(result, Bound)
    assert str(result) == meaning


WRONG = {
    "Training FLOP [GiB]": "'GiB' is a unit of bytes, but training_flops is in FLOP",
    "Weights (B)": "'B' is a unit of count, but weights is in bytes",
    "Parameters (USD m)": "'USD m' is a unit of USD, but parameters is in parameters",
    "Queries": "several fields have this title: attention_q, attention_q_flops, latent_q_up, latent_q_up_flops",
}


@pytest.mark.parametrize(("header", "reason"), WRONG.items(), ids=WRONG)
def test_a_header_that_cannot_be_what_it_says_is_wrong(header, reason):
    """A unit of another kind, and a title that several fields share."""
    result = CATALOG.meaning(header)
    assert isinstance(result, InvalidHeader)
    assert result.reason.startswith(reason)


UNKNOWN = {
    "Owner": "",
    "Paramters (B)": "did you mean 'Parameters'?",
    "Weights (Gb)": "'Gb' is not a unit of weights",
    "Status (B)": "'B' is not a unit of status",
    "Cost €": "'€' is not in USD as training_cost is; to convert it",
    "Tokens $": "'$' is a unit of USD, but training_tokens is in tokens",
    "Active days": "",
}


@pytest.mark.parametrize(("header", "hint"), UNKNOWN.items(), ids=UNKNOWN)
def test_a_header_that_means_nothing_gets_a_hint(header, hint):
    """What may have been meant, where something is close; Gb may be bits."""
    result = CATALOG.meaning(header)
    assert isinstance(result, UnknownHeader)
    assert CATALOG.hint(result).startswith(hint)


def test_every_alias_names_a_field():
    """A word of planners stands for something that there is."""
    assert set(words()["aliases"]) - set(CATALOG.names) == set()


def test_no_alias_is_the_title_of_another_field():
    """A planner's word takes no title away from what has it."""
    titles = {fold(field.title): field.name for field in CATALOG.fields if field.role in ("model", "result", "total")}
    assert {word: titles[word] for word, name in aliases().items() if titles.get(word, name) != name} == {}


@pytest.mark.parametrize("unit", ["", " (k)", ", M", " [GiB]", " (tokens)", " (#)", " (furlongs)", " (-)"])
def test_a_list_reads_headers_as_a_template_does(unit):
    """A dimension's name with a unit means the same dimension in the same unit in both directions."""
    dimensions = [d for d in load().architecture("dense").dimensions if d.kind == "count"]
    headers = [f"{dimension.name}{unit}" for dimension in dimensions]
    shown = [CATALOG.meaning(header) for header in headers]
    assert [read_scale(header) for header in headers] == [
        found.times if isinstance(found, Bound) else None for found in shown
    ]


def read_scale(header):
    """Return what a list's numbers under a header multiply by; None where the list is refused."""
    rows = [["architecture", header]]
    with contextlib.suppress(PortfolioError):
        return find_header(load(), Grid("models.csv", "", rows)).columns[1].scale
    return None


def test_the_titles_of_the_sheet_models_are_headers():
    """What the shipped workbook calls a result, a template may call it."""
    shown = shown_columns(program(load(), ["budget"]))
    meanings = {one.name: CATALOG.meaning(one.title) for one in shown if not one.is_fact and not one.case}
    assert {line: found.field.name for line, found in meanings.items()} == {line: line for line in meanings}

"""The same traffic bought from an API, and from which volume on serving is cheaper."""

from flopsheet.accounting.data import read_table
from flopsheet.accounting.formula import compose
from flopsheet.accounting.line import Line
from flopsheet.planning.question import MODELS, Link, Rows, Table
from flopsheet.planning.questions.serving.capacity import in_month
from flopsheet.planning.questions.serving.links import from_models
from flopsheet.planning.written_lines import lines_from

_PRICES = read_table(__package__, "api_prices.toml")["api_prices"]
_TYPED = {"api": 1, "listed_input": 0, "listed_cached": 0, "listed_output": 0}
"""The first row: its price is typed, in the inputs `api_input_price`, `api_cached_price` and `api_output_price`."""
APIS = Rows(
    "api",
    "API",
    values=(
        _TYPED,
        *(
            {
                "api": place,
                "listed_input": row["input"],
                "listed_cached": row.get("cached", row["input"]),
                "listed_output": row["output"],
            }
            for place, row in enumerate(_PRICES, start=2)
        ),
    ),
    labels=("Your price", *(f"{row['provider']} {row['model']}, {row['date']}" for row in _PRICES)),
)
MAX_NAME = 20
"""Characters of a name that a chart has room for."""


def _short(model: str) -> str:
    """Return the name of an API's model without its remarks, and without the last words of a long one."""
    name = model.split(" (", maxsplit=1)[0]
    while len(name) > MAX_NAME and "-" in name:
        name = name.rpartition("-")[0]
    return name


OFFERS = APIS._replace(
    labels=("1 Your price", *(f"{place} {_short(row['model'])}" for place, row in enumerate(_PRICES, start=2)))
)
"""The same rows under numbers and names that a chart has room for."""
PRICE = "List price, or the one that is typed"


def _price(kind: str, typed_price: str) -> Line:
    """Return the price of a kind of token in a row."""
    title = {"input": "API price of input", "cached": "API price of cached input", "output": "API price of output"}
    formula = compose.substitute(
        "listed if listed_output > 0 else typed", {"listed": f"listed_{kind}", "typed": typed_price}
    )
    return Line(f"api_{kind}", formula, "USD/Mtok", title=title[kind], source=PRICE)


API_LINES = (
    *lines_from(__package__, "apis.toml", "typed_price"),
    _price("input", "api_input_price"),
    _price("cached", "typed_cached_price"),
    _price("output", "api_output_price"),
    *lines_from(
        __package__,
        "apis.toml",
        "api_compares",
        {
            "api_cost_per_month": in_month("api_request_cost * mean_requests * SECONDS"),
            "break_even_tokens": in_month("break_even_requests * SECONDS * (input_tokens + decodes * output_tokens)"),
        },
    ),
)

APIS_TABLE = Table(
    "serving_apis",
    "The same traffic bought from an API",
    API_LINES,
    (MODELS, APIS),
    from_models(
        *(
            "replica_size",
            "least_prefill",
            "replica_requests",
            "serving_cost_per_month",
            "prompt_accelerator_seconds",
            "mean_requests",
        ),
        "prompt_hit_rate",
    ),
)

OFFER_LINES = lines_from(__package__, "apis.toml", "offer")
OFFERS_TABLE = Table(
    "serving_offers",
    "Cost per month from each API",
    OFFER_LINES,
    (OFFERS,),
    (
        Link("highest_offer", APIS_TABLE.name, "api_cost_per_month", "max", "API cost per month"),
        Link("cheapest_served", "serving_summary", "first_serving_cost_per_month", "sum", "Cost of the cheapest model"),
    ),
)
"""One row per API: its bill does not depend on the model, unless a model has requests of its own."""

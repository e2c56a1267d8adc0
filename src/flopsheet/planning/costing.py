"""Cost a model: complete its dimensions, evaluate its ledger, and gather totals and groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from flopsheet.accounting import formula
from flopsheet.accounting.line import NOTHING, Number
from flopsheet.accounting.totals import OF_TORCH
from flopsheet.accounting.values import plain
from flopsheet.accounting.workload import WORKLOAD
from flopsheet.configs.missing_sizes import without_sizes
from flopsheet.configs.model import BETWEEN, Model
from flopsheet.configs.settings import OPTIMIZER, SHORT, merge_settings, names_set
from flopsheet.configs.wrapper import joining_family
from flopsheet.errors import FlopsheetError, FormulaError, UsageError
from flopsheet.host.places import place_of
from flopsheet.planning.costed_model import Costed
from flopsheet.planning.reconcile import byte_mismatch, mismatches, reconcile
from livesheets.suggestions import names_like

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from flopsheet.accounting.ledger import Ledger
    from flopsheet.accounting.numbers import Numbers
    from flopsheet.host.host import Host


def cost(host: Host, model: Model, settings: Mapping[str, Any] = NOTHING) -> Costed:
    """Return the model with its numbers; `settings` override its dimensions and workload."""
    if model.errors:
        return Costed(model)
    try:
        ledger = host.ledger(model.architecture)
        facts = merge_settings(host, model.given, settings)
        values, missing = dimension_values(ledger, model, facts)
        errors = [
            f"{name} {problem}" if problem.startswith("is ") else f"{name} = {problem}{_by_family(host, model, name)}"
            for name, problem in missing.items()
        ]
        errors = errors or ledger.checks(model.checks).find_broken(values, model.fields)
        if errors:
            return Costed(replace(model, errors=tuple(errors)))
        numbers = ledger.evaluate(values)
        if wrong := _wrong(host, ledger, numbers):
            return Costed(replace(model, errors=(wrong,)))
    except FlopsheetError as error:
        return Costed(replace(model, errors=(_blame_line(host, model.architecture, error),)))
    own = [
        *_list_defaults(model, facts, ledger, values),
        *ledger.notes.find_texts(numbers, model.fields),
        *_list_extensions(host, model),
    ]
    own += [*_reads_alone(ledger, numbers), *_scans(ledger, numbers), *_class_defaults(model, facts)]
    notes = _once(model.notes, [*own, *_beyond_maximum(values), *_recipe(host, facts, values)])
    parameters = numbers["parameters"] - numbers.get("sum_parameters_adapters", 0)
    count, beside = reconcile(model, parameters, numbers.get("tied_head", 0))
    model, notes = replace(model, stored=count), _once(notes, beside)
    results = [
        *_left_out(host, model.architecture),
        *mismatches(model, parameters),
        *_without_sizes(host, model, facts),
    ]
    differs = byte_mismatch(replace(model, given=facts), numbers["weights_bytes"])
    notes = _once(notes, differs if model.stored else [])
    results += [] if model.stored else differs
    problems = _once(model.problems, results)
    model = replace(model, given=facts, notes=notes, problems=problems)
    return Costed(model, host.provider(model.architecture), ledger, numbers)


def _scans(ledger: Ledger, numbers: Numbers) -> list[str]:
    """Say that scans count as recurrences, and what torch's counter sees in all where lines `…_torch` say it."""
    scans = [entry.line.name for entry in ledger.entries if entry.line.work == "scan" and numbers[entry.line.name]]
    if not scans:
        return []
    share = float(sum(numbers[name] for name in scans) / numbers["flops_forward"])
    text = f"scans count as their recurrence, {share:.2%} of flops_forward"
    counts = [number for name in scans if (number := numbers.get(OF_TORCH.format(name)))]
    if len(counts) < len(scans):
        return [f"{text}; torch's counter sees the products of chunked code instead, and none of a kernel's"]
    total = numbers["flops_forward_matmul"] + sum(counts)
    return [f"{text}; torch's counter sees transformers' chunks instead, and with them {total:,.0f} FLOP of products"]


def _reads_alone(ledger: Ledger, numbers: Numbers) -> list[str]:
    """Say that a model writes no tokens, so that plans of serving price what it reads."""
    text = ledger.architecture.decodes
    writes = text == "1" or formula.read(text).evaluate(numbers)
    return [] if writes else ["writes no tokens: plans of serving price the tokens that it reads"]


def _blame_line(host: Host, architecture: str, error: FlopsheetError) -> str:
    """Return what an error says, and whose line it is that gives no number."""
    if not isinstance(error, FormulaError) or not error.of:
        return str(error)
    plugin = host.giver(architecture, error.of)
    return f"plugin {plugin}: {error}{place_of(plugin, error.of)}"


def _wrong(host: Host, ledger: Ledger, numbers: Numbers) -> str:
    """Say which plugin's line counts what cannot be, or that one forgot the FLOP; nothing where all can be."""
    architecture = ledger.architecture.name
    if line := ledger.impossible(numbers):
        number, plugin = f"{float(numbers[line.name]):g} {line.unit}", host.giver(architecture, line.name)
        return f"plugin {plugin}: line {line.name} gives {number}, which is impossible{place_of(plugin, line.name)}"
    if numbers["parameters"] and not numbers["flops_forward"]:
        return f"plugin {host.provider(architecture)} counts weights but no FLOP, which is impossible"
    return ""


def cost_all(host: Host, models: Sequence[Model], settings: Mapping[str, Any] = NOTHING) -> list[Costed]:
    """Cost a batch; UsageError names a setting that no model has, one that some lack becomes their note."""
    check_settings(host, {model.architecture for model in models}, settings)
    result = cost_some(host, models, settings)
    if len(models) == 1:
        return result
    return [Costed(model.model, model.plugin, model.ledger, model.numbers.pack()) for model in result]


def check_settings(host: Host, architectures: Iterable[str], settings: Mapping[str, Any]) -> None:
    """Raise UsageError for a setting that none of the architectures of a batch has, or an optimizer of no name."""
    everything = {*SHORT}.union(*(_names(host, name) for name in architectures), (item.name for item in WORKLOAD))
    for name in settings:
        if name not in everything:
            raise UsageError(f"--set {name}: {_unknown(host, name, settings[name], everything)}")
    merge_settings(host, {}, settings)


def cost_some(host: Host, models: Sequence[Model], settings: Mapping[str, Any] = NOTHING) -> list[Costed]:
    """Cost some models of a batch; a setting that one lacks becomes its note."""
    names = {name: _names(host, name) for name in dict.fromkeys(model.architecture for model in models)}
    return [cost(host, _add_notes(model, names[model.architecture], settings), settings) for model in models]


def _unknown(host: Host, name: str, value: Any, names: Iterable[str]) -> str:
    """Say what is wrong with a setting that no model has: it may be an input of plans."""
    from flopsheet.planning.registry import all_inputs  # noqa: PLC0415 - only a mistake pays for it

    if name in all_inputs(host):
        return f"{name!r} is a planning input; set it in the portfolio or with --input {name}={value} of plan or report"
    return f"no model has such a dimension{names_like(name, names)}"


def _left_out(host: Host, architecture: str) -> list[str]:
    """Say which plugins extend the architecture with lines that are not counted, and why."""
    return [
        f"counted without the lines of {failure.plugin}: {' '.join(failure.reason.split())}"
        for failure in host.failures
        if failure.architecture == architecture
    ]


def _list_extensions(host: Host, model: Model) -> list[str]:
    """Say which plugins add lines to an architecture of another one, and which lines they replace."""
    replacements = host.find_replaced(model.architecture)
    return [
        f"counted with lines of plugin {plugin}: "
        + ", ".join(f"{name} (in place of the architecture's own)" if name in replacements else name for name in names)
        for plugin, names in host.extensions(model.architecture)
        if names
    ]


def _names(host: Host, architecture: str) -> set[str]:
    try:
        return names_set(d.name for d in host.ledger(architecture).dimensions) if architecture else set()
    except FlopsheetError:
        return set()


def _add_notes(model: Model, names: set[str], settings: Mapping[str, Any]) -> Model:
    extra = [name for name in settings if name not in names]
    if not extra or model.errors:
        return model
    return replace(model, notes=(*model.notes, f"set but not used by this architecture: {', '.join(extra)}"))


def _once(texts: Sequence[str], more: Iterable[str]) -> tuple[str, ...]:
    """Return all texts in order, each once: a report that is read again says already what is found again.

    One in a table says it in a cell, whose parts were taken apart.
    """
    said = BETWEEN.join(("", *texts, ""))
    new = (text for text in more if BETWEEN.join(("", text, "")) not in said)
    return tuple(dict.fromkeys((*texts, *new)))


def dimension_values(
    ledger: Ledger, model: Model, facts: Mapping[str, Any]
) -> tuple[dict[str, Number], dict[str, str]]:
    """Return the value of each dimension of a model for what it is given, and what is wrong with those without one."""
    return ledger.fill(facts, model.fields, model.defaults)


def _by_family(host: Host, model: Model, dimension: str) -> str:
    """Say which plugin's family gives a dimension by a formula, "" where none does."""
    kind = model.read_as or model.model_type
    if dimension not in model.defaults or kind not in host.families:
        return ""
    return f" ({host.families[kind][1]} says so of the type {kind})"


def _without_sizes(host: Host, model: Model, facts: Mapping[str, Any]) -> list[str]:
    """Say that a config names neither depth nor width: whatever model it is of, it is counted as the class's own.

    Published configs of several parts leave out the sizes of a language model that are its class's.
    """
    if joining_family(host, model.model_type):
        return []
    defaults = without_sizes({name: text for name, text in model.assumed.items() if facts.get(name) is None})
    return [f"the config names neither depth nor width: class defaults are counted ({defaults})"] if defaults else []


def _class_defaults(model: Model, facts: Mapping[str, Any]) -> list[str]:
    defaults = ", ".join(dict.fromkeys(text for name, text in model.assumed.items() if facts.get(name) is None))
    return [f"not in the config, class defaults taken: {defaults}"] if defaults else []


def _list_defaults(model: Model, facts: Mapping[str, Any], ledger: Ledger, values: Mapping[str, Number]) -> list[str]:
    """List the defaults of a model that somebody described by its dimensions: a forgotten fact shows here."""
    if model.source or model.model_type:
        return []
    workload = {dimension.name for dimension in WORKLOAD}
    own = [d for d in ledger.dimensions if d.name not in workload and facts.get(d.name) is None]
    defaults = [f"{d.name} = {plain(values[d.name])}" for d in own if values[d.name]]
    return [f"described by its dimensions; defaults taken: {', '.join(defaults)}; all others are 0"] if defaults else []


def _recipe(host: Host, facts: Mapping[str, Any], values: Mapping[str, Number]) -> list[str]:
    if OPTIMIZER not in facts:
        return []
    from flopsheet.accounting.optimizers import describe_recipe, recipe  # noqa: PLC0415 - few models have one

    return [describe_recipe(recipe(facts[OPTIMIZER], host.optimizers()), values)]


def _beyond_maximum(values: Mapping[str, Number]) -> list[str]:
    most = values.get("max_positions") or 0
    return [
        f"{name} = {values[name]} is beyond the model's maximum of {most}"
        for name in ("seq_len", "target_len", "context")
        if most and values.get(name, 0) > most
    ]

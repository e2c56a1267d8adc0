"""`flopsheet plugins check`: each check finds what it asks for, says what to do, and passes what is right."""

import json
import shutil
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter_ns

import pytest
from click.testing import CliRunner
from msgspec.structs import replace
from toy_plugins import MATRIX, PRODUCT, WIDTH, Point, plugin, toy

from flopsheet import Architecture, Dimension, Exporter, Line, Question, Reading, Rule, Table
from flopsheet.accounting.ledger import Ledger
from flopsheet.cli import main
from flopsheet.host.hookspecs import API_VERSION
from flopsheet.host.loading import load_from
from flopsheet.kit import config_checks, elsewhere
from flopsheet.kit.batch_checks import batched
from flopsheet.kit.checks import CHECKS, verdicts
from flopsheet.kit.declaration_checks import find_refused
from flopsheet.kit.findings import Finding, SkippedError
from flopsheet.kit.format_checks import exports
from flopsheet.kit.subject import Subject
from flopsheet.kit.targets import subjects
from flopsheet.kit.workload_checks import followed

EXAMPLE = Path(__file__).parent.parent / "examples" / "plugin"
TOLD = {"title": "Matrix", "source": "Nobody"}
GOOD = {
    "parameters": [MATRIX._replace(**TOLD)],
    "flops": [
        PRODUCT._replace(formula="2 * batch * seq_len * width * width", decode="2 * batch * width * width", **TOLD)
    ],
}


def checked(bad, configs=()):
    """Return the verdicts on a plugin by name."""
    host = load_from([Point("bad", bad)])
    subject = Subject(host, next(iter([*host.plugins, *(failure.plugin for failure in host.failures)])), configs)
    return {verdict.name: verdict for verdict in verdicts(subject, quick=True)}


def good(**answers):
    """Return a plugin that passes, with some answers changed."""
    return toy(**GOOD | answers)


def test_a_sound_plugin_passes():
    """Every check that can be made passes."""
    result = checked(good())
    assert [verdict.findings for verdict in result.values()] == [()] * len(CHECKS)
    assert [name for name, verdict in result.items() if verdict.skipped] == [
        *("answers", "inputs", "exports"),
        *("workbooks", "workbook", "transformers"),
    ]


def reading(read):
    """Return the toy's architecture with a reader."""
    return [Architecture("toy", "Toy", "One matrix", (WIDTH,), read=read)]


def counting():
    """Return a reader that gives another number each time."""
    widths = iter(range(8, 10**6))
    return lambda *_: Reading({"width": next(widths)}, {"hidden_size"})


def changing(config, _):
    """Read a config and leave it changed."""
    config["layers"].append(1)
    return Reading({"width": 8}, {"hidden_size", "layers"})


EXTRA = Line("extra", "width", "parameters", "mlp", **TOLD)
CORE = Line("core", "2 * batch * seq_len", "FLOP", "attention", **TOLD, work="attention_core", decode="0")
FOUND = {
    "declared": (good(flops=[PRODUCT._replace(work="matmul")]), "work is 'matmul'", "give what is expected"),
    "told": (good(parameters=[MATRIX]), "it names no source", "say source=…"),
    "used": (
        good(dimensions=[Dimension("depth", "Depth", default=1)]),
        "no formula reads it",
        "use it, or leave it out",
    ),
    "examples": (
        good(parameters=[MATRIX._replace(formula="-width", **TOLD)]),
        "no config could be made up",
        "--config",
    ),
    "repeated": (good(architectures=reading(counting())), "reading it again gives other numbers", "keep nothing"),
    "nonsense": (
        good(architectures=reading(lambda config, _: Reading({"width": 8}, set(config)))),
        "is counted as ok",
        "Reading.keys",
    ),
    "whole": (
        good(flops=[*GOOD["flops"], Line("half", "batch * seq_len * width / 3", "FLOP", "mlp", **TOLD, decode="0")]),
        "which no model has",
        "subtracts or divides",
    ),
    "reads": (
        good(
            memory=[
                Line("cache", "batch * context * width", "bytes", "kv_cache", **TOLD, decode="batch * context * 9"),
            ]
        ),
        "a decode step reads",
        "the cache's own factors",
    ),
    "products": (good(flops=[CORE]), "2 × active weights × tokens are", "no FLOP line for matrix: blocks.linear"),
    "monotone": (
        good(parameters=[*GOOD["parameters"], Line("rest", "width * (170 - 10 * width)", "parameters", **TOLD)]),
        "it falls from",
        "divides by width",
    ),
    "columns": (
        good(
            parameters=[
                *GOOD["parameters"],
                EXTRA._replace(formula="9000000000000000 * width + 1 - 9000000000000000 * width"),
            ]
        ),
        "NumPy gives",
        "avoid ceil",
    ),
}


@pytest.mark.parametrize("name", FOUND)
def test_each_check_finds_what_it_asks_for(name):
    """With what is wrong and what to do."""
    bad, what, remedy = FOUND[name]
    findings = checked(bad)[name].findings
    assert any(what in finding.what for finding in findings), findings
    assert any(remedy in finding.remedy for finding in findings), findings


PAIRED = CORE._replace(formula="2 * pairs * width", decode="")
SLOTS = Line("slots", "batch * context * width", "bytes", "kv_cache", **TOLD)
KEPT = Line("kept", "tokens * width", "elements", "mlp", **TOLD, kept="always")
SOUND_CORE = PAIRED._replace(formula="2 * batch * pairs")
ONE_LAYER = Architecture("toy", "Toy", "One matrix", (WIDTH,), depth="1")
BATCHED = {
    "a core of one sequence": (good(flops=[*GOOD["flops"], PAIRED]), ["core", "core_decode"]),
    "a part of one sequence": (
        good(flops=[*GOOD["flops"], PAIRED._replace(formula="2 * (batch * width + 1) * pairs")]),
        ["core", "core_decode"],
    ),
    "the batch twice": (good(flops=[PRODUCT._replace(formula="2 * batch * tokens * width")]), ["product"]),
    "a cache of one sequence": (good(memory=[SLOTS._replace(formula="context * width")]), ["slots"]),
    "a step that reads one sequence": (good(memory=[SLOTS._replace(decode="context * width")]), ["slots_decode"]),
    "weights of the workload": (good(parameters=[MATRIX._replace(formula="batch * width * width")]), ["matrix"]),
    "what is kept of one sequence": (
        good(
            architectures=[ONE_LAYER],
            flops=[*GOOD["flops"], SOUND_CORE],
            activations=[KEPT, KEPT._replace(name="weights_kept", formula="pairs", group="attention", kept="core")],
        ),
        ["weights_kept"],
    ),
    "no batch at all": (
        good(flops=[PRODUCT._replace(formula="2 * width * width")]),
        ["flops_forward", "flops_decode_step"],
    ),
    "what is right": (good(flops=[*GOOD["flops"], SOUND_CORE], memory=[SLOTS]), []),
    "a step that forgets what the pass does not": (
        good(flops=[GOOD["flops"][0]._replace(decode="2 * width * width")]),
        ["product_decode", "flops_decode_step"],
    ),
    "a pass that forgets what the step does not": (
        good(flops=[*GOOD["flops"], EXTRA._replace(formula="2 * seq_len * width", unit="FLOP", decode="2 * batch")]),
        ["extra"],
    ),
    "one row in a step of what is made once": (
        good(flops=[*GOOD["flops"], EXTRA._replace(formula="2 * seq_len * width", unit="FLOP", decode="2 * context")]),
        [],
    ),
    "what is made once for the whole batch": (
        good(flops=[*GOOD["flops"], EXTRA._replace(formula="2 * seq_len * width", unit="FLOP", decode="0")]),
        [],
    ),
}


def test_an_unknown_field_inside_a_table_is_found(tmp_path):
    """A reader that knows some fields of a table has to say something of others."""
    config = tmp_path / "config.json"
    config.write_text('{"model_type": "toy", "hidden_size": 3, "mixer": {"heads": 2}}')
    bad = good(architectures=reading(lambda config, _: Reading({"width": config["mixer"]["heads"]}, {"mixer"})))
    host = load_from([Point("bad", bad)])
    found = [finding.where for finding in config_checks.nonsense(Subject(host, host.plugins[0], [config]))]
    assert f"{config}: mixer.a_field_that_nobody_knows = 3" in found


def test_a_misspelled_default_and_hint_of_a_type_are_found(tmp_path):
    """Nothing reads them, and the count is another than the author means: a head that is not tied, no windows."""
    (tmp_path / "sparrow.toml").write_text(
        '[families.sparrow]\narchitecture = "dense"\nclasses = { Sparrow = {} }\n'
        'defaults = { tie_word_embedings = true }\nhints = { widnows = "alternate" }\n'
    )
    (subject,) = subjects([str(tmp_path / "sparrow.toml")])
    assert [(one.where, one.what.partition("; ")[2]) for one in find_refused(subject) if isinstance(one, Finding)] == [
        ("sparrow: defaults.tie_word_embedings", "did you mean 'tie_word_embeddings'?"),
        ("sparrow: hints.widnows", "did you mean 'windows'?"),
    ]


FOLLOWING = {
    "weights of a length": (good(parameters=[MATRIX._replace(formula="seq_len * width", **TOLD)]), "follows seq_len"),
    "FLOP of stored bytes": (
        good(flops=[PRODUCT._replace(formula="kv_dtype_bytes * tokens * width * width")]),
        "follows kv_dtype_bytes",
    ),
    "a cache of the prompt": (
        good(memory=[SLOTS._replace(formula="kv_dtype_bytes * batch * seq_len")]),
        "follows seq_len",
    ),
    "a cache of bytes": (good(memory=[SLOTS]), "its bytes follow no kv_dtype_bytes"),
    "kept bytes": (
        good(architectures=[ONE_LAYER], activations=[KEPT._replace(formula="weight_dtype_bytes * tokens * width")]),
        "follows weight_dtype_bytes",
    ),
    "kept whatever the batch": (
        good(architectures=[ONE_LAYER], activations=[KEPT._replace(formula="width * width")]),
        "the same for any batch and length",
    ),
    "tokens for each pair": (
        good(flops=[*GOOD["flops"], PAIRED._replace(formula="2 * tokens * pairs")]),
        "twice the tokens cost 8 times as much",
    ),
}


@pytest.mark.parametrize(("bad", "said"), FOLLOWING.values(), ids=FOLLOWING)
def test_what_a_line_cannot_follow_is_found(bad, said):
    """Each part of the workload that a line names, or lacks, by its kind."""
    host = load_from([Point("bad", bad)])
    assert [said in found.what for found in followed(Subject(host, host.plugins[0]))] == [True]


@pytest.mark.parametrize(("bad", "lines"), BATCHED.values(), ids=BATCHED)
def test_what_does_not_follow_the_batch_is_found(bad, lines):
    """In the forward pass, a decode step, caches, weights and what is kept; what is made once for all may stay."""
    host = load_from([Point("bad", bad)])
    findings = list(batched(Subject(host, host.plugins[0])))
    assert [finding.where.rpartition("line ")[2] for finding in findings] == lines, findings


def test_a_line_that_is_to_replace_and_is_not_given_is_found():
    """The owner's would count beside the one of another name that was meant to take its place."""
    module = plugin(extends="toy", flops=[PRODUCT._replace(name="produkt", **TOLD)])
    module.replaces = ("product",)
    host = load_from([Point("half", module), Point("toys", good())])
    (subject,) = [Subject(host, one) for one in host.plugins if one.name == "half"]
    assert [(one.where, one.what) for one in find_refused(subject)][:1] == [
        ("replaces product", "it gives no such line")
    ]


def test_a_mask_that_the_total_does_not_follow_is_found():
    """A ledger whose totals were tampered with: the host refuses what plugins could do to them."""
    host = load_from(
        [Point("toys", good(flops=[*GOOD["flops"], CORE._replace(formula="2 * batch * pairs * width", decode="")]))]
    )
    ledger = host.ledger("toy")
    spoiled = [
        replace(entry, line=entry.line._replace(formula="flops_forward + 1"))
        if entry.line.name == "flops_forward_causal"
        else entry
        for entry in ledger.entries
    ]
    host.ledgers["toy"] = Ledger(ledger.architecture, ledger.dimensions, tuple(spoiled))
    findings = next(v for v in verdicts(Subject(host, host.plugins[0]), quick=True) if v.name == "causal").findings
    assert "flops_forward with mask = causal is" in findings[0].what


def test_names_that_a_workbook_cannot_have_are_found():
    """Of rules too, which no ledger holds."""
    findings = checked(good(rules=[Rule("tp8", "No name", "width", "parameters", "parameters", "Anybody")]))[
        "names"
    ].findings
    assert [finding.where for finding in findings] == ["toy: tp8"]


def test_a_config_of_the_author_has_to_be_ok(tmp_path):
    """An approximate one is a finding, as class defaults are not."""
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"model_type": "toy", "hidden_size": 8, "window": 7}), "utf-8")
    (finding,) = checked(good(), configs=[path])["examples"].findings
    assert finding.where == str(path)
    assert "approximate: " in finding.what


def test_an_extension_is_checked_with_models_of_its_owner():
    """Its lines are told apart, and the owner's are not its own."""
    more = plugin(extends="toy", parameters=[Line("more", "width", "parameters", "mlp")])
    host = load_from([Point("toys", good()), Point("more", more)])
    result = {verdict.name: verdict for verdict in verdicts(Subject(host, host.plugins[1]), quick=True)}
    assert [finding.where for finding in result["told"].findings] == ["toy: line more", "toy: line more"]
    assert not result["examples"].findings
    assert not result["whole"].skipped


def run(*arguments):
    """Return a command's exit status and what it prints."""
    done = CliRunner().invoke(main, ["plugins", "check", *map(str, arguments)])
    return done.exit_code, done.output


def test_the_command_says_what_failed_and_what_to_do(tmp_path):
    """A folder with a config; exit status 1, as text and as JSON."""
    shutil.copytree(EXAMPLE, tmp_path / "gmlp")
    file = tmp_path / "gmlp" / "flopsheet_gmlp.py"
    file.write_text(file.read_text("utf-8").replace('"d_model * d_ff"', '"d_modle * d_ff"'), "utf-8")
    status, said = run(tmp_path / "gmlp", "--quick")
    assert status == 1
    assert "FAIL  Imports, hooks, words" in said
    assert "unknown name 'd_modle'; did you mean 'd_model'?" in said
    assert "→ correct the name, or declare it as a dimension or an earlier line" in said
    status, said = run(tmp_path / "gmlp", "--quick", "--json")
    (document,) = json.loads(said)
    assert (status, document["name"], document["passed"]) == (1, "gmlp", False)


def test_cells_that_another_program_calculates_otherwise_are_found(monkeypatch):
    """What LibreOffice says of the workbook of the examples; it runs in the tests of workbooks."""
    monkeypatch.setattr("livesheets.program", lambda: "soffice")
    monkeypatch.setattr("livesheets.recalculate", lambda path: [f"{path.name}!B2 holds 1"])
    host = load_from([Point("toys", good())])
    (finding,) = elsewhere.workbook(Subject(host, host.plugins[0]))
    assert finding.what == "plan.xlsx!B2 holds 1"


def test_without_libreoffice_the_workbook_is_skipped_by_name(monkeypatch):
    """The reason says what is missing."""
    monkeypatch.setenv("PATH", "")
    host = load_from([Point("toys", good())])
    with pytest.raises(SkippedError, match="LibreOffice is not installed"):
        list(elsewhere.workbook(Subject(host, host.plugins[0])))


def test_a_class_with_other_weights_is_found():
    """Mamba-2 with a line too many, against its class in transformers; skipped by name without it."""
    more = plugin(extends="mamba2", parameters=[Line("more", "d_model", "parameters", "mlp")])
    points = sorted(entry_points(group="flopsheet"), key=lambda point: point.name)
    host = load_from([*(point for point in points if point.name == "mamba2"), Point("more", more)])
    subject = Subject(host, next(one for one in host.plugins if one.name == "more"))
    if find_spec("torch") is None or find_spec("transformers") is None:
        with pytest.raises(SkippedError, match="not installed: pip install"):
            list(elsewhere.transformers(subject))
        return
    (finding,) = elsewhere.transformers(subject)
    assert "parameters are counted, Mamba2ForCausalLM of transformers" in finding.what


WRITERS = {
    "raises": (lambda *_: 1 / 0, "cannot be written: ZeroDivisionError"),
    "writes elsewhere": (lambda _, path: path.with_suffix(".other").touch(), "it writes report.other in place of"),
    "writes nothing": (lambda *_: None, "it writes no file in place of report.own"),
    "an empty file": (lambda _, path: path.touch(), "it writes an empty file"),
    "the time of day": (
        lambda _, path: path.write_text(str(perf_counter_ns()), "utf-8"),
        "other bytes the second time",
    ),
}


@pytest.mark.parametrize(("write", "said"), WRITERS.values(), ids=WRITERS)
def test_an_exporter_is_tried(write, said):
    """On a small plan, twice."""
    (finding,) = checked(plugin(exporters=[Exporter(suffix=".own", title="Own", write=write)]))["exports"].findings
    assert said in finding.what


def names_of(result):
    """Return what a format of the tests holds of a plan: a line for each model."""
    return "".join(f"{model['name']}\n" for model in result.report["models"]).encode()


def write_names(result, path):
    """Write a line for each model."""
    path.write_bytes(names_of(result))


def join_names(parts, path):
    """Write the lines of all parts, which are gone through twice."""
    assert sum(map(len, parts))
    path.write_bytes(b"".join(parts))


OF_PARTS = {
    "right": ({"part": names_of, "whole": join_names}, []),
    "half": ({"part": names_of}, ["part and whole belong together"]),
    "folder alone": ({"folder": print}, ["part and whole belong together"]),
    "fails": ({"part": lambda _: 1 / 0, "whole": join_names}, ["Own cannot be written: ZeroDivisionError"]),
    "text": ({"part": lambda _: "text", "whole": join_names}, ["part gives str: bytes are expected"]),
    "counts them": (
        {"part": names_of, "whole": lambda parts, path: path.write_bytes(parts[0])},
        ["'Parts' object is not subscriptable"],
    ),
    "forgets one": (
        {"part": names_of, "whole": lambda parts, path: path.write_bytes(next(iter(parts)))},
        ["of parts it writes another file than of the whole plan"],
    ),
    "an empty folder": (
        {"part": names_of, "whole": join_names, "folder": lambda *_: None},
        ["it writes an empty file"],
    ),
    "beside the folder": (
        {"part": names_of, "whole": join_names, "folder": lambda _, path, by: path.with_name(by).touch()},
        ["it writes part, report.own/ in place of report.own/"],
    ),
}


@pytest.mark.parametrize(("given", "said"), OF_PARTS.values(), ids=OF_PARTS)
def test_an_exporter_is_tried_in_parts(given, said):
    """Where it offers them: a part for each of two models, the file of both, and a folder."""
    exporter = Exporter(suffix=".own", title="Own", write=write_names, **given)
    dense = next(point for point in entry_points(group="flopsheet") if point.name == "dense")
    host = load_from([dense, Point("bad", plugin(exporters=[exporter]))])
    findings = list(exports(Subject(host, host.plugins[1])))
    assert len(findings) == len(said)
    assert all(some in finding.what for some, finding in zip(said, findings, strict=True)), findings


BIG = "9000000000000000 * accelerators"
ASKED = {
    "answers": (f"{BIG} + 1 - {BIG}", "in NumPy"),
    "answers of nothing": ("1 / (budget_cost - budget_cost)", "a plan cannot answer it: "),
    "told": ("budget_cost", "it names no source"),
    "declared": ("budget_cost", "tp8"),
}


@pytest.mark.parametrize("name", ASKED)
def test_a_question_is_tried(name):
    """Each check finds what it asks for in a question."""
    formula, said = ASKED[name]
    line = Line(
        "tp8" if name == "declared" else "own_cost", formula, "USD", title="Own", source=(name != "told" and "Us") or ""
    )
    question = Question("own", "What is it?", "Own", tables=(Table("cases", "Cluster", (line,)),))
    findings = checked(plugin(questions=[question]))[name.split()[0]].findings
    assert any(said in f"{finding.where} {finding.what}" for finding in findings), findings


def test_a_name_that_there_is_not_is_a_mistake():
    """With a suggestion; exit status 2."""
    status, said = run("dens")
    assert status == 2
    assert "dens: no plugin has this name, and no file or folder; did you mean 'dense'?" in said


def test_what_a_plugin_leaves_unsaid_is_told_and_no_fault():
    """No version of the API, and nothing of what training keeps."""
    verdict = checked(good())["declared"]
    assert verdict.findings == ()
    api, training = verdict.remarks
    assert api.what == f'add the version of the API that it is written for: flopsheet_api = "{API_VERSION}"'
    assert training.what.startswith("plans of training and serving refuse it: ")


def test_configs_of_other_types_beside_a_plugin_are_left_out_and_named(tmp_path):
    """They fail no good plugin; that of its own type is read."""
    shutil.copytree(EXAMPLE, tmp_path, dirs_exist_ok=True)
    other = tmp_path / "below" / "other" / "config.json"
    other.parent.mkdir(parents=True)
    other.write_text('{"model_type": "gmpl"}', "utf-8")
    (subject,) = subjects([str(tmp_path / "flopsheet_gmlp.py")])
    assert [one.name for one in subject.examples] == [str(tmp_path / "gmlp-small" / "config.json")]
    remarks = list(config_checks.examples(subject))
    assert [(one.where, one.what.partition(":")[0]) for one in remarks] == [(str(other), "left out")]

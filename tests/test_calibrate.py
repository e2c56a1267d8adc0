"""`flopsheet calibrate`: a stack of your own from timed steps, as inputs of a portfolio."""

import json
import tomllib

import pytest
from planner import run
from test_training import LLAMA_70B

from flopsheet.planning.calibration_fit import TimedStep

pytest.importorskip("scipy")

COLUMNS = ("config", "accelerator", "accelerators", "tensor_parallel", "micro_batch", "global_batch", "seq_len")
LAYOUTS = ((64, 8, 1, 256, 4096), (64, 4, 1, 256, 8192), (128, 8, 2, 512, 2048), (256, 2, 1, 512, 16384))
TRUE = {"matmul_efficiency": 0.6, "own_between": 1.6}


@pytest.fixture
def log(tmp_path):
    """Return a log of steps that a stack with known efficiencies would take."""
    (tmp_path / "70b.json").write_text(json.dumps(LLAMA_70B), "utf-8")
    lines = [",".join((*COLUMNS, "seconds"))]
    for layout in LAYOUTS:
        cells = ("h100-sxm", *layout)
        row = dict(zip(COLUMNS[1:], cells, strict=True)) | {"model": LLAMA_70B, "stack": "own", "seconds": 1}
        lines.append(",".join(map(str, ("70b.json", *cells, TimedStep(row).predict_time(TRUE)))))
    path = tmp_path / "log.csv"
    path.write_text("\n".join(lines), "utf-8")
    return path


def test_a_stack_is_found_by_its_steps(log):
    """Predictions come within 5%, efficiencies move toward the true ones, and what cannot be known is said."""
    status, out, _ = run("calibrate", log)
    result = tomllib.loads(out)["inputs"]
    assert (status, result["stack"]) == (0, "own")
    assert 0.55 < result["matmul_efficiency"] < 0.69
    assert result["own_between"] > 1
    assert "own_inside" not in result
    assert "# these times do not depend on own_inside" in out
    document = json.loads(run("calibrate", log, "--json")[1])
    assert document["median_error"]["after"] < 0.05 < document["median_error"]["before"]


BAD = {
    "no seconds": ("config,accelerator\n70b.json,h100-sxm", "no column seconds; expected a header row with config, "),
    "no number": ("config,seconds\n70b.json,soon", "line 2: seconds = 'soon'; a number above 0 is expected"),
    "not a number": ("config,seconds\n70b.json,nan", "line 2: seconds = 'nan'; a number above 0 is expected"),
    "an accelerator of unknown links": (
        "config,accelerator,accelerators,seconds\n70b.json,mi250x,64,2",
        "line 2: step_seconds has no number: ",
    ),
    "an unknown input": ("config,seconds,gpus_each\n70b.json,2,8", "line 2: the plan's inputs have problems"),
    "a stack": ("config,seconds,stack\n70b.json,2,own", "line 2: stack = 'own'; leave the column out"),
    "no config": ("config,seconds\nnone.json,2", "none.json"),
    "no rows": ("config,seconds\n", "no rows below a header; expected a header row with config, "),
    "a layout that no run has": (
        "config,accelerators,tensor_parallel,seconds\n70b.json,64,7,2",
        "line 2: layout_divides is 0: heads, layers, experts, accelerators or batch are not divided",
    ),
}


@pytest.mark.parametrize(("text", "message"), BAD.values(), ids=BAD)
def test_a_bad_log_is_refused(log, text, message):
    """With its column or its line, and what is expected."""
    log.write_text(text, "utf-8")
    status, _, errors = run("calibrate", log)
    assert status == 2
    assert message in " ".join(errors.split())

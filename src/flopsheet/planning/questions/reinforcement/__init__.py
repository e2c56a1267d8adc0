"""What does reinforcement learning cost: rollouts, log-probabilities, updates and new weights, a step and a run."""

from flopsheet.accounting.formula.compose import names
from flopsheet.planning.inputs import inputs_from, sheet_from
from flopsheet.planning.question import MODELS, Check, Figure, Question, Table
from flopsheet.planning.questions.reinforcement.lines import LEARNING
from flopsheet.planning.questions.training.links import from_training

TABLE = "reinforcement"
READ = {name.partition("_is_")[0] for line in LEARNING for name in names(line.formula)}
"""What the lines read, choices by their own name: of serving's inputs, those that count here."""


def _figure(name: str, title: str, line: str, about: str) -> Figure:
    return Figure(name, title, TABLE, line, about, "max")


QUESTION = Question(
    name="reinforcement",
    title="What does reinforcement learning cost?",
    about="Time and cost of a step and of a run: rollouts, log-probabilities, updates, and new weights.",
    inputs=(
        *inputs_from(__name__),
        *(one for one in inputs_from("flopsheet.planning.questions.serving") if one.name in READ),
    ),
    tables=(
        Table(
            TABLE,
            "Reinforcement learning",
            LEARNING,
            (MODELS,),
            from_training("own_step", "own_tokens", "own_passes"),
        ),
    ),
    figures=(
        _figure("rl_step", "Step of reinforcement learning", "rl_step_seconds", "Slowest model"),
        _figure("rl_step_cost", "Cost of such a step", "rl_step_cost", "Dearest model"),
        _figure("rl_days", "Days of reinforcement learning", "rl_days", "Slowest model"),
        _figure("rl_cost", "Cost of reinforcement learning", "rl_cost", "Dearest model"),
    ),
    checks=(
        Check(
            "rollouts_fit",
            "Rollouts fit on their replicas",
            TABLE,
            "min(max_batch, 1)",
            "Weights and the cache of one rollout do not fit on a replica",
            "Raise {rollout_tensor_parallel}, or lower {response_tokens} or {weight_precision}",
        ),
        Check(
            "rollouts_are_written",
            "Models that learn write tokens",
            TABLE,
            "decodes",
            "A model that writes no tokens has no rollouts",
            "Leave it out, or ask what fine-tuning costs",
        ),
        Check(
            "response_is_shorter",
            "Responses are on average no longer than the longest",
            TABLE,
            "1 if response_tokens <= longest_response else 0",
            "The mean response is longer than {longest_response}",
            "Raise {longest_response}, or lower {response_tokens}",
        ),
    ),
    sheet=sheet_from(__name__),
    optional=True,
    needs=("training",),
)

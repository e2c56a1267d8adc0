"""What does reinforcement learning cost: rollouts, log-probabilities, updates and new weights, a step and a run."""

from flopsheet.planning.question import MODELS, Table
from flopsheet.planning.question_file import question_from
from flopsheet.planning.questions.reinforcement.rollout import FORM, ROLLOUT
from flopsheet.planning.questions.training.links import from_training
from flopsheet.planning.written_lines import lines_from

QUESTION = question_from(
    __name__,
    (
        Table(
            "reinforcement",
            "Reinforcement learning",
            (*ROLLOUT, *lines_from(__package__, "lines.toml", "rollout_tokens", form=FORM)),
            (MODELS,),
            from_training("own_step", "own_tokens", "own_passes"),
        ),
    ),
)

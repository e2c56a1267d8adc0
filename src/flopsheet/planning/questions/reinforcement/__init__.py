"""What does reinforcement learning cost: rollouts, log-probabilities, updates and new weights, a step and a run."""

from flopsheet.planning.question import MODELS, Table
from flopsheet.planning.question_file import question_from
from flopsheet.planning.questions.reinforcement.lines import LEARNING
from flopsheet.planning.questions.training.links import from_training

TABLE = "reinforcement"

QUESTION = question_from(
    __name__,
    (
        Table(
            TABLE,
            "Reinforcement learning",
            LEARNING,
            (MODELS,),
            from_training("own_step", "own_tokens", "own_passes"),
        ),
    ),
)

"""What a step of reinforcement learning takes and costs: rollouts, log-probabilities, updates, new weights."""

from flopsheet.planning.questions.reinforcement.rollout import FORM, ROLLOUT
from flopsheet.planning.written_lines import lines_from

LEARNING = (
    *ROLLOUT,
    *lines_from(__package__, "lines.toml", "rollout_tokens", form=FORM),
)

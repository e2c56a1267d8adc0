"""What a step of reinforcement learning takes and costs: rollouts, log-probabilities, updates, new weights."""

from flopsheet.accounting.line import Line
from flopsheet.planning.questions.reinforcement.rollout import FORM, ROLLOUT

PPO = "Schulman et al. 1707.06347 (PPO), section 5: policy and critic are updated"
SHENG = "Sheng et al. 2409.19256 (HybridFlow), section 2.1"

LEARNING = (
    *ROLLOUT,
    Line(
        "rollout_tokens",
        "rollouts_per_step * (prompt_tokens + response_tokens)",
        "tokens",
        title="Tokens per step of reinforcement learning",
        source="Rollouts × (prompt + response)",
    ),
    Line(
        "learning_accelerators_share",
        "1 - rollout_share if policy_lag > 0 else 1",
        "share",
        title="Share of the accelerators that train",
        source="Inputs rollout_share and policy_lag",
    ),
    Line(
        "pass_of_tokens_seconds",
        "rollout_tokens / own_tokens * own_step / (own_passes * learning_accelerators_share * learning_efficiency)",
        "s",
        title="One pass over the tokens",
        about="Of training's step time, at as many tokens, by its passes: forward, two gradients, what is recomputed",
        source=FORM,
    ),
    Line(
        "logprob_seconds",
        "pass_of_tokens_seconds * (1 + reference_model + critic)",
        "s",
        title="Log-probabilities",
        about="A forward pass of the policy, of the reference model, and of the critic for its values",
        source=SHENG,
    ),
    Line(
        "update_seconds",
        "pass_of_tokens_seconds * own_passes * update_epochs * (1 + critic)",
        "s",
        title="Updates of the policy",
        about="And of a critic of the same size, if there is one",
        source=PPO,
    ),
    Line(
        "learning_seconds",
        "logprob_seconds + update_seconds",
        "s",
        title="Log-probabilities and updates",
        source="Sum",
    ),
    Line(
        "refit_seconds",
        "2 * parameters / (refit_gbs * 1000000000)",
        "s",
        title="New weights to the rollouts",
        about="At 16 bits",
        source=FORM,
    ),
    Line(
        "rl_step_seconds",
        "rl_fixed_seconds + (max(rollout_seconds, learning_seconds) if policy_lag > 0"
        " else rollout_seconds + learning_seconds + refit_seconds)",
        "s",
        title="A step of reinforcement learning",
        about="Rollouts and training in turn; at the same time where the policy may lag",
        source=FORM,
    ),
    Line(
        "rl_tokens_per_second",
        "rollout_tokens / (rl_step_seconds * accelerators)",
        "tokens/s",
        title="Tokens per second and accelerator",
        source="Tokens / step time",
    ),
    Line(
        "rl_step_cost",
        "rl_step_seconds * accelerators * price_per_hour / 3600",
        "USD",
        title="Cost of a step",
        source="Accelerator time × price",
    ),
    Line("rl_days", "rl_steps * rl_step_seconds / (24 * 3600 * goodput)", "days", title="Days", source="Steps × time"),
    Line(
        "rl_hours",
        "24 * rl_days * accelerators",
        "GPU-h",
        title="Accelerator-hours",
        source="Days × accelerators",
    ),
    Line("rl_cost", "rl_hours * price_per_hour", "USD", title="Cost", source="Hours × price"),
)

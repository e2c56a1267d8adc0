"""What puts an option in the place of the first, and the first behind the second; which is nearest to being one."""

from flopsheet.accounting.line import Line

LINEAR = "Hours, and with them days and cost, are in proportion to tokens and to 1 / MFU; cost also to the price"
MOVING = "Rent beyond what is held and electricity move with the hours; the rest stays"
SAME_LOSS = "Hoffmann et al. 2203.15556, equation 2, solved for D: own loss = loss of the rival"
REPEATED = "Muennighoff et al. 2305.16264, equation 5, solved for D"

NEAR_LINES = (
    Line(
        "cap_share",
        "option_capped / max(cap_shown, 1)",
        "ratio",
        title="Cash over the cap",
        source="Cash under the cap",
    ),
    Line(
        "near_order",
        "(max(option_days / days, cap_share) + 1000 * (1 - option_memory)) / tie",
        "ratio",
        title="Order by how near it comes",
        about="The larger of days over the window and cash over the cap, of equal ones the lower loss; what does not"
        " fit in memory comes last",
        source="Input days, input budget_usd",
    ),
    Line(
        "rank_near",
        "1 + nearer_options",
        "",
        title="Rank by how near it comes",
        about="The first is named where no option is viable",
        source="All options, in order",
    ),
)
"""Which option comes nearest where none is viable."""

TURN_LINES = (
    Line(
        "rival_program",
        "runner_up_cost if rank_by_cost == 1 else leading_cost",
        "USD",
        title="Program of the rival",
        about="The first option by cost; of the first itself the second. 0: there is none",
        source="Rank",
    ),
    Line("rank_gap", "rival_program - option_program", "USD", title="What the rival costs more", source="Rank"),
    Line(
        "gap_added", "max(rank_gap, 0) / max(own_added, 1)", "ratio", title="Runs that the gap pays for", source=MOVING
    ),
    Line(
        "gap_saved",
        "min((1 + 1 / 1000000000) * max(0 - rank_gap, 0) / max(own_moving, 1), 1)",
        "ratio",
        title="Share of the run that closes the gap",
        about="All of it where a rest of rounding is left",
        source=MOVING,
    ),
    Line(
        "rank_room",
        "1 + gap_added - gap_saved if rank_by_cost * rival_program * own_added else 0",
        "ratio",
        title="Run at which it costs what the rival costs",
        about="Over what it costs now. 0: it never does",
        source=MOVING,
    ),
    Line(
        "rank_mfu",
        "own_mfu / rank_room if rank_room else 0",
        "share",
        title="MFU that changes the rank",
        about="At it the option costs what its rival costs; over 100% no MFU suffices. 0: it never does",
        source=LINEAR,
    ),
    Line(
        "rank_tokens",
        "own_tokens * rank_room",
        "tokens",
        title="Tokens that change the rank",
        about="At them the option costs what its rival costs. 0: it never does",
        source=LINEAR,
    ),
    Line(
        "rival_loss",
        "runner_up_loss if rank_by_loss == 1 else leading_loss",
        "nats per token",
        title="Loss of the rival",
        about="The first option by loss; of the first itself the second. 0: there is none",
        source="Rank",
    ),
    Line(
        "loss_left",
        "rival_loss - size_loss if rank_by_loss * size_loss * rival_loss else 0",
        "nats per token",
        title="Loss left for the tokens",
        source=SAME_LOSS,
    ),
    Line(
        "worth_tokens",
        "power(model_b / loss_left, 1 / model_beta) if loss_left > 0 else 0",
        "tokens",
        title="Effective tokens for the rival's loss",
        source=SAME_LOSS,
    ),
    Line(
        "repeats_left",
        "1 - (worth_tokens / unique_tokens - 1) / repeats if unique_tokens * repeats else 1",
        "ratio",
        title="Worth that repeats have left",
        source=REPEATED,
    ),
    Line(
        "repeated_tokens",
        "unique_tokens * (1 - repeats * log(repeats_left)) if repeats_left > 0 else 0",
        "tokens",
        title="Tokens of that worth, if they repeat",
        source=REPEATED,
    ),
    Line(
        "loss_tokens",
        "repeated_tokens if repeats * max(worth_tokens - unique_tokens, 0) * unique_tokens else worth_tokens",
        "tokens",
        title="Tokens that change the rank by loss",
        about="With them its loss is that of its rival under the chosen law. 0: never, or the law has no such form",
        source=f"{SAME_LOSS}; {REPEATED}",
    ),
)
"""What puts an option in the place of the first, and the first behind the second."""

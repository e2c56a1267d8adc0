"""Names that no architecture can have: a workbook has tables that are called so, next to those of architectures."""

TABLES = frozenset(
    """
    accelerator_catalog accelerator_memory bridge bridge_steps bridge_training budget card cases checks
    comparison_candidates comparison_cases comparison_crossings comparison_ends comparison_pairs comparison_points
    comparison_serve comparison_train comparison_volumes decision_ends decision_options delivered drawn_accelerators
    drivers early_runs feasible_accelerators feasible_limits feasible_options finetuning flagged_runs grid isoflop
    late_runs laws layouts model_laws models money_timeline money_timeline_steps problems programme
    programme_monthly programme_spend provenance reinforcement rent_or_own results rules runs scaling_lifetime
    scenario_figures sensitivity serving_apis serving_batches serving_contexts serving_curve serving_growth
    serving_layouts serving_monthly serving_nearest serving_offers serving_profiles serving_room serving_spend
    serving_summary supply_ways top tornado training_phases workings
    """.split()  # noqa: SIM905 - one name after the other
)
"""Tables of every workbook, and of flopsheet's own questions."""

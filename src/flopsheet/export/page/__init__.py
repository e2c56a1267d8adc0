"""A plan as one HTML page that recalculates in the browser."""

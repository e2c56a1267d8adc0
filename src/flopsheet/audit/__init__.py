"""What a planning template should hold to: one small function an item, each with the places that fail it."""

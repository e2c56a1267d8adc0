"""Units of numbers: how headers spell them, in which of them people read, and what number formats say of them."""

"""What a model costs: dimensions, formulas, lines and ledgers; imports no other room of the house."""

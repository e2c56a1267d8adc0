"""What sheet formulas give, as Excel and LibreOffice mean them: the one evaluator of formulas in cells."""

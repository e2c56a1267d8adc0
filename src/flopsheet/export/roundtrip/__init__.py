"""The way back: what a planner changed in a filled workbook, as changes of the portfolio that it was made from."""

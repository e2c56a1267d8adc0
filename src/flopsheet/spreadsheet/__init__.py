"""The ground floor: workbooks as files, their cells, addresses and parts, and the engine that fills templates."""

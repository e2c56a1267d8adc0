"""The planning questions that come with flopsheet: a folder each, with inputs, lines, figures, checks and a sheet."""

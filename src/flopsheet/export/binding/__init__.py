"""Anybody's template: what its headers, names and markers mean, and the values that they get."""

"""Sheets laid out with openpyxl: the shipped template at build time, those of other questions when a plan asks them."""

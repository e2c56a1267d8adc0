"""The formula language: read a text, evaluate it exactly or over columns, write it for people."""

from flopsheet.accounting.formula.formula import Formula
from flopsheet.accounting.formula.guarded_formula import Guarded
from flopsheet.accounting.formula.language import FUNCTIONS
from flopsheet.accounting.formula.names import check_name
from flopsheet.accounting.formula.read import read
from flopsheet.accounting.formula.steps import Steps

__all__ = ["FUNCTIONS", "Formula", "Guarded", "Steps", "check_name", "read"]

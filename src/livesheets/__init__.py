"""livesheets: fills the tables of .xlsx templates with live formulas, and reads workbooks back.

It knows workbooks and nothing of what stands in them. The names of `__init__.pyi` are its interface, with the modules
`excel` (formulas as trees), `tokens`, `references` and `addresses` (formulas as text), `spelling`, `days`,
`suggestions` and `errors`. Everything else is internal. README.md beside this file begins with an example.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

"""Blocks: the reusable parts of models, each a constant or function that gives its lines."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

"""Routing functions: which channels a header may take next, and whether messages can deadlock."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

"""What is sent: y = Ax + b and any traffic, the catalogue of patterns, reading and recognition.

lcc.communication.parse_equations("y0 = x1; y1 = x0 + 1")
lcc.communication.read_communications("program.txt")     # every phase that is y = Ax + b
lcc.communication.recognition.analyse(pairs)             # the nearest y = Ax + b, and a witness
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

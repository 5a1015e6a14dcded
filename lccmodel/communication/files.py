"""`read` and `read_communications` under the package of the values that they return.

They are in `lccmodel.reading.programs`, above this package.
"""

from lccmodel.reading.programs import read, read_communications

__all__ = ["read", "read_communications"]

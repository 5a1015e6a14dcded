"""Arrays by the type of their entries, as annotations name them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Words = npt.NDArray[np.uint32]
"""Nodes or rows, a bit for each dimension; unsigned, for speed."""
LongWords = npt.NDArray[np.uint64]
Flags = npt.NDArray[np.bool_]
Weights = Ints | None
"""What messages carry; None where each carries 1."""

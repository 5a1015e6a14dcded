"""The arrays that compiled claims work on, by the type of their entries."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]
"""Sets of messages: bit x of a word is the message of source x."""
Flags = npt.NDArray[np.bool_]
Bits = npt.NDArray[np.uint8]
"""Matrices with one entry for every bit."""
Degrees = npt.NDArray[np.int8]
"""T of every pair (A, b), or of every reordering."""

"""The tie rules of `Timing` as both engines apply them."""

from __future__ import annotations

import numpy as np

from lccmodel._jit import kernel
from lccmodel.errors import InputError, checked_integer


def seed_word(seed: int) -> int:
    """The 64 bits of a seed as a signed word, the one type that engines are compiled for.

    Raises:
        InputError: no integer, or one of more bits.

    >>> seed_word(7), seed_word(2**64 - 1)
    (7, -1)
    """
    number = checked_integer("seed", seed)
    if not -(1 << 63) <= number < 1 << 64:
        raise InputError("seed", "must fit 64 bits", seed)
    return (number + (1 << 63)) % (1 << 64) - (1 << 63)


@kernel
def tie_key(rule: int, seed: int, message: int, cycle: int, arrived: int) -> int:
    """What tells headers apart that arrive together; the smaller key goes first.

    Args:
        rule: number of the tie rule.
        message: its number: messages are numbered as they are generated, those of one cycle by
            their senders.
        seed, cycle: what a random key is drawn from, with the number.
        arrived: the channel whose buffer holds the header; those of injection are the highest.
    """
    if rule == 0:
        return arrived
    if rule == 1:
        return -arrived
    if rule == 2:
        return message
    word = np.uint64(seed) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(message)
    word = (word ^ word >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9) + np.uint64(cycle)
    word = (word ^ word >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return int(np.int64((word ^ word >> np.uint64(31)) >> np.uint64(1)))  # signed as the others

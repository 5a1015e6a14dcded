"""Messages of a movement as rows that a test can change, and back."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lccmodel.movement import Movement
from lccmodel.network import Mesh


class Sent(NamedTuple):
    """A message of a schedule: from a node to a node, in a step."""

    source: int
    target: int
    step: int


def messages_of(movement: Movement) -> list[Sent]:
    step = np.empty(movement.messages, dtype=np.int64)
    step[movement.message] = np.repeat(np.arange(movement.steps), np.diff(movement.first))
    rows = zip(movement.starts.tolist(), movement.ends.tolist(), step.tolist(), strict=True)
    return [Sent(*row) for row in rows]


def movement_of(n: int, c: int, messages: Sequence[Sent]) -> Movement:
    """On the mesh of n^c nodes."""
    pairs = [(message.source, message.target) for message in messages]
    return Movement.of_schedule(Mesh((n,) * c), pairs, [message.step for message in messages])

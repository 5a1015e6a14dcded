"""What a model adds to the link load: E⟨i,M⟩_c = steps - λ, and its sums.

Every model is the load and a small rest, so one closed form of the load serves all four, and the
rest is a table. The rest is 0 from some i on, and for each smaller i it repeats from some M on:

- "lower-bound": E = max(0, M - λ), and λ = 2^e J(h) >= J(h) with h = ⌈M/c⌉ and J = 1, 2, 5, 10,
  ... (Theorem 1) outgrows c h >= M, as does 2^e; so E ends in zeros both ways.
- "paper": the loads of the pieces that section 4.2 cuts a task into add up to the load of the
  task, so E is the sum of what the pieces add; pieces ⟨j,x⟩ with 2^⌊j/c⌋ >= 2c add nothing. M + 2c
  has the same pieces and one more on top, so E repeats with period 2c.
- "schedule": as many steps as the lower bound on meshes of one to five equal axes
  (docs/schedules.md); on more the table is what the schedules take.

`excess_table` looks for where the zeros and the repetition start and checks them on what follows.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from lccmodel.errors import InputError
from lccmodel.pipelining.cost.steps import Model, run_steps
from lccmodel.pipelining.loads import equal_runs, largest_load
from lccmodel.pipelining.paper_rules import paper_length

_CHECKED_PERIODS = 3


class ExcessTable(NamedTuple):
    """E⟨i,M⟩_c for all i and M, from finitely many values."""

    rows: tuple[tuple[int, ...], ...]
    """E at [i][M], for M below `start` + `period`; 0 for larger i."""
    start: int
    """The M from which the values repeat."""
    period: int

    def at(self, i: int, M: int) -> int:
        """E⟨i,M⟩; 0 for M <= 0, which is not a task.

        >>> excess_table(2, "lower-bound").at(0, 4), excess_table(2, "paper").at(0, 103)
        (2, 2)
        """
        if i >= len(self.rows) or M <= 0:
            return 0
        if M >= self.start:
            M = self.start + (M - self.start) % self.period
        return self.rows[i][M]

    def shallow(self, d: int, Q: int) -> int:
        """The sum of E over the iterations, for Q <= d.

        >>> excess_table(2, "lower-bound").shallow(4, 3)
        3
        """
        ends = sum(self.at(0, M) + self.at(d - M, M) for M in range(1, Q))
        return ends + sum(self.at(i, Q) for i in range(d - Q + 1))

    def deep(self, d: int, Q: int) -> int:
        """The sum of E over the iterations, for Q >= d.

        >>> excess_table(2, "lower-bound").deep(4, 6)
        9
        """
        return self.shallow(d, d) + (Q - d) * self.at(0, d)

    def far(self, Q: int) -> int:
        """The sum of E over the iterations for any d so large that the epilogue adds nothing.

        >>> excess_table(2, "lower-bound").far(4), excess_table(2, "lower-bound").far(100)
        (4, 5)
        """
        return sum(self.at(0, M) for M in range(1, Q)) + sum(
            self.at(i, Q) for i in range(len(self.rows))
        )


@cache
def excess_table(c: int, model: Model) -> ExcessTable:
    """The table of a model on meshes of c axes.

    Raises:
        InputError: the model neither ends in zeros nor repeats where that was looked for.

    >>> excess_table(2, "lower-bound")
    ExcessTable(rows=((0, 0, 1, 1, 2, 0, 1, 0), (0, 0, 0, 1, 0, 0, 0, 0)), start=7, period=1)
    """
    octaves = c.bit_length() + 3  # 2^octaves >= 4c: loads are past the number of messages
    most_i, most_M = c * octaves, 2 * c * (octaves + _CHECKED_PERIODS)
    values = [_row(i, most_M, c, model) for i in range(most_i)]
    while values and not any(values[-1]):
        values.pop()
    if len(values) > most_i - c:
        raise InputError("model", f"has more steps than the load for all i < {most_i}", model)
    for period in (1, c, 2 * c):
        start = max((_repeats_from(row, period) for row in values), default=0)
        if start + _CHECKED_PERIODS * 2 * c <= most_M:
            rows = tuple(tuple(row[: start + period]) for row in values)
            return ExcessTable(rows, start, period)
    raise InputError("model", f"does not repeat for M < {most_M}", model)


def _row(i: int, most_M: int, c: int, model: Model) -> list[int]:
    return [_steps(i, M, c, model) - largest_load(equal_runs(i, M, c)) for M in range(most_M)]


def _steps(i: int, M: int, c: int, model: Model) -> int:
    if model == "paper":
        return paper_length(i, M, c)
    return run_steps(equal_runs(i, M, c), model)


def _repeats_from(row: list[int], period: int) -> int:
    start = len(row) - period
    while start and row[start - 1] == row[start - 1 + period]:
        start -= 1
    return start

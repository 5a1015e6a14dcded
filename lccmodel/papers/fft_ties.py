"""The programs that the tables of the parallel FFT simulate: one for each tie rule and seed.

Several tables need the same cycles, and the routing tables of one network serve every tie rule, so
both are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Literal, NamedTuple

from lccmodel.network import Network
from lccmodel.wormhole.fft_program import FFTProgram
from lccmodel.wormhole.printed import Hardware
from lccmodel.wormhole.timing import TIE_RULES, TieRule, Timing


class TiedProgram(NamedTuple):
    """A program with one tie rule and one seed."""

    tie: TieRule
    seed: int
    program: FFTProgram

    def cycles(self, size: int, hardware: Hardware) -> int:
        """Cycles of the bit reversal of so many points."""
        return _reversal_cycles(self.program, size, hardware, self.seed)

    def __str__(self) -> str:
        return f"random, seed {self.seed}" if self.tie == "random" else self.tie


@lru_cache(4096)
def _reversal_cycles(program: FFTProgram, size: int, hardware: Hardware, seed: int) -> int:
    return program.reversal(size, hardware, seed)


@lru_cache(16)
def ready_program(
    network: Network, routing: str = "e-cube", mapping: Literal["optimal"] | None = None
) -> FFTProgram:
    """A program on a network, ready for any tie rule."""
    return FFTProgram.on(network, routing, mapping)


@lru_cache(64)
def with_ties(program: FFTProgram, tie: TieRule) -> FFTProgram:
    """The same program under another tie rule."""
    return replace(program, simulation=replace(program.simulation, timing=Timing(tie)))


def programs_by_tie(routing: str, network: Network, seeds: Sequence[int]) -> list[TiedProgram]:
    """A program for every tie rule, and for ties at random one for every seed."""
    programs = {tie: with_ties(ready_program(network, routing), tie) for tie in TIE_RULES}
    fixed = [TiedProgram(tie, 0, programs[tie]) for tie in TIE_RULES if tie != "random"]
    return fixed + [TiedProgram("random", seed, programs["random"]) for seed in seeds]

"""Every message of a plan, read off its stages: what several files of this room begin with."""

import numpy as np

from lccmodel.collectives.steps import Steps

Messages = list[tuple[int, int, list[int], str]]


def messages_of(plan: Steps) -> list[Messages]:
    """Source, destination, blocks and operation of every message, step by step."""
    steps: list[Messages] = []
    for stage in plan.stages:
        for time in range(stage.times):
            steps.append([])
            for send in stage.sends:
                blocks = send.blocks(time, np.arange(len(send.source))).tolist()
                ends = zip(send.source.tolist(), send.destination.tolist(), blocks, strict=True)
                word = "add" if send.add else "copy"
                steps[-1] += [(u, v, sorted(some), word) for u, v, some in ends]
                assert all(len(some) == send.size for some in blocks)
    return steps

"""The program of the process that Scotch runs in; it needs pyscotch, numpy and nothing of ours.

    python -I scotch_process.py < problem > places

Standard input is a pickled `Problem` of `scotch.py`: where modules are searched, the architecture,
the graph in compressed rows, and seeds. Standard output is one row of 64-bit integers for each
seed: the router of every rank. Scotch reads the number of its threads from the environment, writes
to standard error, and may end its process; here none of it reaches the caller.
"""

from __future__ import annotations

import os
import pickle
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

_DETERMINISTIC = 0
"""Scotch's number of the option that no result may depend on threads."""


def main() -> None:
    """Map the graph of standard input with each seed."""
    problem = pickle.load(sys.stdin.buffer)
    answer = os.dup(1)
    os.dup2(2, 1)  # a library that prints must not spoil the answer
    sys.path[:] = problem["path"]
    os.environ["SCOTCH_PTHREAD_NUMBER"] = "1"
    from pyscotch import Context, Graph

    architecture = _architecture(*problem["architecture"])
    graph = Graph()
    graph.build(problem["first"], problem["others"], edlotab=problem["weights"])
    with os.fdopen(answer, "wb") as out:
        for seed in problem["seeds"]:
            with Context() as context:
                context.option_set(_DETERMINISTIC, 1)
                context.random_seed(seed)
                context.random_reset()
                with context.bind_graph(graph) as bound:
                    out.write(bound.map(architecture).astype("<i8").tobytes())


def _architecture(method: str, *arguments: Any) -> Any:
    from pyscotch import Architecture

    architecture = Architecture()
    if method == "load":
        with TemporaryDirectory() as folder:
            file = Path(folder, "network.tgt")
            file.write_text(arguments[0])
            architecture.load(file)
    else:
        getattr(architecture, method)(*arguments)
    return architecture


if __name__ == "__main__":
    main()

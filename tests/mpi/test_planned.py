"""Plans of collectives as programs: numpy's results on threads and on real MPI, and their times.

A step of s start-ups and d data takes s α + d τ [calmant, (1)].
"""

from dataclasses import replace

import numpy as np
import pytest

from lccmodel import collectives
from lccmodel.mpi import planned
from lccmodel.pipelining import Linear
from tests.mpi.test_command import called
from tests.mpi.test_launch import needs_mpi


@pytest.mark.parametrize("ranks", [2, 4, 6])
@pytest.mark.parametrize("name", collectives.COLLECTIVES)
def test_every_plan_leaves_what_numpy_says(name, ranks):
    """On threads, which need no MPI."""
    order = planned.ordered(name, ranks, [200], cost=False, measure=False)
    assert len(order.algorithms) >= (1 if name == "barrier" else 3)
    rows = planned.rows_of(order, "threads", 30)
    assert [row["algorithm"] for row in rows] == list(order.algorithms)
    assert all(row["right"] for row in rows)


@pytest.mark.parametrize("name", [name for name in collectives.COLLECTIVES if name != "barrier"])
def test_a_missing_last_step_is_noticed(name):
    rooted = dict.fromkeys(("broadcast", "reduce", "scatter", "gather"), "chain")
    algorithm = {**rooted, "alltoall": "pairwise"}.get(name, "ring")
    plan = collectives.plan(name, algorithm, 4)
    for short, right in ((plan, True), (replace(plan, stages=list(plan.stages)[:-1]), False)):
        held = {r: planned.at_start(short, r, 3) for r in range(4)}
        steps = {r: planned.steps_of(short, r) for r in range(4)}
        for step in range(len(steps[0])):
            before = {r: held[r].copy() for r in range(4)}
            for r in range(4):
                sent = {u: [p for p in steps[u][step][0] if p.peer == r] for u in range(4)}
                for part in steps[r][step][1]:
                    came = before[part.peer][sent[part.peer].pop(0).blocks]
                    kept = held[r][part.blocks] if part.add else 0
                    held[r][part.blocks] = kept + came
        assert all(planned.is_right(plan, r, held[r]) for r in range(4)) == right


def test_agreement_is_a_factor_of_two():
    row = planned.TimedPlan("plan", "ring", 8, 10.0, 5.0, True)
    changes = ({}, {"predicted": 4.9}, {"measured": 2.5}, {"predicted": None})
    assert [row._replace(**change).agrees for change in changes] == [True, False, True, None]


def test_predictions_are_those_of_the_plan():
    """On a switch: a ring of 4 takes 6 start-ups and 3/2 vectors."""
    order = planned.ordered("allreduce", 4, [800], ["ring"], cost=False)
    row = {"by": "plan", "algorithm": "ring", "size": 800, "measured": 90.0, "right": True}
    outcome = planned.outcome(order, [row, row | {"by": "MPI"}], Linear(5, "1/100"))
    assert [each.predicted for each in outcome.times] == [6 * 5 + 1200 / 100] * 2
    assert "NO" in outcome.table().render()
    assert len(outcome.draw().axes[0].lines) == 4


@pytest.mark.slow
@needs_mpi
def test_plans_on_real_mpi(capsys):
    few = ("--ranks", "3", "--bytes", "96", "--algorithm", "ring", "--algorithm", "swing")
    code, out, _ = called(capsys, "collective", "allgather", *few[:-2])
    assert code == 0
    assert "equals numpy on every process" in out
    assert "bytes: what ran, whole numbers of 8 bytes" in out, "0.4 ran 64 for 63 without a word"


@needs_mpi
@pytest.mark.slow
def test_measured_beside_mpis_own_algorithms(capsys, tmp_path):
    """Open MPI's algorithms by name, its own choice, and plain words where T is wrong."""
    asked = ("allreduce", "--measure", "--ranks", "4", "--bytes", "64,4096", "--seconds", "1")
    code, out, _ = called(
        capsys, "collective", *asked, "--algorithm", "ring", "--plot", str(tmp_path / "T.svg")
    )
    assert code == 0
    rows = [line.split() for line in out.splitlines() if line.startswith(("  plan", "  MPI"))]
    named = {tuple(row[:2]) for row in rows}
    assert {("plan", "ring"), ("MPI", "its"), ("MPI", "ring"), ("MPI", "rabenseifner")} <= named
    assert all(row[-1] in ("yes", "NO", "-") for row in rows)
    assert np.all([float(row[-3]) > 0 for row in rows if row[-1] != "-"])
    assert (tmp_path / "T.svg").exists()

"""Steps of tasks in four models, against schedules that are replayed; sums 3.3 and 4.3."""

from itertools import pairwise, product

import pytest

from lccmodel.errors import InputError
from lccmodel.pipelining.compositions import composed
from lccmodel.pipelining.cost.steps import MODELS, iterations, regime_of, run_steps, summed
from lccmodel.pipelining.cost.steps import steps as counted
from lccmodel.pipelining.cost.steps import total_steps as total
from lccmodel.pipelining.execution import PacketPlan
from lccmodel.pipelining.loads import equal_runs, least_steps
from lccmodel.pipelining.paper_rules import paper_length
from lccmodel.pipelining.schedules import schedule
from lccmodel.pipelining.task import Task
from proofs_check.claims.calmant_pipeline import summed_tasks
from tests.choosing import sampled
from tests.pipelining.equal import lower_bound, step_table, steps, task_of, total_steps

NETWORKS = [(t, p) for t in ("mesh", "torus") for p in ("one", "all")]


@pytest.mark.parametrize(("topology", "ports"), NETWORKS)
@pytest.mark.parametrize("c", [1, 2, 3])
def test_the_four_models_are_counted_on_explicit_networks(c, topology, ports):
    """λ by counting links; the length of every schedule by replaying it, d <= 6."""
    for d in range(c, 7, c):
        for i in range(d):
            for M in range(1, d - i + 1):
                task = task_of(i, M, c, d, topology, ports)
                load, bound, own = (
                    steps(i, M, c, model, d, topology, ports)
                    for model in ("load", "lower-bound", "schedule")
                )
                built = schedule(task)
                assert load == max(one.max() for one in task.link_loads())
                assert bound == (max(load, M) if ports == "one" else load)
                assert built.replay().ok
                assert built.length == own >= bound
                if (topology, ports) == ("mesh", "one"):
                    printed = schedule(task, "paper-figure")
                    assert printed.length == steps(i, M, c, "paper")


def test_the_schedules_of_a_torus_are_counted_as_they_are_built():
    """Beyond what the last test replays: with ⟨0,8⟩_2 on 16 x 16 nodes, which is solved."""
    for c, d in ((2, 8), (2, 10), (3, 9)):
        for i in range(d):
            for M in range(1, d - i + 1):
                built = schedule(task_of(i, M, c, d, "torus"))
                assert steps(i, M, c, "schedule", d, "torus") == built.length
    assert steps(0, 8, 2, "schedule", 8, "torus") == 9
    assert step_table(8, 2, "schedule", "torus") == step_table(8, 2, "lower-bound", "torus")


def test_iterations_are_the_tasks_of_the_pipeline_object():
    """Section 2.4: prologue, kernel, epilogue."""
    for d in range(1, 8):
        for Q in range(1, 12):
            assert tuple(iterations(d, Q)) == PacketPlan(d, Q).tasks


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("c", [1, 2, 3, 4])
def test_totals_are_the_sums_as_written(c, model):
    """T_shallow and T_deep of section 4.3, over the tasks that the checker sums."""
    for d in range(c, 4 * c + 1, c):
        for Q in range(1, 2 * d + 3):
            tasks = summed_tasks(d, Q, d <= Q)
            assert total_steps(d, Q, c, model) == sum(steps(i, M, c, model) for i, M in tasks)
    assert regime_of(3, 2) == "shallow"
    assert regime_of(3, 3) == "deep"


@pytest.mark.parametrize(("topology", "ports"), sampled(NETWORKS, 2))
def test_totals_never_fall_with_Q_and_deep_ones_start_above_the_line(topology, ports):
    """What the search for the best degree rests on: P increasing, A >= 0."""
    for c in range(1, 6):
        for d in range(c, 25, c):
            for model in MODELS:
                if model == "paper" and (topology, ports) != ("mesh", "one"):
                    continue
                table = step_table(d, c, model, topology, ports)
                assert table.increasing
                assert table.A >= 0
                slopes = [table.shallow[Q] / Q for Q in table.undominated]
                assert all(low < high for high, low in pairwise(slopes))


def test_tables_of_odd_shape_have_no_shortcut():
    """P that falls somewhere keeps every shallow degree; B = 0 and P(d-1) = A still increase."""
    table = step_table(4, 2, "load")._replace(shallow=(0, 6, 5, 10))
    assert not table.increasing
    assert table.undominated == (1, 2, 3)
    level = table._replace(shallow=(0, 6, 8, 10), A=10, B=0)
    assert level.increasing
    assert not level._replace(A=9).increasing
    assert not level._replace(A=99, B=-1).increasing


@pytest.mark.parametrize(("d", "c"), [(72, 1), pytest.param(256, 2, marks=pytest.mark.slow)])
def test_a_large_table_is_exact(d, c):
    """Steps are Python integers: the baseline of section 2.3, c (2^(d/c) - 1) at Q = 1."""
    assert summed(d, lambda i, M: steps(i, M, c)).total(1) == c * (2 ** (d // c) - 1)


def test_a_bound_is_less_than_a_schedule_where_none_is_known_to_take_it():
    """19 dimensions from the sixth on, of six axes: the models differ. Elsewhere they do not."""
    runs = equal_runs(6, 19, 6)
    load, bound, own = (run_steps(runs, model) for model in ("load", "lower-bound", "schedule"))
    assert bound == least_steps(runs) >= load
    assert own == composed(runs).length > bound
    for c, i, M in product((1, 2, 3), range(8), range(25)):
        assert steps(i, M, c) == lower_bound(i, M, c) <= paper_length(i, M, c)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: steps(0, 2, 2, "best", 4), "model: must be one of"),
        (lambda: steps(0, 2, 2, "paper", 4, "torus"), "model: the paper's schedules"),
        (lambda: steps(0, 2, 2, "paper", 4, "mesh", "all"), "model: the paper's schedules"),
        (lambda: counted(Task(0, 2, "4x8"), "paper"), "model: the paper's schedules"),
        (lambda: counted("4x8"), "task: must be a Task"),
        (lambda: steps(-1, 2, 2), "i: must be at least 0"),
        (lambda: steps(3, 2, 2, d=4), "i \\+ M <= d"),
        (lambda: total("4x4", 0), "Q: must be at least 1"),
        (lambda: total("4x4", 1.5), "Q: must be an integer"),
        (lambda: list(iterations(0, 2)), "d: must be at least 1"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(InputError, match=words):
        call()

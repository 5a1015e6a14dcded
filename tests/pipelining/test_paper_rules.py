"""The printed rules, against the checker's transcription of them [calmant, sections 3.2 and 4.2].

What they do when they are replayed - Properties 1 to 3, Lemma 2, r - is claimed of that
transcription: `calmant.prop1`, `calmant.prop2`, `calmant.prop3`, `calmant.lem2`, `calmant.r`.
"""

from itertools import combinations, product

import numpy as np
import pytest

from lccmodel.errors import InputError
from lccmodel.pipelining.paper_rules import paper_extra_step, paper_length, paper_parts, paper_steps
from lccmodel.pipelining.task import Task
from proofs_check.claims.calmant_loads import parts
from proofs_check.claims.calmant_schedules import paper_task
from proofs_check.claims.library_pipelining import on_a_line
from tests.pipelining.equal import lower_bound, max_load, task_of


def test_decomposition_of_lines_and_meshes():
    """[calmant, sections 3.2 and 4.2]."""
    assert paper_parts(0, 10, 2) == [(0, 2), (2, 4), (6, 4)]
    assert paper_parts(0, 6, 1) == [(0, 2), (2, 2), (4, 2)]
    assert paper_parts(4, 0, 2) == []
    for i, M, c in product(range(4), range(20), range(1, 5)):
        parts = paper_parts(i, M, c)
        assert [k for at, x in parts for k in range(at, at + x)] == list(range(i, i + M))


@pytest.mark.parametrize("as_drawn", [False, True])
@pytest.mark.parametrize(("c", "d"), [(1, 7), (2, 2), (2, 8), (3, 3), (3, 9), (4, 8)])
def test_every_step_is_the_printed_one(c, d, as_drawn):
    """Every task of a mesh; ⟨i,1⟩_1 by m mod 2^(i+1), or in 2^i steps as in Fig. 5."""
    for i, end in combinations(range(d + 1), 2):
        M = end - i
        cut = parts(i, M, c)[::-1]
        written = paper_task(i, M, c, d) if c > 1 else on_a_line(cut, i, M, d, bits=not as_drawn)
        steps = paper_steps(task_of(i, M, c, d), as_drawn)
        assert paper_parts(i, M, c) == cut
        assert np.array_equal(steps, written), (i, M)
        assert steps.max() + 1 == paper_length(i, M, c, as_drawn)


def test_the_extra_step_is_that_of_section_4_3():
    """r as printed ("M is even") is not P - LB; with M odd and M mod 2c > c it is."""
    counts = {0: 0, 1: 0}
    for i, M, c in product(range(8), range(26), range(1, 5)):
        rest = M % (2 * c)
        extra = sum(paper_length(*part, c) - lower_bound(*part, c) for part in paper_parts(i, M, c))
        assert extra == paper_extra_step(i, M, c, "odd")
        printed = paper_extra_step(i, M, c)
        assert printed == int(rest > max_load(i, rest, c) and M % 2 == 0)
        counts[printed] += 1
    assert min(counts.values()) > 50


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: paper_steps(Task(0, 3, "mesh:4x8")), "task"),
        (lambda: paper_steps(Task(0, 3, "torus:4x4")), "task"),
        (lambda: paper_steps(Task(0, 3, "mesh:4x4", "all")), "task"),
        (lambda: paper_length(0, 5, 0), "c"),
        (lambda: paper_extra_step(0, 3, 2, "even"), "parity"),
        (lambda: paper_parts(-1, 3, 2), "i"),
    ],
)
def test_bad_input_is_named(call, named):
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.argument == named


def test_the_empty_task():
    assert paper_steps(task_of(1, 0, 2, 4)).shape == (0, 16)
    assert np.issubdtype(paper_steps(task_of(1, 0, 2, 4)).dtype, np.int64)

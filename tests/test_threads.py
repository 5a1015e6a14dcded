"""Threads: how many, and that answers come in the order of the jobs."""

from functools import partial
from threading import Event

import pytest

from lccmodel.kernels import threads


def test_cores_are_counted_where_no_affinity_is_known(monkeypatch):
    """As on systems other than Linux; and one core if nothing is known."""
    monkeypatch.delattr(threads.os, "sched_getaffinity", raising=False)
    for told, cores in [(3, 3), (None, 1)]:
        monkeypatch.setattr(threads.os, "cpu_count", lambda told=told: told)
        assert threads.cores() == cores


@pytest.mark.parametrize("many", [0, 1, 2, 9])
def test_answers_keep_the_order_of_the_jobs(many):
    assert threads.in_threads([partial(pow, 2, k) for k in range(5)], many) == [1, 2, 4, 8, 16]
    assert threads.in_threads([], many) == []


def test_jobs_run_at_the_same_time_and_what_one_raises_is_raised():
    """Each waits for the other; alone, the first would wait for ever."""
    here, there = Event(), Event()

    def meet(own: Event, other: Event) -> bool:
        own.set()
        return other.wait(30)

    met = threads.in_threads([partial(meet, here, there), partial(meet, there, here)], 2)
    assert met == [True, True]
    with pytest.raises(ZeroDivisionError):
        threads.in_threads([lambda: 1, lambda: 1 // 0], 2)

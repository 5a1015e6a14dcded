"""2,000 mixed calls of every public function in eight threads and two processes.

Each answer is the one of the call alone, and nothing of the process has changed.
"""

import multiprocessing
import random
import re
import warnings
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest

from lccmodel.errors import InputError
from tests.hostile.public import base_arguments, public_callables
from tests.test_beside import process

pytestmark = pytest.mark.slow

CALLS, THREADS, PROCESSES = 2000, 8, 2
PICTURES = {"exploration", "show"}
"""Packages that draw: matplotlib's figures belong to one thread."""


def text_of(answer: Any) -> str:
    """Return an answer as a text that equal answers share."""
    if hasattr(answer, "__next__"):
        answer = [next(answer, None) for _ in range(3)]
    with np.printoptions(threshold=10**6):
        return re.sub(r" at 0x[0-9a-f]+", "", repr(answer))


def called(name: str) -> str:
    """Return the answer of a right call, or its refusal, as a text."""
    function = public_callables()[name]
    try:
        answer = function(**base_arguments(name, function))
    except InputError as error:
        return f"refused: {error}"
    try:
        return text_of(answer)
    except (AttributeError, TypeError):  # values that take any argument and show right ones only
        return type(answer).__name__


def together(names: list[str]) -> tuple[list[str], set[str]]:
    """Return the answers of calls in threads, and the parts of the process that they changed."""
    mpl.use("agg")
    warnings.simplefilter("ignore")  # for the repr of values that nobody would make
    for name in sorted(set(names)):  # what is imported and compiled is no change
        called(name)
    before = process()
    with ThreadPoolExecutor(THREADS) as pool:
        answers = list(pool.map(called, names))
    after = process()
    return answers, {key for key in before if before[key] != after[key]}


def test_every_public_function_answers_beside_others_as_alone():
    """0.4 left a StringIO for stderr and SCOTCH_PTHREAD_NUMBER in the environment."""
    draws = [name for name in public_callables() if name.partition(".")[0] not in PICTURES]
    alone = {name: called(name) for name in draws}
    again = {name: called(name) for name in draws}
    names = [name for name in draws if alone[name] == again[name]]  # not: times, random objects
    assert len(names) > 0.95 * len(draws), set(draws) - set(names)
    mixed = names * (CALLS // len(names) + 1)
    random.Random(5).shuffle(mixed)
    halves = [mixed[: CALLS // 2], mixed[CALLS // 2 : CALLS]]
    assert set(halves[0]) | set(halves[1]) == set(names)
    with ProcessPoolExecutor(PROCESSES, multiprocessing.get_context("spawn")) as pool:
        for half, (answers, changed) in zip(halves, pool.map(together, halves), strict=True):
            assert changed == set()
            for name, answer in zip(half, answers, strict=True):
                assert answer == alone[name], name

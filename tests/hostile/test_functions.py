"""Every public function, called with what nobody should pass: an answer or an `InputError`.

One argument of a right call is replaced (every kind of wrong value, once each; slow: all of
them), or several at once as Hypothesis draws them. Warnings of numpy count as failures.
"""

from __future__ import annotations

import itertools
import re
import zlib
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lccmodel.errors import InputError
from tests.choosing import sampled
from tests.hostile.bounds import bounded
from tests.hostile.public import (
    NOT_CALLED,
    RESULTS,
    base_arguments,
    public_callables,
    public_names,
)
from tests.strategies import HOSTILE, hostile_values

FUNCTIONS = public_callables()


def try_call(name: str, function: Callable[..., Any], changed: dict[str, Any]) -> str:
    """Call with some arguments replaced; only documented errors may come out: their text."""
    with bounded():
        try:
            answer = function(**(base_arguments(name, function) | changed))
            if hasattr(answer, "__next__"):
                list(itertools.islice(answer, 3))
            return ""
        except InputError as error:
            assert str(error)  # noqa: PT017 - every refusal says why
            return re.sub(r"0x[0-9a-f]+|(/[\w.+-]+)+/", "", str(error))  # not where it runs
        except Exception as error:
            error.add_note(f"{name}({', '.join(f'{k}={v!r}' for k, v in changed.items())})")
            raise


def test_every_public_name_is_fuzzed_or_says_why_not() -> None:
    """A name that is new in the library is fuzzed by itself, or stands in one of the lists."""
    short = {name.rpartition(".")[2] for name in public_names()}
    errors = {n for n in short if n.endswith("Error") or n.startswith("Not")}
    fuzzed = {name.rpartition(".")[2] for name in FUNCTIONS}
    assert short - errors - fuzzed <= RESULTS | set(NOT_CALLED)
    assert len(FUNCTIONS) > 120


def test_most_right_calls_are_right() -> None:
    """The faults stand in calls that are right otherwise, so that they are reached."""
    refused = []
    for name in FUNCTIONS:
        try:
            FUNCTIONS[name](**base_arguments(name, FUNCTIONS[name]))
        except InputError:
            refused.append(name)
    assert len(refused) <= len(FUNCTIONS) // 10, refused


@pytest.mark.parametrize("name", sampled(FUNCTIONS, 6))
def test_one_wrong_argument(name: str) -> None:
    """A third of the wrong values for every parameter, another third for each."""
    for k, parameter in enumerate(base_arguments(name, FUNCTIONS[name])):
        first = (zlib.crc32(name.encode()) + k) % 3
        for value in HOSTILE[first::3]:
            try_call(name, FUNCTIONS[name], {parameter: value})


@pytest.mark.slow
@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_wrong_argument(name: str) -> None:
    for parameter in base_arguments(name, FUNCTIONS[name]):
        for value in HOSTILE:
            try_call(name, FUNCTIONS[name], {parameter: value})


def several_wrong(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(list(FUNCTIONS)))
    parameters = sorted(base_arguments(name, FUNCTIONS[name]))
    chosen = st.lists(st.sampled_from(parameters or ["n"]), max_size=3, unique=True)
    changed = {parameter: data.draw(hostile_values()) for parameter in data.draw(chosen)}
    try_call(name, FUNCTIONS[name], changed if parameters else {})


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_several_wrong_arguments(data: st.DataObject) -> None:
    several_wrong(data)


@pytest.mark.slow
@settings(max_examples=5000, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_many_calls_with_several_wrong_arguments(data: st.DataObject) -> None:
    several_wrong(data)

"""Every public function, called with what nobody should pass: an answer or an `InputError`.

One argument of a right call is replaced (every kind of wrong value, once each; slow: all of
them), or several at once as Hypothesis draws them. Warnings of numpy count as failures.
"""

import zlib

import pytest
from hypothesis import strategies as st

from lccmodel.errors import InputError
from tests.choosing import sampled, slow
from tests.hostile.bounds import called, fuzz
from tests.hostile.public import NOT_CALLED, RESULTS, base_arguments, public_callables, public_names
from tests.strategies import HOSTILE, hostile_values

FUNCTIONS = public_callables()


def test_every_public_name_is_fuzzed_or_says_why_not():
    """A name that is new in the library is fuzzed by itself, or stands in one of the lists."""
    short = {name.rpartition(".")[2] for name in public_names()}
    errors = {n for n in short if n.endswith("Error") or n.startswith("Not")}
    fuzzed = {name.rpartition(".")[2] for name in FUNCTIONS}
    assert short - errors - fuzzed <= RESULTS | set(NOT_CALLED)
    assert len(FUNCTIONS) > 120


def test_most_right_calls_are_right():
    """The faults stand in calls that are right otherwise, so that they are reached."""
    refused = []
    for name in FUNCTIONS:
        try:
            FUNCTIONS[name](**base_arguments(name, FUNCTIONS[name]))
        except InputError:
            refused.append(name)
    assert len(refused) <= len(FUNCTIONS) // 10, refused


@pytest.mark.parametrize(
    ("name", "every"),
    [*sampled([(n, 3) for n in FUNCTIONS], 6), *(slow((n, 1)) for n in FUNCTIONS)],
)
def test_one_wrong_argument(name, every):
    """Fast: a third of the wrong values for every parameter, another third for each."""
    right = base_arguments(name, FUNCTIONS[name])
    for k, parameter in enumerate(right):
        for value in HOSTILE[(zlib.crc32(name.encode()) + k) % every :: every]:
            called(FUNCTIONS[name], **right | {parameter: value})


@pytest.mark.parametrize("examples", [60, slow(5000)])
def test_several_wrong_arguments(examples):
    def trial(data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(list(FUNCTIONS)))
        right = base_arguments(name, FUNCTIONS[name])
        chosen = st.lists(st.sampled_from(sorted(right) or ["n"]), max_size=3, unique=True)
        wrong = {parameter: data.draw(hostile_values()) for parameter in data.draw(chosen)}
        called(FUNCTIONS[name], **right | (wrong if right else {}))

    fuzz(trial, examples)

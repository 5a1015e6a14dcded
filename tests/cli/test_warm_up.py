"""`lccmodel warm-up`: what it asks exists, what it stores is counted, what it does not know."""

import re
import shlex

import pytest

from lccmodel.cli import cli
from lccmodel.cli.warm_up import QUESTIONS
from tests.cli import calling

ASKED = [shlex.split(line) for line in QUESTIONS.strip().splitlines()]


def test_every_question_is_one_of_a_command():
    assert {words[0] for words in ASKED} <= set(cli.commands)
    assert len({tuple(words) for words in ASKED}) == len(ASKED)


@pytest.mark.slow
def test_it_says_how_many_kernels_there_are_and_what_they_take():
    for _ in range(2):
        done = calling.run("warm-up", "schedule", "--jobs", "1")
        assert done.exit_code == 0
        found = re.fullmatch(
            r"(\d+) kernels are on disk, ([\d.]+) MB; (\d+) compiled now\n", done.output
        )
        assert found
        assert int(found[1]) > 0
        assert float(found[2]) > 0
    assert found[3] == "0", "the second time all are there"


def test_what_compiles_nothing_is_refused():
    done = calling.run("warm-up", "catalog")
    assert done.exit_code == 2
    assert "nothing is compiled for 'catalog'" in str(done.output) + str(done.exception)

"""Forged certificates are refused, at once, by the strict reader or by what is worked out."""

import json
import os
import subprocess
import sys
import threading
from fractions import Fraction
from pathlib import Path

import pytest

import lccmodel
from lccmodel.certificates.checker import check
from lccmodel.certificates.parser import (
    MAX_BYTES,
    Refused,
    certificate_from,
    read_flag,
    read_number,
    read_whole,
)
from tests.certificates.forgeries import CONTENT, FORM
from tests.certificates.samples import samples, signed
from tests.cli.calling import run

SAMPLES = samples()
FORGED = {**FORM, **CONTENT}


def forged(name: str) -> dict:
    """A forgery with a digest of its own."""
    sample, path, value = FORGED[name]
    return signed(SAMPLES[sample], path, value)


@pytest.mark.parametrize("name", FORGED)
def test_a_forgery_is_refused(name):
    with pytest.raises(Refused) as refused:
        check(forged(name))
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 300
    assert ("malformed" if name in FORM else "digest") not in str(refused.value)


def test_the_samples_are_accepted_as_they_are():
    """The control: the same certificates without a change, read from their text."""
    for made in SAMPLES.values():
        assert check(certificate_from(json.dumps(made)))


@pytest.mark.parametrize(
    "text", ["1.0", "1e3", "-1.5E2", "NaN", "Infinity", "-Infinity", "1" * 402, "1" * 5000]
)
def test_a_number_that_is_no_short_integer_is_refused_where_it_is_read(text):
    with pytest.raises(Refused, match=r"must be an integer|more than 400 digits"):
        certificate_from(f'{{"kind": [{text}]}}')


@pytest.mark.parametrize("place", ["", '"problem": ', '"proof": {"steps": [', '"a": [[['])
def test_a_key_given_twice_is_refused(place):
    """0.4 took the last one: what a reader sees first was not what was checked."""
    inner = '{"N": 1, "x": {"N": 2}, "N": 3}'
    text = f"{{{place}{inner}{']' * place.count('[')}{'}' * place.count('{')}}}" if place else inner
    with pytest.raises(Refused, match='the key "N" is given twice'):
        certificate_from(text)


def test_numbers_of_every_good_form():
    assert read_number(0) == read_number("0") == read_number("0/7") == 0
    assert read_number("10/4") == Fraction(5, 2)
    assert read_number("9" * 400) == read_number(10**400 - 1) == 10**400 - 1
    assert read_whole(10**400 - 1) == 10**400 - 1
    assert read_flag(True) is True
    assert read_flag(False) is False


# -- Files ----------------------------------------------------------------------------------------


def test_a_key_given_twice_in_a_file_is_refused_with_exit_code_1(tmp_path):
    file = tmp_path / "proof.json"
    text = json.dumps(SAMPLES["gather"])
    file.write_text(text.replace('"kind":', '"kind": "degree", "kind":'))
    refused = run("check", file, "-f", "json")
    assert refused.exit_code == 1
    (record,) = json.loads(refused.stdout)
    assert record["explanation"] == 'the key "kind" is given twice in one object'


def test_an_endless_file_is_refused_at_once():
    """0.4 read /dev/zero to the end of memory; other files said "must be a text in UTF-8"."""
    refused = run("check", "/dev/zero")
    assert refused.exit_code == 2
    assert refused.stderr.startswith(f"lccmodel: error: /dev/zero: must have at most {MAX_BYTES} ")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_a_pipe_that_is_written_to_is_read(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_text(json.dumps(SAMPLES["gather"])))
    writer.start()
    accepted = run("check", pipe)
    writer.join()
    assert accepted.exit_code == 0


def test_the_checker_needs_nothing_but_python(tmp_path):
    """In a process of its own it accepts every sample and refuses forgeries, without numpy."""
    file = tmp_path / "certificates.json"
    cases = [*SAMPLES.values(), *(forged(name) for name in CONTENT)]
    file.write_text(json.dumps(cases))
    program = """
import json, sys
sys.path.insert(0, sys.argv[2])
from lccmodel.certificates.checker import check
from lccmodel.certificates.parser import Refused
for case in json.load(open(sys.argv[1])):
    try:
        check(case)
        print(1, end="")
    except Refused:
        print(0, end="")
assert not {"numpy", "networkx", "click"} & set(sys.modules)
"""
    home = Path(lccmodel.__file__).parents[1]
    command = [sys.executable, "-I", "-c", program, file, home]
    answer = subprocess.run(command, capture_output=True, text=True)
    assert answer.stdout == "1" * len(SAMPLES) + "0" * len(CONTENT), answer.stderr

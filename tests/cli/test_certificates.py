"""`--certificate` writes a proof or nothing, and `check` says what it proves."""

import json
from pathlib import Path

import pytest

from tests.cli.calling import run

EXAMPLES = Path(__file__).parents[2] / "examples"


ASKED = {
    "order": ("map", "matrix-transpose", "-N", "cube:6"),
    "linear": ("map", "reverse-flip", "-N", "origin:5", "--linear"),
    "placement": ("map", "grid:4x2:rings:1,1", "-N", "torus:4x2", "--seconds", "0.1"),
    "schedule": ("schedule", "--task", "0,4", "-N", "mesh:4x4"),
    "degree": ("pipeline", "-N", "mesh:8x8", "--alpha", "5", "--tau", "1", "--items", "99"),
}


@pytest.mark.parametrize("name", ASKED)
def test_what_is_written_is_accepted(name, tmp_path):
    file = tmp_path / "proof.json"
    assert run(*ASKED[name], "--certificate", file).exit_code == 0
    found = run("check", file, "--format", "json")
    assert found.exit_code == 0
    (record,) = json.loads(found.stdout)
    assert (record["file"], record["verdict"]) == (str(file), "accepted")


@pytest.mark.parametrize(
    "example", ["image_library.toml", "origin32.toml", "parallel_fft.toml", "trace.csv"]
)
def test_the_examples_have_certificates(example, tmp_path):
    file = tmp_path / "proof.json"
    assert run("map", EXAMPLES / example, "--certificate", file).exit_code == 0
    assert run("check", file).exit_code == 0


def test_an_altered_one_is_refused_with_exit_code_1(tmp_path):
    file = tmp_path / "proof.json"
    run(*ASKED["schedule"], "--certificate", file)
    file.write_text(file.read_text().replace('"length": ', '"length": 1'))
    refused = run("check", file)
    assert refused.exit_code == 1
    assert "refused" in refused.stdout
    assert "digest" in refused.stdout


def test_without_a_proof_nothing_is_written(tmp_path):
    file = tmp_path / "proof.json"
    asked = ("map", "grid:8:all-to-all:1", "-N", "torus:8", "--seconds", "0.1")
    found = run(*asked, "--over", "placements", "--certificate", file)
    assert found.exit_code == 2
    assert "--certificate: needs a placement that meets a bound" in found.stderr
    assert not file.exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ("pipeline", "-N", "mesh:4x4", "--model", "load", "--formula"),
        (
            "pipeline",
            "-N",
            "mesh:4x4",
            "--alpha",
            "1",
            "--tau",
            "1",
            "--items",
            "9",
            "--model",
            "all",
        ),
        ("schedule", "--task", "0,4", "-N", "mesh:4x4", "--loads"),
    ],
)
def test_it_goes_with_one_answer(arguments, tmp_path):
    file = tmp_path / "proof.json"
    found = run(*arguments, "--certificate", file)
    assert found.exit_code == 2
    assert "--certificate " in found.stderr
    assert not file.exists()


@pytest.mark.parametrize("text", [None, "[", "[1]", "3", "\x00"])
def test_what_is_no_certificate_is_one_line(text, tmp_path):
    file = tmp_path / "proof.json"
    if text is not None:
        file.write_text(text)
    found = run("check", file)
    assert found.exit_code == 2
    rule = "cannot read the file" if text is None else "must"
    assert found.stderr.startswith(f"lccmodel: error: {file}: {rule}")
    assert found.stderr.count("\n") == 1

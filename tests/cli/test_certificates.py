"""`--certificate` writes a proof or nothing, and `check` says what it proves."""

import pytest

from tests.cli.calling import EXAMPLES, records, refused, run, typed

ASKED = {
    "order": "map matrix-transpose -N cube:6",
    "linear": "map reverse-flip -N origin:5 --linear",
    "placement": "map grid:4x2:rings:1,1 -N torus:4x2 --seconds 0.1",
    "schedule": "schedule --task 0,4 -N mesh:4x4",
    "degree": "pipeline -N mesh:8x8 --alpha 5 --tau 1 --items 99",
    **{
        name: f"map {EXAMPLES / name}"
        for name in ("image_library.toml", "origin32.toml", "parallel_fft.toml", "trace.csv")
    },
}


@pytest.mark.parametrize("name", ASKED)
def test_what_is_written_is_accepted(name, tmp_path):
    file = tmp_path / "proof.json"
    assert typed(ASKED[name], "--certificate", file).exit_code == 0
    (record,) = records("check", file)
    assert (record["file"], record["verdict"]) == (str(file), "accepted")


def test_an_altered_one_is_refused_with_exit_code_1(tmp_path):
    file = tmp_path / "proof.json"
    typed(ASKED["schedule"], "--certificate", file)
    file.write_text(file.read_text().replace('"length": ', '"length": 1'))
    answer = run("check", file)
    assert answer.exit_code == 1
    assert "refused" in answer.stdout
    assert "digest" in answer.stdout


def test_without_a_proof_nothing_is_written(tmp_path):
    file = tmp_path / "proof.json"
    asked = "map grid:8:all-to-all:1 -N torus:8 --seconds 0.1 --over placements --certificate"
    message = refused(typed(asked, file))
    assert "--certificate: needs a placement that meets a bound" in message
    assert not file.exists()


@pytest.mark.parametrize("text", ["[", "[1]", "3", "\x00"])
def test_what_is_no_certificate_is_one_line(text, tmp_path):
    file = tmp_path / "proof.json"
    file.write_text(text)
    assert f"{file}: must" in refused(run("check", file))

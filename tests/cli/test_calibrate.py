"""`lccmodel calibrate` and `lccmodel pipeline --machine`: from times to a degree."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from lccmodel.cli.app import cli
from lccmodel.mpi.launch import unavailable

TIMES = "size,time\n" + "".join(f"{8 << k},{5 + 0.002 * (8 << k)}\n" for k in range(14))


def run(*arguments: object) -> tuple[int, str]:
    found = CliRunner().invoke(cli, [str(a) for a in arguments], prog_name="lccmodel")
    return found.exit_code, found.output


def test_from_times_to_a_degree(tmp_path: Path) -> None:
    """A table of times, a machine file, a degree; the machine's own numbers come back."""
    times, machine, plot = tmp_path / "t.csv", tmp_path / "machine.toml", tmp_path / "fit.png"
    times.write_text(TIMES)
    code, out = run("calibrate", times, "--save", machine, "--plot", plot, "--format", "json")
    assert code == 0
    assert json.loads(out)[0]["alpha"] == pytest.approx(5)
    assert plot.read_bytes().startswith(b"\x89PNG")
    code, out = run("pipeline", "-N", "mesh:32x32", "--machine", machine, "--items", 4096)
    assert code == 0
    assert "best Q" in out
    assert "µs" in out or "us" in out
    same = run("pipeline", "-N", "mesh:32x32", "--alpha", 5, "--tau", "0.016", "--items", 4096)[1]
    assert next(r for r in out.splitlines() if "best Q  " in r).split()[2] in same


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--machine", "none.toml", "--items", 8), "none.toml"),
        (("--machine", "m.toml", "--alpha", 1, "--items", 8), "--machine does not go with"),
        (("--machine", "m.toml"), "--items"),
        (("--machine", "m.toml", "--items", 8, "--item-bytes", 0), "--item-bytes"),
    ],
)
def test_bad_input_is_one_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[object, ...],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("m.toml").write_text("[machine]\nalpha = 1\ntau = 1\n")
    with pytest.raises(SystemExit) as left:
        cli.main(["pipeline", "-N", "mesh:4x4", *map(str, arguments)], prog_name="lccmodel")
    assert left.value.code == 2
    message = capsys.readouterr().err
    assert said in message
    assert len(message.strip().splitlines()) == 1


@pytest.mark.skipif(bool(unavailable()), reason="no MPI here")
def test_real_times_under_mpirun(tmp_path: Path) -> None:
    """Both ways of measuring give times of every size, which a fit can use."""
    for kind in ("ping-pong", "exchange"):
        file = tmp_path / f"{kind}.toml"
        code, out = run(
            *("calibrate", "--kind", kind, "--ranks", 2, "--most", 4096, "--seconds", 0.2),
            *("--save", file, "--format", "json"),
        )
        assert code == 0, out
        found = json.loads(out)
        assert found[0]["alpha"] >= 0
        assert len(found) == 19
        assert "[machine]" in file.read_text()

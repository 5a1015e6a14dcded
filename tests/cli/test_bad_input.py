"""Bad input of every command: one line, exit code 2, nothing written, and words that help.

Other tests of commands hold what their own files and options are told.
"""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.cli.calling import refused, run

BAD = """
mapp
map
map bit-reverse
map bit-revers -N cube:4
map bit-reverse -N cube
map bit-reverse -N ring:4
map bit-reverse -N cube:0
map bit-reverse -N cube:65
map bit-reverse -N mesh:3x4
map bit-reverse -N mesh:4x4 --count
map bit-reverse -N cube:4 --linear --over orders
map bit-reverse -N cube:4 --objective least
map bit-reverse -N cube:4 --weights 0
map bit-reverse -N cube:4 --weights 1/0
map bit-reverse -N cube:4 --weights 1,2
map bit-reverse -N cube:4 --weights nan
map bit-reverse -N origin:4 --linear --count
map bit-reverse -N cube:21 --count
map bit-reverse -N cube:4 --hosts a:16
map bit-reverse -N cube:4 --rankfile r --hosts h:99999999999999
map bit-reverse -N cube:4 --over everything
map bit-reverse -N torus:4x4 --count
map bit-reverse -N torus:4x3
map grid:4x4:rngs -N torus:4x4
map grid:8x8 -N torus:4x4
map grid:6x6 -N torus:6x6 --over orders
map grid:4x4 -N torus:4x4 --cluster nowhere
map bit-reverse -N cube:4 --rankfile ranks.txt
map bit-reverse -N cube:4 --rankfile ranks.txt --hosts a:1
map bit-reverse -N cube:4 --rankfile ranks.txt --hosts a:x
map bit-reverse -N cube:4 --rankfile ranks.txt --hosts ./none
map bit-reverse -N cube:4 --spmd a.md --output ./a.md
map bit-reverse -N cube:4 --spmd p.py --output none/a.md
map missing.csv
map ring.txt -N mesh:2x2
map program.toml -N cube:3
map "y0 = x9"
contention bit-reverse -N mesh:4x4 --method formula
contention bit-reverse -N cube:40 --method walk
contention bit-reverse -N cube:4 --method formula --channels
contention bit-reverse -N mesh:3x4
catalog bit-revers
catalog --n 4
catalog identity --n 65
catalog --output catalog.pdf
catalog --output none/catalog.csv
recognise missing.csv
recognise broken.csv
report missing
report empty
report program.toml -N mesh:3x4
report program.toml --output ring.txt
report program.toml --objective least
pipeline
pipeline --network mesh:32x32
pipeline --network mesh:32x32 --alpha 1 --tau 1
pipeline --network mesh:32x32 --tau 1 --items 9
pipeline --alpha 1 --tau 1 --items 9
pipeline --network mesh:16x32 --alpha 1 --tau 1 --items 9 --model paper
pipeline --network cube:4 --alpha 1 --tau 1 --items 9
pipeline --network mesh:99999999999x4 --alpha 1 --tau 1 --items 9
exchange --network torus:8x8 --alpha 1 --tau 1
exchange --network mesh:4x8 --alpha 1 --tau 1 --methods quadrant
pipeline --network mesh:12x12 --alpha 1 --tau 1 --items 9
pipeline --network mesh:1x1 --alpha 1 --tau 1 --items 9
pipeline --network mesh:wide --alpha 1 --tau 1 --items 9
pipeline --network mesh:8x8 --alpha 1 --tau 1 --items 0
pipeline --network mesh:8x8 --alpha 1 --tau 1 --items 1.5
pipeline --network mesh:8x8 --alpha 1 --tau 1 --items many
pipeline --network mesh:8x8 --alpha -1 --tau 1 --items 9
pipeline --network mesh:8x8 --alpha nan --tau 1 --items 9
pipeline --network mesh:8x8 --alpha 1/0 --tau 1 --items 9
pipeline --network mesh:8x8 --alpha "5 µs" --tau 1 --items 9
pipeline --network mesh:8x8 --alpha 1e9999999 --tau 1 --items 9
pipeline --network mesh:8x8 --alpha 0 --tau 0 --items 9
pipeline --network mesh:8x8 --alpha 1 --tau 1 --items 9 --barrier x
pipeline --network mesh:8x8 --alpha 1 --tau 1 --items 9 --degree 10
pipeline --network mesh:8x8 --alpha 1 --tau 1 --items 9 --degree 0
pipeline --network mesh:8x8 --alpha 1 --tau 1 --items 9 --model best
pipeline --network torus:8x8 --alpha 1 --tau 1 --items 9 --model paper
pipeline --network mesh:8x8 --alpha 1 --tau 1 --items 9 --sensitivity --formula
pipeline --network mesh:8x8 --alpha 1 --tau 1 --items 9 --model all --sensitivity
pipeline --network mesh:8x8 --alpha 1 --tau 1 --items 9 --degree 2 --sensitivity
pipeline --network mesh:8x8 --formula --plot a.png
pipeline --network mesh:8x8 --alpha 1 --tau 1 --items 9 --plot a.jpg
pipeline --network mesh:8x8 --alpha 1 --tau 1 --items 9 --plot none/a.png
pipeline --network mesh:8x8 --alpha 1 --tau 1 --items 9 --plot a.png -o ./a.png
schedule
schedule --task 0,4
schedule --task 0 --network mesh:4x4
schedule --task 0,5 --network mesh:4x4
schedule --task -1,2 --network mesh:4x4
schedule --task 0,4 --network mesh:4x4 --step 4
schedule --task 0,4 --network mesh:4x4 --step 0 --loads
schedule --task 0,4 --network torus:4x4 --rule paper
schedule --task 0,4 --network mesh:4x4x4 --plot a.png
schedule --task 0,4 --network mesh:4x4x4 --plot a.png --plane 2
schedule --task 0,4 --network mesh:4x4x4 --plot a.png --plane 2=4
schedule --task 0,4 --network mesh:4x4x4 --plane 2=0
schedule --task 0,4 --network mesh:64x64 --plot a.png
schedule --task 0,4 --network mesh:65536x65536
exchange
exchange --network mesh:8x8
exchange --network mesh:8x8 --alpha 1 --tau 1 --block 0
exchange --network mesh:8x8 --alpha 1 --tau 1 --methods cyclic
exchange --network mesh:8x8 --alpha 1 --tau 1 --degree 2
exchange --network mesh:8x8 --alpha 1 --tau 1 --order natural
exchange --network mesh:8x8 --run --methods direct
exchange --network mesh:8x8 --run --plot a.png
exchange --network mesh:8x8 --run --degree 33
exchange --network mesh:8x8 --run --alpha 1
exchange --network mesh:64x64 --run --block 2
exchange --network mesh:128x128 --run
report
report --papers nobody
simulate
simulate bit-reverse
simulate bit-revers -N cube:4
simulate bit-reverse -N ring:4
simulate identity -N cube:4
simulate bit-reverse -N cube:4 --load 0
simulate bit-reverse -N cube:4 --load 1.5
simulate bit-reverse -N cube:4 --load 0.1:0.2
simulate bit-reverse -N cube:4 --flits 0
simulate bit-reverse -N cube:4 --flits x
simulate bit-reverse -N cube:4 --cycles 0
simulate bit-reverse -N cube:4 --cycles 10000000000000
simulate bit-reverse -N cube:4 --warm-up 100000
simulate bit-reverse -N cube:4 --warm-up -2
simulate bit-reverse -N cube:4 --seed -1
simulate bit-reverse -N cube:4 --routing q-cube
simulate bit-reverse -N cube:4 --routing chi
simulate bit-reverse -N cube:4 --tie first
simulate bit-reverse -N cube:4 --engine fast
simulate bit-reverse -N cube:4 --mapping best
simulate bit-reverse -N cube:4 --mapping 0,1,2
simulate bit-reverse -N cube:4 --mapping 0,1,2,2
simulate bit-reverse -N cube:4 --plot a.txt
simulate bit-reverse -N cube:4 --plot none/a.png
simulate bit-reverse -N cube:4 --plot a.png --heatmap a.png
simulate bit-reverse -N cube:4 fft --heatmap a.png
simulate bit-reverse -N cube:4 --deadlock --plot a.png
simulate --deadlock
simulate --deadlock -N cube
simulate --deadlock -N cube:12
simulate ring.txt -N cube:2
trace
trace bit-reverse
trace identity -N cube:3
trace bit-reverse -N cube:4 --message 16
trace bit-reverse -N cube:4 --message -1
trace bit-reverse -N cube:4 --message 0
trace bit-reverse -N cube:4 --flits 0
trace bit-reverse -N cube:4 --flits 5000
trace bit-reverse -N cube:4 --routing chi
trace bit-reverse -N cube:4 --mapping 0,1
trace bit-reverse -N cube:4 --show all
trace bit-reverse -N cube:6 --show chart
simulate bit-reverse -N mesh:4x4,bandwidth=2:1 --engine message
trace bit-reverse -N cube:4 --plot a.jpg
fft -N mesh:4x4
fft -N cube
fft --points 100
fft --points 512
fft --points 0
fft --points x
fft --points 67108864
fft --per-byte 0
fft --latency -1
fft --seeds 0
fft --table both
fft --points 256 -f json
fft --points 256 --table speedup -o none/a.md
"""
"""As typed, a command a line."""

SAID = {
    "map bit-revers -N cube:4": ["did you mean 'bit-reverse'?"],
    "mapp": ["Did you mean 'map'?", "lccmodel --help"],
    "map bit-reverse": ["--network", "cube:8", "for any n\n"],
    "map broken.cvs": ["did you mean 'broken.csv'?"],
    "recognise broken.csv": ["broken.csv:2", "'zero'"],
    "map ring.txt -N cube:2": ["at least 8 nodes", "'ring'"],
    'map "y0 = x9"': ["x9", "n = 1"],
    "catalog -f pdf": ["json", "lccmodel catalog --help"],
    "pipeline -N mesh:12x17 --alpha 1 --tau 1 --items 9": [
        *("--network", "powers of two", "largest", "mesh:8x16")
    ],
    "exchange -N 4x8 --alpha 1 --tau 1 --methods levels": ["equal sides", "direct"],
    "pipeline -N mesh:8x8": ["--alpha is required", "--help"],
    'pipeline -N mesh:8x8 --alpha "5 µs" --tau 1': ["5.5 or 11/2"],
    "schedule --task 0,5 -N mesh:4x4": ["--task", "d = 4"],
    "exchange -N mesh:8x8 --alpha 1 --tau 1 --methods cyclic": ["without saying how"],
    "simulate bit-reverse -N cube:4 --routing p-cub": ["did you mean 'p-cube'?"],
    "simulate bit-reverse -N cube:4 --load 2": ["--load", "(0, 1]"],
    "simulate bit-reverse -N cube:4 --flits 0": ["flits", "at least 1"],
    "simulate bit-reverse": ["--network", "cube:8"],
    "fft --points 512": ["2^8, 2^10"],
}
"""What some of them are told."""

PROGRAM = """
n = 4
[[communication]]
catalog = "matrix-transpose"
[[communication]]
catalog = "bit-reverse"
"""


@pytest.mark.parametrize("typed", dict.fromkeys([*BAD.strip().splitlines(), *SAID]))
def test_bad_input_is_one_line_exit_2_and_nothing_written(
    typed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "program.toml").write_text(PROGRAM)
    (tmp_path / "ring.txt").write_text("".join(f"{x} {(x + 1) % 8}\n" for x in range(8)))
    (tmp_path / "broken.csv").write_text("0 1\n1 zero\n")
    (tmp_path / "empty").mkdir()
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    message = refused(run(*shlex.split(typed)))
    assert all(word in message for word in SAID.get(typed, []))
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before

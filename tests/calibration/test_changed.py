"""Files of benchmarks, each with one line or word changed: what is read.

Rows that were not touched are read as before wherever the file is still one run of its kind, and
whatever is refused is refused as input.
"""

import re
from pathlib import Path

import pytest

from lccmodel.calibration import Measurements, read_measurements
from lccmodel.errors import FileError
from tests.calibration import test_benchmark_output as outputs
from tests.choosing import sampled

SAMPLES = Path(__file__).with_name("samples")

TABLES = {
    "csv": "size,time\n0,5.0\n8,6.0\n2000,7.5\n",
    "semicolons": "# made by hand\n\nrank;size_bytes;time [ms]\n0;8;0.0015\n1;1024;2.5e-3\n",
    "tabs": "bytes\tlatency (ns)\n8\t1500\n1024\t2500\n",
    "seconds": "size in bytes,seconds\n8,1.5e-6\n16,1.75e-6\n",
}
OUTPUTS = {
    "two osu": outputs.OSU_73 + outputs.OSU_BW, "osu both ways": outputs.OSU_BIBW,
    "osu fail": outputs.OSU_FAIL, "osu to all": outputs.OSU_BCAST,
    "imb": outputs.IMB_HEAD + outputs.imb("PingPong", more=outputs.WAITING) + outputs.BARRIER
    + outputs.imb("Exchange", scale=2.0, processes=4) + outputs.IMB_END,
    "netpipe": outputs.NETPIPE_3, "netpipe in colours": outputs.COLOURED,
    "np.out 3": outputs.NP_OUT_3,
}  # fmt: skip
FILES = TABLES | OUTPUTS | {path.stem: path.read_text() for path in sorted(SAMPLES.iterdir())}


def _read(file: Path, benchmark: str | None = None) -> Measurements | None:
    try:
        return read_measurements(file, benchmark)
    except FileError:
        return None


def _pairs(output: Measurements) -> list[tuple[int, float]]:
    return [
        (s, round(t, 9)) for s, t in zip(output.sizes.tolist(), output.times.tolist(), strict=True)
    ]


def _kind_of(asked: str) -> str:
    """The letters that the name of the benchmark has, if it is read at all."""
    name = asked.partition(":")[0].lower().removeprefix("imb ").removeprefix("osu_")
    return {"bw": "bandwidth", "bibw": "bidirectional", "bcast": "broadcast"}.get(name, name)


@pytest.mark.parametrize("name", sampled(FILES, 15))
def test_a_changed_line_leaves_the_other_rows_of_a_benchmark(name, tmp_path):
    text, read = FILES[name], 0
    file = tmp_path / "out.txt"
    file.write_text(text)
    whole = _read(file)
    rows = set() if whole is None else set(_pairs(whole))
    for asked in ("pingpong", "osu_latency", "osu_bw", "IMB Exchange", "Exchange:4", "bibw",
                  "bcast", "latency: 2", "NetPIPE", "x", "PingPong:2"):  # fmt: skip
        output = _read(file, asked)
        assert output is None or _kind_of(asked) in re.sub(r"[^a-z]", "", output.kind.lower())
    lines = text.splitlines(keepends=True)
    for k in range(0, len(lines), max(1, len(lines) // 16)):
        words = re.split(r"(\s+|[,;])", lines[k])
        for instead in (
            "", lines[k] * 2, "#" + lines[k], lines[k].replace(" ", "  "), lines[k].upper(),
            "".join(words[:-3]) + "\n", *(
                "".join([*words[:at], word, *words[at + 1 :]])
                for at in sorted({0, len(words) // 4 * 2, max(0, len(words) - 3)})
                for word in ("0", "-1", "1.5", "x", "1e400", "9" * 40)
            ),
        ):  # fmt: skip
            file.write_text("".join([*lines[:k], instead, *lines[k + 1 :]]))
            output = _read(file)
            if output is None or whole is None:
                continue
            read += 1
            alike = output.kind == whole.kind and output.start_up == whole.start_up
            if alike and lines[k].strip()[:1].isdigit():
                assert len(rows - set(_pairs(output))) <= 1, (k, instead)
    refused = {"osu both ways", "osu to all", "osu-bcast-73", "osu-bibw-75"}
    assert (read > 20) == (name not in refused)

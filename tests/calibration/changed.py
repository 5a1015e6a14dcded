"""Files of benchmarks and of machines, each with one line, word or entry changed: what is read.

    python -m tests.calibration.changed      write `changed.json` anew, which a test compares

Which rule names what is wrong no equation says. So each answer is first verified: rows that were
not touched are read as before wherever the file is still of its kind, and whatever is refused is
refused as input, with its line; only then a digest is compared.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lccmodel.calibration import Measurements, read_machine, read_measurements
from lccmodel.errors import FileError
from tests.calibration import test_benchmark_output as outputs
from tests.holding import digest, write

HELD = Path(__file__).with_name("changed.json")
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
    + outputs.imb_range("Exchange", scale=2.0, processes=4) + outputs.IMB_END,
    "netpipe": outputs.NETPIPE_3, "netpipe in seconds": outputs.NETPIPE_SEC,
    "netpipe in colours": outputs.netpipe_5(colours=True),
    "np.out 3": outputs.NP_OUT_3, "np.out 4": outputs.NP_OUT_4, "np.out 5": outputs.NP_OUT_5,
}  # fmt: skip
FILES = TABLES | OUTPUTS | {path.stem: path.read_text() for path in sorted(SAMPLES.iterdir())}

LINE = '[machine]\nname = "mine"\nunit = "ms"\nsource = "a \\"test\\""\nalpha = 10\ntau = 0.5\n'
PAIR = (
    "[[machine.segment]]\nup_to = 8\nalpha = 1\ntau = 0\n[[machine.segment]]\nalpha = 3\ntau = 2\n"
)
MACHINES = {
    "line": LINE + "alpha_interval = [9, 12]\ntau_interval = [0.25, 1]\nconfidence = 0.5\n",
    "ratio": LINE + "ratio_interval = [8, 40]\ntau_interval = [0.25, 1]\n",
    "inside": LINE + "[machine.inside]\nalpha = 1\ntau = 0.1\n",
    "segments": "[machine]\nconfidence = 1\nrepeated = [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]\n"
    + PAIR,
    "loggp": "[machine]\nloggp = { L = 5, o = 1, g = 6, G = 0.001 }\n",
    "table": '[machine]\ndoubt = "none"\ntable = [[8, 1.2], [1024, 1.9], [4096, 5]]\n',
}
INSTEAD = ("-1", "0", "1", "2.5", "true", '"x"', "[]", "[1]", "[1, 2]", "[2, 1]", "[1, 2, 3]",
           "[[1, 2]]", "[[2, 1], [3, 4]]", "[[1, 2], 3]", "[[[1, 2], [3, 4]], 5]",
           "[[[1, 2, 3], [4]]]",
           "[[[1, 2]]]", "{ }", "{ alpha = 1, tau = 2 }", "nan", "1e999999", "")  # fmt: skip


def _measured(found: Measurements) -> str:
    pairs = zip(found.sizes.tolist(), found.times.tolist(), strict=True)
    rows = " ".join(f"{size}:{time:.9g}" for size, time in pairs)
    return f"{found.kind} {found.start_up} {found.left_out} {rows}"


def _said(file: Path, benchmark: str | None = None) -> str | Measurements:
    try:
        return read_measurements(file, benchmark)
    except FileError as error:
        return f"{error.line} {error.rule} {error.value}".replace(str(file.parent), "")


def _outputs(name: str) -> Iterator[str]:
    text = FILES[name]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "out.txt")
        file.write_text(text)
        whole = _said(file)
        yield _measured(whole) if isinstance(whole, Measurements) else whole
        for asked in ("pingpong", "osu_latency", "osu_bw", "IMB Exchange", "Exchange:4", "bibw",
                      "bcast", "latency: 2", "NetPIPE", "x", "PingPong:2"):  # fmt: skip
            found = _said(file, asked)
            yield _measured(found) if isinstance(found, Measurements) else found
        lines = text.splitlines(keepends=True)
        rows = {
            (size, round(time, 9))
            for found in [whole]
            if isinstance(found, Measurements)
            for size, time in zip(found.sizes.tolist(), found.times.tolist(), strict=True)
        }
        chosen = range(0, len(lines), max(1, len(lines) // 16))
        for k in chosen:
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
                found = _said(file)
                if isinstance(found, Measurements) and isinstance(whole, Measurements):
                    now = zip(found.sizes.tolist(), found.times.tolist(), strict=True)
                    kept = {(size, round(time, 9)) for size, time in now}
                    alike = found.kind == whole.kind and found.start_up == whole.start_up
                    assert len(rows - kept) <= 1 or not alike or not lines[k].strip()[:1].isdigit()
                yield _measured(found) if isinstance(found, Measurements) else found


def _machines(name: str) -> Iterator[str]:
    lines = MACHINES[name].splitlines(keepends=True)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "machine.toml")
        for k, line in enumerate(["", *lines]):
            key = line.partition(" = ")[0]
            changes = [f"{key} = {value}\n" for value in INSTEAD] if " = " in line else [""]
            for change in (line, *changes, "", line * 2, line + "speed = 1\n"):
                file.write_text("".join([*lines[: k - 1], change, *lines[k:]] if k else lines))
                try:
                    said = read_machine(file)
                except FileError as error:
                    yield f"{error.rule} {error.value}".replace(str(file), "").split("(")[0]
                    continue
                assert said.cost.time(100) >= 0
                assert 0 < said.confidence <= 1
                pieces = [cost.pieces for cost in (said.cost, *said.others)]
                told = (said.unit, said.name, said.source, said.doubt, said.confidence, said.inside)
                yield f"{pieces} {told}"


CASES = (*(f"output {name}" for name in FILES), *(f"machine {name}" for name in MACHINES))


def facts(case: str) -> str:
    """How many files were read, and a digest of what was read or said."""
    kind, _, name = case.partition(" ")
    answers: Any = _outputs(name) if kind == "output" else _machines(name)
    return digest(answers)


if __name__ == "__main__":
    write(HELD, CASES, facts)

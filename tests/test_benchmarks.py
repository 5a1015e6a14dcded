"""The harness measures what it says; the peers of the registered benchmarks agree with us."""

import json
import re
from functools import partial

import numpy as np
import pytest

from benchmarks import __main__ as command
from benchmarks import first_call, gf2, harness
from benchmarks.harness import Benchmark


class Clock:
    """A clock that only the work moves, so that nothing here depends on the machine."""

    now = 0.0

    def pass_time(self, seconds):
        self.now += seconds


clock = Clock()
measure = partial(harness.measure, clock=lambda: clock.now)


@pytest.fixture(autouse=True)
def _own_clock(monkeypatch):
    monkeypatch.setattr(command, "perf_counter", lambda: clock.now)


def slept(items):
    clock.pass_time(items)
    return items % 10


def slept_twice(items):
    clock.pass_time(items)
    return slept(items)


def sample(**changes):
    fields = {
        "name": "sleep", "work": "sleep", "items": 2, "prepare": lambda items: items,
        "ours": slept, "peer_name": "the same twice", "peer": slept_twice, "repeats": 3,
    }  # fmt: skip
    return Benchmark(**{**fields, **changes})


def test_ratio_is_per_item():
    """A peer that sleeps twice as long for each of ten times the items has the ratio 2."""
    measured = measure(sample(peer_items=20, goal=1.9, goal_seconds=2.1))
    assert (measured.equal, measured.reached, measured.repeats) == (True, True, 3)
    assert measured.seconds == pytest.approx(2)
    assert measured.peer_seconds == pytest.approx(40)
    assert measured.ratio == pytest.approx(2)
    assert measured.record()["peer_items"] == 20


def test_a_short_call_is_repeated_and_its_mean_counts():
    """Calls of 1 and 3 256ths of a second in turn: three take 19.5 ms, so that a fourth is made."""
    calls = []

    def short(items):
        clock.pass_time((1 if len(calls) % 2 else 3) / 256)
        calls.append(items)
        return items

    measured = measure(sample(ours=short, peer=None, peer_name="", repeats=1))
    assert len(calls) == 1 + 4  # one to warm up
    assert measured.seconds == pytest.approx(2 / 256)


def absent(ready):
    raise ModuleNotFoundError("no", name="nowhere")


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"goal": 1000.0}, {"reached": False}),
        ({"goal_seconds": 1e-6}, {"reached": False}),
        ({"peer": lambda items: -1}, {"equal": False}),
        ({"peer": None, "peer_name": ""}, {"reached": None}),
        ({"peer": absent, "goal": 2.0}, {"note": "nowhere is not installed", "ratio": None}),
        ({"peer": absent, "goal": 2.0}, {"reached": None, "seconds": pytest.approx(2)}),
    ],
)
def test_missed_goals_wrong_results_and_missing_peers_are_told(changes, told):
    measured = measure(sample(**changes))
    assert {name: getattr(measured, name) for name in told} == told


@pytest.mark.parametrize("changes", [{"peer": None}, {"items": 0}, {"repeats": 0}])
def test_contradictions_are_refused(changes):
    with pytest.raises(ValueError, match="sleep"):
        sample(**changes)


def test_discovery_finds_every_subject_once():
    names = [benchmark.name for benchmark in harness.discover()]
    assert len(names) == len(set(names))
    assert {benchmark.name for benchmark in gf2.BENCHMARKS} <= set(names)


@pytest.mark.parametrize("benchmark", gf2.BENCHMARKS, ids=lambda benchmark: benchmark.name)
def test_ours_and_peer_agree(benchmark):
    if "flint" in benchmark.name:
        pytest.importorskip("flint")
    if benchmark.peer is None:
        pytest.skip("no peer")
    ready = benchmark.prepare(300)
    peer = benchmark.peer(benchmark.peer_prepare(ready))
    assert np.array_equal(benchmark.ours(ready), peer)


def test_command_line(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(command, "discover", lambda: (sample(), sample(name="other", goal=1.1)))
    out = tmp_path / "out.json"
    assert command.main(["other", "--repeats", "1", "--json", str(out)]) == 0
    content = json.loads(out.read_text())
    assert [record["name"] for record in content["measurements"]] == ["other"]
    assert content["machine"]["cores"] >= 1
    assert "yes" in capsys.readouterr().out
    assert command.main(["--list"]) == 0
    assert "other" in capsys.readouterr().out
    for arguments in (["absent"], ["--repeats", "0"], ["--json", str(tmp_path / "no" / "x")]):
        with pytest.raises(SystemExit) as caught:
            command.main(arguments)
        assert caught.value.code == 2


def test_different_results_fail_the_run(monkeypatch, capsys):
    monkeypatch.setattr(command, "discover", lambda: (sample(peer=lambda items: -1),))
    assert command.main([]) == 1
    assert "differ" in capsys.readouterr().err


def test_the_listed_first_calls_are_commands_of_the_pages():
    """docs/benchmarks.md lists those that compile kernels or measure."""
    page = (first_call.ROOT / "docs" / "benchmarks.md").read_text()
    section = page.partition("## First calls")[2].partition("\n## ")[0]
    listed = re.findall(r"^\| `([^`]+)` \| [\d.]+ \| [\d.]+ \| \d+ \|$", section, flags=re.M)
    assert len(listed) >= 10
    assert set(listed) <= set(first_call.commands())

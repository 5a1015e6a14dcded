"""Ctrl-C waits for the end of a call that it would crash."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from threading import Thread

import pytest

from lccmodel._threads import uninterrupted


@pytest.fixture
def heard() -> Iterator[list[str]]:
    """What happened: an interrupt adds a line in place of ending the tests."""
    lines: list[str] = []
    before = signal.signal(signal.SIGINT, lambda *_: lines.append("interrupted"))
    yield lines
    signal.signal(signal.SIGINT, before)


def test_an_interrupt_has_its_effect_at_the_end(heard: list[str]) -> None:
    handler = signal.getsignal(signal.SIGINT)
    with uninterrupted():
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        heard.append("done")
    assert heard == ["done", "interrupted"]
    assert signal.getsignal(signal.SIGINT) is handler


def test_an_error_is_not_hidden_by_an_interrupt(heard: list[str]) -> None:
    def interrupted() -> None:
        with uninterrupted():
            signal.raise_signal(signal.SIGINT)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        interrupted()
    signal.raise_signal(signal.SIGINT)
    assert heard == ["interrupted"]


def test_what_is_ignored_stays_ignored(heard: list[str]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with uninterrupted():
        signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    assert heard == []


def test_a_thread_has_no_handlers_to_change(heard: list[str]) -> None:
    def body() -> None:
        with uninterrupted():
            heard.append("done")

    thread = Thread(target=body)
    thread.start()
    thread.join()
    assert heard == ["done"]

"""Tiers, ties and words of recognition, on formats made for the test; text from bytes."""

import gzip
from pathlib import Path

import pytest

from lccmodel.errors import FileError
from lccmodel.reading import recognise as room
from lccmodel.reading.found import LOOSE, SIGNATURE, STRICT, Format, Found
from lccmodel.reading.recognise import recognise
from lccmodel.reading.text import Text


def _format(name: str, kind: str, tier: int, mark: str, also: tuple[str, ...] = ()) -> Format:
    def read(text: Text) -> Found:
        others = tuple(Found(other, name, ()) for other in also)
        return Found(kind, name, text.lines, (), str(text.path), others)

    return Format(name, kind, tier, lambda t: mark in t.content, read, f"tool of {name}",
                  f"--{kind} {{path}}", also=also)  # fmt: skip


KNOWN = (
    _format("links", "network", LOOSE, "a"),
    _format("rows", "traffic", LOOSE, "a"),
    _format("grammar", "traffic", STRICT, "ab"),
    _format("first", "network", SIGNATURE, "abc"),
    _format("second", "traffic", SIGNATURE, "xyz", ("placement",)),
    _format("both", "traffic", SIGNATURE, "#"),
    _format("both", "network", SIGNATURE, "#"),
)


def _name(content: str, role: str | None = None) -> str:
    return recognise(Text.typed(content, "f.txt"), role, KNOWN).name


@pytest.mark.parametrize(
    ("content", "role", "name"),
    [
        ("ab", "network", "grammar"),  # the highest tier decides, whatever the role
        ("abc", "network", "first"),
        ("a", "network", "links"),  # the role decides between loose shapes
        ("a", "traffic", "rows"),
    ],
)
def test_tiers_and_roles(content, role, name):
    assert _name(content, role) == name
    assert recognise(Text.typed("#"), role, KNOWN).kind == role, "of one format with both"


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        ("abc xyz", r"f\.txt: .* tool of first .* and like tool of second"),
        ("", "must not be empty"),
        ("!", "known format"),
    ],
)
def test_what_is_no_one_format_is_refused(content, rule):
    with pytest.raises(FileError, match=rule):
        _name(content, "traffic")


def test_another_kind_is_named_with_its_command(monkeypatch):
    matching = room._matching
    monkeypatch.setattr(room, "_matching", lambda text, role, _: matching(text, role, KNOWN))
    with pytest.raises(FileError, match=r"contains a network, as .* first: --network f\.t"):
        room.read(Text.typed("abc", "f.txt"), "traffic")
    assert room.read(Text.typed("xyz", "f.txt"), "placement").kind == "placement"


@pytest.mark.parametrize(
    "raw",
    [
        b"0 1\n1 0\n", b"\xef\xbb\xbf0 1\n1 0\n", "0 1\n1 0\n".encode("utf-16"), b"0 1\r\n1 0\r\n",
        b"0 1\r1 0\r", b"[1,0]<stdout>: 0 1\n[1,1]<stdout>: 1 0\n",
        b"\xfe\xff" + "0 1\r\n1 0\r\n".encode("utf-16-be"),
    ],
)  # fmt: skip
def test_bytes_of_every_encoding_are_the_same_lines(raw, tmp_path):
    for name, content in (("plain", raw), ("packed", gzip.compress(raw))):
        (tmp_path / name).write_bytes(content)
        assert Text.at(tmp_path / name).lines == ["0 1", "1 0"]


def test_bytes_of_no_text_are_refused_with_the_line(tmp_path):
    with pytest.raises(FileError, match=r"f:2: must be text in UTF-8"):
        assert Text(Path("f"), b"a\n\xff\n").content
    assert Text(Path("f"), b"\0\1").content == ""

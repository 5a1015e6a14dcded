"""What the sources of the theorems say: sentences, definitions with their meaning, statements.

A source is cut into sentences as the prover cuts it, and each must begin with one of the words of
`SENTENCES`. So a theorem rests on definitions that are listed here, on lemmas that are proved, and
on the prover's library. The first comment of a file gives each definition a line of meaning:

    held Z S u == the messages at router u after the bits in S

A statement reaches a definition whose name occurs in it, in what is declared around it, or in a
definition that it reaches: rather one too many than one too few.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

DEFINING = ["Definition", "Fixpoint", "Record", "Notation"]
DECLARING = ["Variables", "Variable", "Hypotheses", "Hypothesis", "Implicit Types"]
DECLARING += ["Let", "Local Notation"]
SETTING = ["Section", "End", "From", "Import", "Local Open Scope", "Set Implicit Arguments"]
SETTING += ["Unset Strict Implicit", "Unset Printing Implicit Defensive"]
SENTENCES = [*DEFINING, *DECLARING, *SETTING, "Theorem", "Lemma", "Proof", "Qed"]
HEAD = re.compile("(?:" + "|".join(SENTENCES) + r")\b")
DEFINED = re.compile(r"\w+\s+([\w']+)")
CLAIMS = re.compile(r"\(\*\* Claims: ([^*]*)\. \*\)\s*\Z")
CLAIM = re.compile(r"([\w.]+)(?: \(([^()]*)\))?(?:, *|$)")
MEANING = re.compile(r"^ {3}(\w+)( [^=\n]*?)? == (.*(?:\n {6,}.*)*)", re.MULTILINE)
WORD = re.compile(r"[A-Za-z_][\w']*")


@dataclass(frozen=True)
class Definition:
    """A definition as written, what its sections declare before it, and its meaning in words."""

    name: str
    file: str
    source: str
    around: tuple[str, ...]
    usage: str
    meaning: str


@dataclass(frozen=True)
class Theorem:
    """A theorem as written, what its sections declare before it, and the claims that it proves.

    A claim of which it proves a part has the part beside it.
    """

    name: str
    file: str
    statement: str
    around: tuple[str, ...]
    claims: dict[str, str]


@dataclass(frozen=True)
class Source:
    """What a file defines and proves; `trusted` are sentences of any other kind, as written."""

    definitions: list[Definition]
    theorems: list[Theorem]
    trusted: list[str]


def read(file: str, text: str) -> Source:
    """The definitions and theorems of a file, in order."""
    header = text.partition("*)")[0]
    meanings = {m[1]: (m[1] + (m[2] or ""), _flat(m[3])) for m in MEANING.finditer(header)}
    source = Source([], [], [])
    sections: list[list[str]] = [[]]
    for before, sentence in _sentences(text):
        head = HEAD.match(sentence)
        kind = head[0] if head else ""
        around = tuple(declared for section in sections for declared in section)
        if kind == "Section":
            sections.append([])
        elif kind == "End":
            sections.pop()
        elif kind in DECLARING:
            sections[-1].append(_flat(sentence))
        elif kind in DEFINING:
            name = _name(sentence)
            usage, meaning = meanings.get(name, (name, ""))
            source.definitions.append(Definition(name, file, sentence, around, usage, meaning))
        elif kind == "Theorem":
            claims = CLAIMS.search(before)
            proved = dict(CLAIM.findall(_flat(claims[1]))) if claims else {}
            statement = sentence.removeprefix("Theorem ").removesuffix(".")
            source.theorems.append(Theorem(_name(sentence), file, statement, around, proved))
        elif not kind:
            source.trusted.append(_flat(sentence))
    return source


def reached(theorems: Sequence[Theorem], definitions: Sequence[Definition]) -> list[Definition]:
    """The definitions that some statement reaches, in the order of the files."""
    known: dict[str, list[Definition]] = {}
    for definition in definitions:
        for name in _introduced(definition):
            known.setdefault(name, []).append(definition)
    collected: set[Definition] = set()
    waiting = [(theorem.file, theorem.statement, theorem.around) for theorem in theorems]
    while waiting:
        file, text, around = waiting.pop()
        for word in set(WORD.findall(" ".join((text, *around)))):
            named = known.get(word, [])
            for definition in [d for d in named if d.file == file] or named:
                if definition not in collected:
                    collected.add(definition)
                    waiting.append((definition.file, definition.source, definition.around))
    return [definition for definition in definitions if definition in collected]


def _introduced(definition: Definition) -> list[str]:
    """The names that a definition brings: of a record its constructor and fields too."""
    names = [definition.name]
    if definition.source.startswith("Record"):
        names += re.findall(r":=\s*(\w+)\s*\{", definition.source)
        names += re.findall(r"[{;]\s*(\w+)\s*:", definition.source)
    return names


def _sentences(text: str) -> Iterator[tuple[str, str]]:
    """Sentences outside proofs, without comments, each with the text before it."""
    start, proving = 0, False
    for end in _ends(text):
        piece = _uncommented(text[start:end])
        sentence = piece.strip()
        if sentence in ("Proof.", "Qed."):
            proving = sentence == "Proof."
        elif not proving:
            bare = sentence.splitlines()
            at = text.index(bare[0], start) if bare else start
            yield text[start:at], sentence
        start = end
    left = _uncommented(text[start:]).strip()
    if left:
        yield "", left


def _ends(text: str) -> Iterator[int]:
    """Where sentences end: a full stop before white space, outside comments and strings."""
    at, depth, quoted = 0, 0, False
    while at < len(text):
        if quoted:
            quoted = text[at] != '"'
        elif text.startswith("(*", at):
            depth, at = depth + 1, at + 1
        elif depth and text.startswith("*)", at):
            depth, at = depth - 1, at + 1
        elif not depth and text[at] == '"':
            quoted = True
        elif not depth and text[at] == "." and (text[at + 1 : at + 2] or " ").isspace():
            yield at + 1
        at += 1


def _uncommented(text: str) -> str:
    kept, depth, at = [], 0, 0
    while at < len(text):
        if text.startswith("(*", at):
            depth, at = depth + 1, at + 2
        elif depth and text.startswith("*)", at):
            depth, at = depth - 1, at + 2
        else:
            kept += [text[at]] * (depth == 0)
            at += 1
    return "".join(kept)


def _name(sentence: str) -> str:
    match = DEFINED.match(sentence)
    assert match is not None
    return match[1]


def _flat(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()

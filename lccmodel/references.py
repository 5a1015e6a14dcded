"""The five papers that the toolkit builds on, as machine-readable references.

A value of the library names its source as `(paper, place)`, e.g. `("hou", "Example 3")`; here the
paper's key leads to its BibTeX entry. Only what the papers themselves and their citations of each
other state is recorded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from unicodedata import normalize

from lccmodel.ground.words import checked_word

__all__ = ["REFERENCES", "Reference", "reference"]


@dataclass(frozen=True, slots=True)
class Reference:
    """A paper: key, authors, title, year (None if undated), BibTeX type and further fields.

    >>> reference("sibeyn").short
    'Sibeyn 1990'
    """

    key: str
    authors: tuple[str, ...]
    title: str
    year: int | None
    entry_type: str
    fields: tuple[tuple[str, str], ...]

    @property
    def short(self) -> str:
        """Family names and year, as in running text; "undated" without a year.

        >>> reference("hou").short
        'Hou et al., undated'
        >>> reference("calmant").short
        'Díaz de Cerio et al. 2002'
        """
        names = [_accented(author.split(",")[0]) for author in self.authors]
        people = " and ".join(names) if len(names) <= 2 else f"{names[0]} et al."
        return f"{people}, undated" if self.year is None else f"{people} {self.year}"

    @property
    def bibtex(self) -> str:
        """The BibTeX entry, ASCII only.

        >>> print(reference("sibeyn").bibtex)
        @techreport{sibeyn,
          author = {Sibeyn, Jop F.},
          title = {Matrix Techniques for Faster Routing of Affine Permutations on a Mesh \
Interconnection Network},
          year = {1990},
          institution = {Department of Computer Science, Utrecht University},
          number = {RUU-CS-90-19},
          month = {4}
        }
        """
        fields = [("author", " and ".join(self.authors)), ("title", self.title)]
        fields += [] if self.year is None else [("year", str(self.year))]
        fields += self.fields
        body = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields)
        return f"@{self.entry_type}{{{self.key},\n{body}\n}}"


def _accented(name: str) -> str:
    """A name of BibTeX with its acute accents as letters."""
    return normalize("NFC", re.sub(r"\{\\'(\w)\}", "\\1\N{COMBINING ACUTE ACCENT}", name))


def reference(key: str) -> Reference:
    """Return the paper with this key: "hou", "boppana", "calmant", "edelman" or "sibeyn".

    Raises:
        InputError: there is no such key.

    >>> reference("sibeyn").short
    'Sibeyn 1990'
    """
    checked_word("paper", key, REFERENCES)
    return REFERENCES[key]


_PAPERS = (
    Reference(
        "hou",
        ("Hou, Yomin", "Wang, Chien-Min", "Ku, Chiu-Yu", "Hsu, Lih-Hsing"),
        "Optimal Processor Mapping for Linear-Complement Communication on Hypercubes and Their "
        "Variations",
        None,
        "techreport",
        (
            ("institution", "National Chiao-Tung University and Academia Sinica, Taiwan"),
            ("note", "Undated; the latest work it cites is of 1998"),
        ),
    ),
    Reference(
        "boppana",
        ("Boppana, Rajendra", "Raghavendra, C. S."),
        "Optimal Self-Routing of Linear-Complement Permutations in Hypercubes",
        1990,
        "inproceedings",
        (
            ("booktitle", "The Fifth Distributed Memory Computing Conference"),
            ("pages", "800--808"),
            ("month", "4"),
        ),
    ),
    Reference(
        "calmant",
        (
            r"D{\'i}az de Cerio, L.",
            r"Valero-Garc{\'i}a, M.",
            r"Gonz{\'a}lez, A.",
        ),
        "Hypercube Algorithms on Mesh Connected Multicomputers",
        2002,
        "article",
        (
            ("journal", "IEEE Transactions on Parallel and Distributed Systems"),
            ("volume", "13"),
            ("number", "12"),
        ),
    ),
    Reference(
        "edelman",
        ("Edelman, A.", "Heller, S.", "Johnsson, S. L."),
        "Index Transformation Algorithms in a Linear Algebra Framework",
        1994,
        "article",
        (
            ("journal", "IEEE Transactions on Parallel and Distributed Systems"),
            ("volume", "5"),
            ("number", "12"),
        ),
    ),
    Reference(
        "sibeyn",
        ("Sibeyn, Jop F.",),
        "Matrix Techniques for Faster Routing of Affine Permutations on a Mesh Interconnection "
        "Network",
        1990,
        "techreport",
        (
            ("institution", "Department of Computer Science, Utrecht University"),
            ("number", "RUU-CS-90-19"),
            ("month", "4"),
        ),
    ),
)

REFERENCES: Mapping[str, Reference] = MappingProxyType({paper.key: paper for paper in _PAPERS})
"""Paper key -> reference."""

"""What the prover computed (`proofs_check/formal/*.txt`), and bits to compute it with once more."""

import itertools
from pathlib import Path

from proofs_check import walk

FORMAL = Path(walk.__file__).parent / "formal"
Bits = tuple[int, ...]
Rows = tuple[Bits, ...]


def proved(name: str, n: int) -> list[str]:
    """The digits of every line for this n."""
    lines = (FORMAL / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return [line.split()[1] for line in lines if line.startswith(f"{n} ")]


def digits(numbers) -> str:
    return "".join(str(int(number)) for number in numbers)


def words(n: int) -> list[Bits]:
    return list(itertools.product((0, 1), repeat=n))


def matrices(n: int) -> list[Rows]:
    return list(itertools.product(words(n), repeat=n))


def number(bits: Bits) -> int:
    return sum(bit << i for i, bit in enumerate(bits))


def unit(n: int) -> Rows:
    return tuple(tuple(int(r == c) for c in range(n)) for r in range(n))


def apply(A: Rows, x: Bits) -> Bits:
    return tuple(sum(a * c for a, c in zip(row, x, strict=True)) % 2 for row in A)


def plus(x: Bits, y: Bits) -> Bits:
    return tuple(a ^ c for a, c in zip(x, y, strict=True))


def sent(A: Rows, b: Bits) -> list[tuple[Bits, Bits]]:
    """The messages of y = Ax + b."""
    return [(x, plus(apply(A, x), b)) for x in words(len(b))]

"""The catalogue against every pixel and every address, moved one by one.

[hou, section 2, Examples 1, 3 and 5].
"""

from itertools import product

import numpy as np
import pytest

from lccmodel.communication import catalog
from lccmodel.communication.lcc import LCC
from lccmodel.errors import CommunicationError, InputError, SizeLimitError
from lccmodel.references import REFERENCES

PARAMETERS = {
    "translation": "translation:5",
    "exchange": "exchange:1",
    "shift": "shift:2",
    "bit-reverse-part": "bit-reverse-part:1,3",
    "bit-permute-complement": "bit-permute-complement:2-0-1-3,5",
}


def bits(value: int, n: int) -> list[int]:
    return [value >> i & 1 for i in range(n)]


def number(coordinates: list[int]) -> int:
    return sum(bit << i for i, bit in enumerate(coordinates))


# -- pixel by pixel -----------------------------------------------------------------------------


def picture_after(communication: LCC, a: int, b: int, turned: bool) -> np.ndarray:
    """Move the pixels of a 2^a by 2^b picture of distinct values, row 0 at the bottom."""
    memory = np.arange(1 << (a + b))
    result = np.full_like(memory, -1)
    for source, destination in communication.pairs():
        assert result[destination] == -1
        result[destination] = memory[source]
    width = b if turned else a
    return result.reshape(-1, 1 << width)


@pytest.mark.parametrize(("a", "b"), [(4, 4), (1, 1), (3, 2), (1, 3), (0, 2), (2, 0)])
def test_hou_example_5_every_pixel_against_numpy(a, b):
    """np.rot90 and np.flip turn the picture as it is seen, with row 0 on top."""
    n = a + b
    seen = np.arange(1 << n).reshape(1 << b, 1 << a)[::-1]  # row 0 (py = 0) at the bottom
    cases = [
        (catalog.rotate90_clockwise(n, a), np.rot90(seen, -1), True),
        (catalog.rotate90_counterclockwise(n, a), np.rot90(seen), True),
        (catalog.rotate180(n), np.rot90(seen, 2), False),
        (catalog.reflect_vertical(n, a), np.fliplr(seen), False),
        (catalog.reflect_horizontal(n, a), np.flipud(seen), False),
        (catalog.reflect_diagonal(n, a), np.rot90(seen, 2).T, True),
        (catalog.reflect_antidiagonal(n, a), seen.T, True),
    ]
    for turn, quarter in ((catalog.rotate90_clockwise, -1), (catalog.rotate90_counterclockwise, 1)):
        upside_down = np.rot90(seen[::-1], quarter)[::-1]  # py points down
        cases.append((turn(n, a, "down"), upside_down, True))
    for communication, expected, turned in cases:
        moved = picture_after(communication, a, b, turned)[::-1]
        assert moved.tolist() == expected.tolist(), communication.name


@pytest.mark.parametrize(("a", "b"), [(4, 4), (1, 1), (2, 3)])
def test_hou_example_5_3_every_pixel(a, b):
    spread = product(range(1 << a - 1), range(1 << b - 1), (0, 1), (0, 1))
    expected = {((y << a) + x, ((2 * y + dy) << a) + 2 * x + dx) for x, y, dx, dy in spread}
    assert set(map(tuple, catalog.scale2(a + b, a).pairs().tolist())) == expected


@pytest.mark.parametrize(("a", "b"), [(4, 4), (2, 3), (0, 2), (3, 0)])
def test_hou_example_5_5_and_transposes_every_pixel(a, b):
    """Rows or columns in bit-reversed order; element (i, j) to (j, i)."""
    rows, columns = catalog.fft_rows(a + b, a), catalog.fft_columns(a + b, a)
    transpose = catalog.matrix_transpose(a + b, a)
    for y, x in product(range(1 << b), range(1 << a)):
        node = (y << a) + x
        assert rows.destination(node) == (y << a) + number(bits(x, a)[::-1])
        assert columns.destination(node) == (number(bits(y, b)[::-1]) << a) + x
        assert transpose.destination(node) == (x << b) + y


# -- address by address -------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_permutations_of_address_bits_by_arithmetic(n):
    """Definitions as arithmetic on node numbers, for every node."""
    size = 1 << n
    for x in range(size):
        text = format(x, f"0{n}b")
        assert catalog.identity(n).destination(x) == x
        assert catalog.bit_reverse(n).destination(x) == int(text[::-1], 2)
        assert catalog.fft(n).destination(x) == int(text[::-1], 2)
        assert catalog.reverse_flip(n).destination(x) == size - 1 - int(text[::-1], 2)
        assert catalog.vector_reversal(n).destination(x) == size - 1 - x
        assert catalog.perfect_shuffle(n).destination(x) == (2 * x) % size + 2 * x // size
        assert catalog.unshuffle(n).destination(x) == x // 2 + (x % 2) * size // 2
        assert catalog.gray_code(n).destination(x) == x ^ x >> 1
        assert catalog.inverse_gray_code(n).destination(x ^ x >> 1) == x
        for k in range(n):
            rotated = text[k:] + text[:k]  # the most significant bit is printed first
            assert catalog.shift(n, k).destination(x) == int(rotated, 2)
            assert catalog.exchange(n, k).destination(x) == x ^ 1 << k
            coordinates = bits(x, n)
            coordinates[0], coordinates[k] = coordinates[k], coordinates[0]
            assert catalog.butterfly(n, k).destination(x) == number(coordinates)
        for vector in range(size):
            assert catalog.translation(n, vector).destination(x) == x ^ vector


def test_shift_is_periodic_and_composes():
    assert catalog.shift(5, 7) == catalog.shift(5, 2)
    assert catalog.shift(5, -3) == catalog.shift(5, 2)
    assert catalog.shift(5, 1) == catalog.perfect_shuffle(5)
    assert catalog.shift(5, -1) == catalog.unshuffle(5)
    assert catalog.shift(5, 0) == catalog.identity(5)


def test_bit_permute_complement_by_definition():
    c = catalog.bit_permute_complement([2, 0, 1], [1, 0, 1])
    for x in range(8):
        x0, x1, x2 = bits(x, 3)
        assert bits(c.destination(x), 3) == [x2 ^ 1, x0, x1 ^ 1]


def test_bit_reverse_part_covers_the_axes():
    assert catalog.bit_reverse_part(8, 0, 4) == catalog.fft_rows(8)
    assert catalog.bit_reverse_part(8, 4, 8) == catalog.fft_columns(8)
    assert catalog.bit_reverse_part(8, 0, 8) == catalog.bit_reverse(8)
    assert catalog.bit_reverse_part(8, 3, 4) == catalog.identity(8)


# -- the registry -------------------------------------------------------------------------------


@pytest.mark.parametrize("entry", catalog.entries(), ids=lambda entry: entry.name)
def test_every_entry_is_complete_and_its_name_builds_it_again(entry):
    made = catalog.build(PARAMETERS.get(entry.name, entry.name), 4)
    assert catalog.build(made.name, 4) == made
    assert catalog.entry(made) is entry
    assert entry.reference[0] in REFERENCES
    assert entry.paper.bibtex.startswith("@")
    assert all((entry.title, entry.description, getattr(catalog, entry.name.replace("-", "_"))))
    assert entry.usage.startswith(entry.name)


WITH_OPTIONS = """
    matrix-transpose:3 rotate90-clockwise:3,down rotate90-clockwise:y_axis=down butterfly:2
    rotate90-counterclockwise:y-axis=down,width_bits=3 scale2:1 shift:-1
    bit-permute-complement:order=3-2-1-0,complement=15
"""


@pytest.mark.parametrize("name", WITH_OPTIONS.split())
def test_names_with_optional_parameters_build_again(name):
    made = catalog.build(name, 4)
    again = catalog.build(made.name, 4)
    assert (again, again.name) == (made, made.name)


def test_n_from_one_to_64():
    for entry in catalog.entries():
        if entry.name in PARAMETERS:
            continue
        large = catalog.build(entry.name, 64)
        assert (large.n, large.kind) == (64, "scatter" if entry.name == "scale2" else "permutation")
        if "[:" not in entry.usage or entry.name == "butterfly":
            assert catalog.build(entry.name, 1).n == 1


@pytest.mark.parametrize(
    ("name", "n", "message"),
    [
        ("bit-revers", 4, "did you mean 'bit-reverse'"),
        ("bit-reverse", None, "needs the number of address bits"),
        ("bit-reverse", 0, "at least 1"),
        ("bit-reverse", 65, "at most 64"),
        ("bit-reverse", 2.5, "integer"),
        ("bit-reverse:3", 4, "must be typed bit-reverse"),
        ("exchange", 4, "must state k"),
        ("exchange:4", 4, "0..3"),
        ("exchange:a", 4, "integer"),
        ("exchange:q=3", 4, "parameters n, k"),
        ("exchange:1,k=1", 4, "twice"),
        ("matrix-transpose", 3, "even for a square shape"),
        ("rotate90-clockwise:2,left", 4, "y_axis"),
        ("scale2:0", 2, "quarter"),
        ("scale2", 1, "even"),
        ("translation:16", 4, "complement"),
        ("bit-reverse-part:2,2", 4, "low < high"),
        ("bit-reverse-part:0,5", 4, "0..4"),
        ("bit-permute-complement:0-0", 2, "permutation of 0..1"),
        ("bit-permute-complement:1-0", 3, "n = 3 entries"),
        ("bit-permute-complement:1-0,4", 2, "complement"),
        ("bit-permute-complement:x", 2, "hyphens"),
    ],
)
def test_bad_names_and_parameters(name, n, message):
    with pytest.raises((CommunicationError, SizeLimitError), match=message):
        catalog.build(name, n)


@pytest.mark.parametrize(
    "call",
    [
        lambda: catalog.build("butterfly:1", 3, k=2),
        lambda: catalog.build("butterfly", 3, depth=2),
        lambda: catalog.build("bit-permute-complement", 3, order="012"),
        lambda: catalog.translation(3, [0, 1]),
        lambda: catalog.translation(3, [0, 1, 2]),
        lambda: catalog.bit_permute_complement([]),
        lambda: catalog.identity(0),
        lambda: catalog.bit_reverse(-1),
        lambda: catalog.vector_reversal(0),
    ],
)
def test_bad_arguments_are_input_errors(call):
    with pytest.raises(InputError):
        call()


def test_order_states_n():
    assert catalog.build("bit-permute-complement:1-2-0").n == 3
    assert catalog.build("bit_permute_complement", order=np.array([1, 0]), complement=[1, 0]).n == 2


def test_what_a_name_has_to_state_is_what_its_function_has_no_value_for():
    stated = {
        entry.name: [p.name for p in entry.parameters if p.required] for entry in catalog.entries()
    }
    for name, required in stated.items():
        for left_out in required:
            with pytest.raises(InputError, match=left_out):
                catalog.build(name, 4)
        if not required:
            assert catalog.build(name, 4).n == 4
    assert {len(required) > 0 for required in stated.values()} == {True, False}

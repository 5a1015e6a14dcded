"""What is taken for a permutation, and what for an order: by trying everything that is small."""

import contextlib
from itertools import permutations, product

import pytest

from lccmodel import LCC
from lccmodel.communication.destinations import checked_order, destinations_of, linear_complement_of
from lccmodel.errors import CommunicationError, InputError, NotLinearComplement


@pytest.mark.parametrize("size", [1, 2, 4])
def test_a_permutation_sends_to_every_node_once(size):
    """Of all sequences of -1..size, those that are 0..size-1 in some order, and no other."""
    accepted = set()
    for given in product(range(-1, size + 1), repeat=size):
        with contextlib.suppress(CommunicationError):
            assert destinations_of(given).tolist() == list(given)
            accepted.add(given)
    assert accepted == set(permutations(range(size)))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([0, 3, 1, 3], "node 3 receives 2 messages"),
        ([0, 1, 4, 3], r"0\.\.3; got 4"),
        ([0, 1, -1, 3], r"0\.\.3; got -1"),
        *(([*range(k)], rf"2\^n destinations; got {k}") for k in (0, 3, 5, 6, 7)),
        *((bad, "must be an LCC, or a seq") for bad in ([[0, 1]], [0.0, 1.0], 1, "01", [[0], [1]])),
        *((singular, "A is nonsingular") for singular in (LCC([[0]]), LCC.scatter([[0]]))),
    ],
)
def test_what_is_wrong_is_named(given, words):
    with pytest.raises(CommunicationError, match=words):
        destinations_of(given)


def test_which_permutations_of_eight_nodes_are_linear_complement():
    """8 |GL(3, 2)| = 1344 of 8!; some are tried, and the LCC sends what the list says."""
    found = 0
    for given in list(permutations(range(8)))[::29]:
        affine = all(
            given[x] ^ given[y] ^ given[z] == given[x ^ y ^ z]
            for x, y, z in product(range(8), repeat=3)
        )
        if affine:
            c = linear_complement_of(given)
            assert [c.destination(x) for x in range(8)] == list(given)
            found += 1
        else:
            with pytest.raises(NotLinearComplement, match="; sort instead") as caught:
                linear_complement_of(given, "sort instead")
            assert caught.value.witness
    assert found > 20
    with pytest.raises(CommunicationError, match="at least two nodes"):
        linear_complement_of([0])


@pytest.mark.parametrize("n", [0, 1, 2, 3])
@pytest.mark.parametrize("complete", [True, False])
def test_an_order_names_bits_once(n, complete):
    """All bits of 0..n-1 in some order, or some of them; of all tuples of -1..n."""
    for length in range(n + 2):
        for bits in product(range(-1, n + 1), repeat=length):
            right = len(set(bits)) == length and all(0 <= bit < n for bit in bits)
            if right and (length == n or not complete):
                assert checked_order(bits, n, complete) == bits
            else:
                with pytest.raises(InputError) as caught:
                    checked_order(bits, n, complete, "bits")
                assert caught.value.argument == "bits"

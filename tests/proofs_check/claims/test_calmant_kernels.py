"""The counting, replaying and moving behind calmant.*, against slow plain programs.

[calmant, Theorems 3 and 4, sections 3.2 and 4.2, appendix A.3].
"""

import itertools

import networkx as nx
import numpy as np
import pytest

from proofs_check.claims.calmant_embedding import (
    _least_of_all,
    mesh_distances,
    smallest_cuts,
    total_dilation,
)
from proofs_check.claims.calmant_exchange import delivers
from proofs_check.claims.calmant_loads import above, printed_bound, printed_load
from proofs_check.claims.calmant_mesh import (
    axes_counts,
    bound,
    coordinates,
    dimension_loads,
    largest_load,
    line_bound,
    replayed,
    task_domain,
    with_cases,
)
from proofs_check.claims.calmant_pipeline import item_packets, pipelined
from proofs_check.claims.calmant_whole import obey, stored

pytestmark = pytest.mark.usefixtures("uncompiled")

MESHES = [(1, 1), (4, 1), (2, 2), (4, 2), (6, 2), (3, 3), (6, 3), (4, 4)]


def path_of(d, c, n, k):
    """The directed links of a message, by coordinates, axis after axis."""
    label = coordinates(d, c)
    here, target = list(label[n]), label[n ^ 1 << k]
    links = []
    for a in range(c):
        while here[a] != target[a]:
            before = tuple(here)
            here[a] += 1 if target[a] > here[a] else -1
            links.append((before, tuple(here)))
    return links


@pytest.mark.parametrize(("d", "c"), MESHES)
def test_links_are_counted_on_shortest_paths_of_the_grid(d, c):
    """The walked links are a shortest path of a networkx grid, and each is counted once."""
    graph = nx.grid_graph([1 << d // c] * c)
    label, loads = coordinates(d, c), dimension_loads(d, c)
    assert {tuple(x) for x in label.tolist()} == set(graph) or c == 1
    side = 1 << d // c
    for k in range(d):
        counted = np.zeros_like(loads[k])
        for n in range(1 << d):
            links = path_of(d, c, n, k)
            if c > 1:
                ends = [tuple(label[m].tolist()) for m in (n, n ^ 1 << k)]
                assert len(links) == nx.shortest_path_length(graph, *ends)
            for before, after in links:
                a = next(j for j in range(c) if before[j] != after[j])
                at = sum(x * side**j for j, x in enumerate(before))
                counted[a, int(after[a] < before[a]), at] += 1
        assert (counted == loads[k]).all()


def plain_replay(steps, i, d, c):
    """The first step in which a link or port is used twice, or None."""
    label = coordinates(d, c).tolist()
    used = {}
    for q, n in itertools.product(range(len(steps)), range(1 << d)):
        step = int(steps[q][n])
        things = path_of(d, c, n, i + q)
        things += [("from", tuple(label[n])), ("to", tuple(label[n ^ 1 << i + q]))]
        for thing in things:
            used[step, thing] = used.get((step, thing), 0) + 1
    return min((step for (step, _), count in used.items() if count > 1), default=None)


@pytest.mark.parametrize(
    ("d", "c", "i", "M"), [(3, 1, 0, 3), (4, 2, 0, 3), (4, 2, 1, 3), (3, 3, 0, 3)]
)
def test_a_replay_finds_the_first_step_with_a_conflict(d, c, i, M):
    random = np.random.default_rng(7)
    seen = set()
    for trial in range(60):
        spread = 2 + trial * 4
        steps = random.integers(0, spread, (M, 1 << d))
        first, found = plain_replay(steps, i, d, c), replayed(steps, i, d, c)
        seen.add(first is None)
        assert found.steps == steps.max() + 1
        if first is None:
            assert found.conflict is None
        else:
            assert found.conflict.startswith(f"step {first}:")
    assert False in seen
    apart = np.arange(M << d).reshape(M, -1)
    assert replayed(apart, i, d, c) == (M << d, None)


def test_every_kind_of_conflict_has_its_words():
    assert replayed(np.zeros((2, 4), int), 0, 2, 1).conflict.endswith("one node sends both")
    assert replayed(np.zeros((1, 8), int), 1, 3, 1).conflict.endswith("a link carries both")
    chain = np.array([[1, 0, 2, 3], [4, 5, 6, 0]])  # 3 -> 1, then 1 -> 0: one after the other
    assert replayed(chain, 0, 2, 1).conflict is None
    star = np.array([[5, 0, 6, 7], [8, 9, 0, 10]])  # 1 -> 0 on axis 0, 2 -> 0 on axis 1
    assert replayed(star, 0, 2, 2).conflict == (
        "step 0: processes 1 -> 0 and 2 -> 0, one node receives both"
    )
    assert replayed(np.full((1, 2), -1), 0, 1, 1).conflict == "a message has no step"


@pytest.mark.parametrize(("d", "c"), [(6, 1), (8, 2), (9, 3), (8, 4)])
def test_axes_counted_as_lines_give_the_bound_of_the_mesh(d, c):
    for i in range(d):
        for M in range(1, d - i + 1):
            load = largest_load(range(i, i + M), d, c)
            assert line_bound(i, M, c) == (load, bound(i, M, d, c))
            assert (load, max(load, M)) == (printed_load(i, M, c), printed_bound(i, M, c))


def test_domains_state_their_sizes():
    domain = task_domain({2: 8, 3: 9}, lambda c: (c + 1, 2 * c - 1))
    assert domain.dimensions == (4, 6, 8, 9)
    for n in domain.dimensions:
        assert domain.size(n) == domain.span(n)
    assert axes_counts(12, {1: 12, 2: 10, 3: 12}) == [1, 3]
    assert axes_counts(4, {2: 10, 4: 8}, least=2) == [2]
    assert with_cases(lambda n: 1, 3) is None


# -- placements --------------------------------------------------------------------------------


@pytest.mark.parametrize("d", [1, 2, 3])
def test_smallest_cuts_by_trying_all_sets(d):
    edges = [(n, n ^ 1 << k) for n in range(1 << d) for k in range(d) if n < n ^ 1 << k]
    for size in range((1 << d) + 1):
        least = min(
            sum((a in chosen) != (b in chosen) for a, b in edges)
            for chosen in map(set, itertools.combinations(range(1 << d), size))
        )
        assert smallest_cuts(d)[size] == least


@pytest.mark.parametrize("seed", range(6))
def test_all_placements_are_tried(seed):
    """Any distances will do; the least over 4! placements of a square."""
    distance = np.random.default_rng(seed).integers(0, 1000, (4, 4))
    distance = distance + distance.T
    orders = itertools.permutations(range(4))
    assert _least_of_all(distance, 2) == min(total_dilation(distance, np.array(o)) for o in orders)


@pytest.mark.slow
@pytest.mark.parametrize("c", [1, 3])
def test_all_placements_of_eight_processes(c):
    distance = mesh_distances(3, c)
    orders = itertools.permutations(range(8))
    assert _least_of_all(distance, 3) == min(total_dilation(distance, np.array(o)) for o in orders)


# -- rules -------------------------------------------------------------------------------------


def test_lemma_2_is_for_three_axes_at_most():
    """Section 2.1 has c = 2, 3; with more axes there is a difference, first at ⟨5,11⟩_5."""
    assert above(5, 11, 5) == 1
    assert next((i, M) for M in range(1, 20) for i in range(18) if above(i, M, 4)) == (4, 13)


def test_words_that_are_spoiled_are_seen():
    """A letter left out, a word too few; two swapped, where every node is always busy."""
    full = 0
    for words in stored():
        assert obey(words)
        first, *others = words.lines
        word = first[0]
        at = next(k for k in range(1, len(word)) if word[k] != word[0])
        swapped = word[at] + word[1:at] + word[0] + word[at + 1 :]
        less = word.replace(word[at], ".", 1) if word[at] != "." else word.replace(word[0], ".", 1)
        spoiled = [(less, *first[1:]), first[1:]]
        if sum(many for _, many in words.runs) == words.steps:
            full += 1
            spoiled.append((swapped, *first[1:]))
        for wrong in spoiled:
            assert not obey(words._replace(lines=(wrong, *others)))
    assert full


# -- pipelines, exchanges ----------------------------------------------------------------------


@pytest.mark.parametrize(("d", "Q"), [(1, 1), (1, 5), (4, 1), (4, 3), (4, 4), (3, 9)])
def test_packet_p_of_a_dimension_goes_p_iterations_after_the_first(d, Q):
    wanted = [[(j, t - j) for j in range(d) if 0 <= t - j < Q] for t in range(d + Q - 1)]
    assert pipelined(d, Q) == wanted


def test_packets_are_as_even_as_may_be():
    for N, Q in itertools.product(range(1, 12), range(1, 12)):
        if N < Q:
            continue
        sizes = np.bincount(item_packets(N, Q), minlength=Q)
        assert sizes.sum() == N
        assert sizes.max() - sizes.min() <= 1


def plain_exchange(d, B, Q, natural):
    """Dictionaries of items, one process after another; whether all is delivered."""
    held = [{(j, b): (n, n ^ j, b) for j in range(1 << d) for b in range(B)} for n in range(1 << d)]
    packet = item_packets(B << d - 1, Q)
    for iteration in range(d + Q - 1):
        moved = []
        for i in range(d):
            blocks = [j for j in range(1 << d) if j >> i & 1]
            items = [(j, b) for j in (blocks if natural else blocks[::-1]) for b in range(B)]
            now = [at for at, p in zip(items, packet, strict=True) if p == iteration - i]
            moved += [(n ^ 1 << i, at, held[n][at]) for n in range(1 << d) for at in now]
        for n, at, item in moved:
            held[n][at] = item
    return all(held[n][j, b] == (n ^ j, n, b) for n in range(1 << d) for j, b in held[n])


@pytest.mark.parametrize(("d", "B"), [(1, 1), (1, 3), (2, 2), (3, 1), (3, 2), (4, 1)])
def test_exchanges_by_hand(d, B):
    for Q, natural in itertools.product(range(1, (B << d - 1) + 1), (False, True)):
        assert delivers(d, B, Q, natural) == plain_exchange(d, B, Q, natural)

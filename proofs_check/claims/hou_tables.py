"""[hou], Tables 1 and 2: the parallel FFT on an 8-cube, every printed entry.

Communication times are cycles of worms, simulated by `hou_worms`, as 164 µs + 0.57 µs a cycle;
a processor sends its 16 · 2^(2d) bytes as one message with a header flit. Computation is counted
butterfly by butterfly. Numbers are decimals, rounded half up once.

P-cube and Li's rule are simulated under several rules for ties, of which [hou] says nothing. What
Chiu, MIXab3, MIXbb3 and Min do it does not say either: their columns are the subject of
`hou_turns`. So none of the columns of adaptive routing functions is decided.
"""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from functools import lru_cache

import numpy as np

from lccmodel.ground.published import HOU_NCUBE2, HOU_TABLE_1, HOU_TABLE_2, Entries
from proofs_check.claim import Amended, Control, Finding, Reading, Stated, Tried, Undecided, claim
from proofs_check.claims.hou_examples import degrees
from proofs_check.claims.hou_images import BIT_REVERSE, destinations, reverse
from proofs_check.claims.hou_worms import ECUBE, MIN, PCUBE, TIES, Sent, all_at_once, run
from proofs_check.domain import Enumerated, Listed
from proofs_check.orders import all_orders
from proofs_check.stations import in_place

STATED = Stated(place="Section 6.2, Table 1")


COLUMNS_1 = ("comp", "nb", "ecube", "chiu", "min", "mixab3", "mixbb3", "pcube", "map")
COLUMNS_2 = ("comp", "nb", "ecube", "map", "speedup", "sum", "mapped sum", "total speedup")
LATENCY, PER_BYTE, BUTTERFLY, HALF = HOU_NCUBE2
LOGS = (8, 10, 12, 14)


def _entries(table: Entries, columns: tuple[str, ...]) -> dict[tuple[int, str], Decimal]:
    return {
        (points.bit_length() - 1, column): entry
        for points, entries in table.items()
        for column, entry in zip(columns, entries, strict=True)
    }


PRINTED = _entries(HOU_TABLE_1, COLUMNS_1)
PRINTED_2 = _entries(HOU_TABLE_2, COLUMNS_2)


def column(name: str) -> Listed:
    """The four entries of a column of Table 1."""
    cases = [(lg, PRINTED[lg, name]) for lg in LOGS]
    return Listed(8, cases, names="lg m, printed", text=f"column {name} of Table 1", size=4)


def rounded(value: Decimal, places: int = 1, how: str = ROUND_HALF_UP) -> Decimal:
    """To so many decimals.

    >>> rounded(Decimal("2248.85")), rounded(Decimal("2248.85"), how=ROUND_HALF_EVEN)
    (Decimal('2248.9'), Decimal('2248.8'))
    """
    return value.quantize(Decimal(1).scaleb(-places), how)


def flits(lg: int) -> int:
    """Flits of a message: 2^(2d) complex numbers of 16 bytes, and the header."""
    return (16 << lg - 8) + 1


def time(cycles: int) -> Decimal:
    """Time of a message in µs."""
    return LATENCY + cycles * PER_BYTE


def hidden(printed: Decimal, latency: Decimal = LATENCY) -> list[int]:
    """The numbers of cycles whose time is printed like this.

    >>> hidden(Decimal("248.9")), hidden(Decimal("248.6"))
    ([149], [])
    """
    about = int((printed - latency) / PER_BYTE)
    return [k for k in range(about - 2, about + 3) if rounded(latency + k * PER_BYTE) == printed]


# -- columns that come out ------------------------------------------------------------------


@lru_cache(maxsize=16)
def butterflies(n: int, lg: int) -> tuple[int, int]:
    """(whole butterflies, halves) that each processor computes, counted input by input."""
    d = (lg - n) // 2
    x = np.arange(1 << lg)
    processor = x >> d & (1 << n) - 1
    whole, half = np.zeros(1 << n, dtype=np.int64), np.zeros(1 << n, dtype=np.int64)
    for stage in range(lg):
        at_home = processor[x ^ 1 << stage] == processor
        whole += np.bincount(processor[at_home], minlength=1 << n) // 2
        half += np.bincount(processor[~at_home], minlength=1 << n)
    assert len({*whole.tolist()}) == len({*half.tolist()}) == 1, "all compute alike"
    return int(whole[0]), int(half[0])


@claim(
    "hou.tab1.comp",
    says="the computation takes the printed time, at 5.12 µs a butterfly and 4.47 µs a half",
    latex=r"2d \cdot 2^{2d-1} \cdot 5.12 + n \cdot 2^{2d} \cdot 4.47",
    over=column("comp"),
    evidence="the butterflies of every processor counted, stage by stage and input by input",
    control=Control("a half takes half the time of a butterfly", half=BUTTERFLY / 2),
)
def tab1_comp(lg: int, printed: Decimal, *, half: Decimal = HALF) -> Finding:
    wholes, halves = butterflies(8, lg)
    found = wholes * BUTTERFLY + halves * half
    return Finding(rounded(found) == printed, found=found, butterflies=wholes, halves=halves)


@lru_cache(maxsize=16)
def neighbour_cycles(lg: int) -> tuple[int, ...]:
    """Cycles of the exchange with the neighbours in every dimension."""
    sent = [all_at_once(np.arange(256) ^ 1 << k) for k in range(8)]
    return tuple(int(run(each, flits(lg))[1].max()) for each in sent)


@claim(
    "hou.tab1.nb",
    says="the eight exchanges with neighbours take the printed time",
    latex=r"8 (164 + 0.57 (F + 2))",
    over=column("nb"),
    evidence="every exchange simulated flit by flit, the times added up and rounded once",
    control=Control("the cycle of the injection channel not counted", less=1),
)
def tab1_nb(lg: int, printed: Decimal, *, less: int = 0) -> Finding:
    cycles = neighbour_cycles(lg)
    found = sum((time(each - less) for each in cycles), Decimal(0))
    return Finding(rounded(found) == printed, found=found, cycles=cycles, flits=flits(lg))


@lru_cache(maxsize=2048)
def reversal_cycles(
    lg: int, rule: str = ECUBE, tie: str = TIES[0], seed: int = 1, early: bool = False
) -> int:
    """Cycles of the bit reversal when all processors send at once."""
    sent = all_at_once(destinations(BIT_REVERSE))
    return int(run(sent, flits(lg), rule, tie, seed=seed, early=early)[1].max())


@claim(
    "hou.tab1.ecube",
    says="the bit reversal takes the printed time with e-cube routing: 8F + 13 cycles for F flits",
    latex=r"164 + 0.57 (8F + 13)",
    over=column("ecube"),
    evidence="240 worms simulated flit by flit; every rule for ties gives the same",
    control=Control("a channel granted a cycle earlier", early=True),
)
def tab1_ecube(lg: int, printed: Decimal, *, early: bool = False) -> Finding:
    cycles = {tie: reversal_cycles(lg, tie=tie, early=early) for tie in TIES}
    agree = all(rounded(time(each)) == printed for each in cycles.values())
    return Finding(agree, cycles=cycles, stated=8 * flits(lg) + 13, found=time(cycles[TIES[0]]))


@lru_cache(maxsize=4)
def orders_of_degree(degree: int) -> list[tuple[int, ...]]:
    """The orders of 8 bits in which bit-reverse has this degree of contention."""
    chosen = all_orders(8)[degrees((BIT_REVERSE,))[:, 0] == degree]
    return [tuple(order) for order in chosen.tolist()]


def placed(order: tuple[int, ...]) -> Sent:
    """The bit reversal between the places of the processors, all at once."""
    place = [in_place(x, order) for x in range(256)]
    goes = np.arange(256)
    goes[place] = np.array(place)[destinations(BIT_REVERSE)]
    return all_at_once(goes)


@lru_cache(maxsize=64)
def mapped_cycles(lg: int, degree: int) -> list[int]:
    """Cycles of the bit reversal for 12 orders of this degree, spread over all of them."""
    orders = orders_of_degree(degree)
    chosen = orders[:: max(1, len(orders) // 11)]
    return [int(run(placed(order), flits(lg))[1].max()) for order in chosen]


@claim(
    "hou.tab1.map",
    says="after the mapping the bit reversal takes the printed time: F + 9 cycles for F flits",
    latex=r"164 + 0.57 (F + 9)",
    over=column("map"),
    evidence="orders without contention found by walking all 8!; for 12 of them, spread over all, "
    "the worms simulated flit by flit",
    control=Control("orders of degree 2", degree=2),
)
def tab1_map(lg: int, printed: Decimal, *, degree: int = 1) -> Finding:
    cycles = mapped_cycles(lg, degree)
    agree = all(rounded(time(each)) == printed for each in cycles)
    count = len(orders_of_degree(degree))
    return Finding(agree, cycles=sorted(set(cycles)), stated=flits(lg) + 9, orders=count)


# -- Table 2 --------------------------------------------------------------------------------


def _exact(lg: int) -> dict[str, Decimal]:
    """The times before they are rounded."""
    wholes, halves = butterflies(8, lg)
    return {
        "comp": wholes * BUTTERFLY + halves * HALF,
        "nb": sum((time(each) for each in neighbour_cycles(lg)), Decimal(0)),
        "ecube": time(reversal_cycles(lg)),
        "map": time(mapped_cycles(lg, 1)[0]),
    }


@claim(
    "hou.tab2",
    place="Section 6.2, Table 2",
    says="the sums and speed-ups of Table 2 follow from the times of Table 1",
    latex=r"t = t_{comp} + t_{nb} + t_{rev}",
    over=Listed(
        8,
        [(lg, entry, PRINTED_2[lg, entry]) for lg in LOGS for entry in COLUMNS_2],
        names="lg m, column, printed",
        text="every entry of Table 2",
        size=32,
    ),
    evidence="decimal arithmetic on the simulated times",
    control=Control("a half rounded to even", how=ROUND_HALF_EVEN),
    reading=Reading(
        "the sums are those of unrounded times. For 2^10 points the entries of Table 1 add up "
        "to 2248.8, and their unrounded values to 2248.85",
        unrounded=True,
    ),
)
def tab2(
    lg: int, column: str, printed: Decimal, *, unrounded: bool = False, how: str = ROUND_HALF_UP
) -> Finding:
    exact = _exact(lg)
    times = exact if unrounded else {name: PRINTED[lg, name] for name in exact}
    rest = times["comp"] + times["nb"]
    values = dict(times) | {
        "speedup": times["ecube"] / times["map"],
        "sum": rest + times["ecube"],
        "mapped sum": rest + times["map"],
        "total speedup": (rest + times["ecube"]) / (rest + times["map"]),
    }
    places = 2 if "speedup" in column else 1
    return Finding(rounded(values[column], places, how) == printed, found=values[column])


@claim(
    "hou.sec6.faster",
    place="Section 6.2, after Table 2",
    says=(
        "the speed-up of the bit reversal by the mapping grows with the number of points and "
        "stays below the ideal 8. It is 6.43 for 2^14 points, where the program runs 1.41 "
        "times as fast"
    ),
    latex=r"T_{rev}/T'_{rev} \le 2^{n/2-1}",
    over=Listed(8, range(8, 19, 2), names="lg m", text="2^8 to 2^18 points", size=6),
    evidence="simulated times; 'about 41 % faster' is the ratio of the execution times",
    control=Control("the ideal is 4", ideal=4),
    reading="41 % faster means 1.41 times as fast; the program takes 29 % less time",
)
def sec6_faster(lg: int, *, ideal: int = 8) -> Finding:
    now, before = _exact(lg), _exact(lg - 2) if lg > 8 else {"ecube": Decimal(1), "map": Decimal(1)}
    speedup, earlier = now["ecube"] / now["map"], before["ecube"] / before["map"]
    rest = now["comp"] + now["nb"]
    total = (rest + now["ecube"]) / (rest + now["map"])
    ok = earlier < speedup < ideal
    if lg == 14:
        stated = (Decimal("6.43"), Decimal("1.41"))
        ok &= (rounded(speedup, 2), rounded(total, 2)) == stated
    return Finding(ok, speedup=rounded(speedup, 3), total=rounded(total, 3))


# -- the program ------------------------------------------------------------------------------


def _stages(n: int) -> list[tuple[int, int, int]]:
    """(n, d, stage) for d = 0, 1, 2; stage 0 is the bit reversal."""
    return [(n, d, stage) for d in range(3) for stage in range(n + 2 * d + 1)]


@claim(
    "hou.sec6.stages",
    place="Section 6.2, Parallel_FFT",
    says="with input x on processor (x_d, ..., x_(n+d-1)) the bit-reverse permutation of the "
    "inputs is a bit-reverse of the processors; in stage i of the butterflies both inputs are on "
    "one processor for i <= d and i > n+d, else on neighbours along dimension i-(d+1)",
    latex=r"p(x) = (x_d, \ldots, x_{n+d-1})",
    over=Enumerated(
        _stages,
        size=lambda n: 3 * (n + 1) + 6,
        names="n, d, stage",
        text="every stage for d = 0, 1, 2",
    ),
    evidence="every input and its partner looked up",
    control=Control("neighbours along dimension i-d", shift=0),
)
def sec6_stages(n: int, d: int, stage: int, *, shift: int = 1) -> bool:
    lg = n + 2 * d
    for x in range(1 << lg):
        if stage == 0:
            if reverse(x, lg) >> d & (1 << n) - 1 != reverse(x >> d & (1 << n) - 1, n):
                return False
            continue
        here, there = (each >> d & (1 << n) - 1 for each in (x, x ^ 1 << stage - 1))
        dimension = stage - d - shift
        expected = here if stage <= d or stage > n + d else here ^ 1 << dimension
        if there != expected:
            return False
    return True


@claim(
    "hou.sec6.sizes",
    place="Section 6.2, Parallel_FFT and Table 1",
    says="the sizes of Table 1 are 2^(n+2d) for n = 8 and a positive integer d",
    latex=r"m = 2^{n+2d},\ d \ge 1",
    over=Listed(8, LOGS, names="lg m", text="the sizes of Table 1", size=4),
    evidence="arithmetic",
    control=Control("d at most 2", most=2),
    reading=Reading("d is not negative; the first row has d = 0", least=0),
)
def sec6_sizes(lg: int, *, least: int = 1, most: int = 99) -> Finding:
    d, rest = divmod(lg - 8, 2)
    return Finding(rest == 0 and least <= d <= most, d=d)


# -- the columns of adaptive routing functions -------------------------------------------------


SEEDS = range(1, 101)


@lru_cache(maxsize=16)
def outcomes(lg: int, rule: str) -> dict[str, list[int]]:
    """Cycles of the bit reversal under every rule for ties; for random ties those of all seeds.

    Ties fall the same for every length of the messages, as 17 flits are more than a path has
    channels: so seeds with equal cycles for 17 flits are tried once.
    """
    found = {tie: [reversal_cycles(lg, rule, tie)] for tie in TIES[:-1]}
    alike: dict[int, int] = {}
    for seed in SEEDS:
        alike.setdefault(reversal_cycles(8, rule, TIES[-1], seed), seed)
    drawn = {reversal_cycles(lg, rule, TIES[-1], seed) for seed in alike.values()}
    return found | {f"{TIES[-1]}, {len(SEEDS)} seeds": sorted(drawn)}


@claim(
    "hou.tab1.li",
    place="beside section 6.2, Table 1",
    says="with the rule that Li's paper [14] is known for, no turn into a lower dimension whose "
    "bit is cleared, the bit reversal takes 8F + 13 cycles, as with e-cube and one more than is "
    "behind column min, under every fixed rule for ties, and never less under random ones: 8 "
    "messages must use 00010000 -> 00000000, and first come first served lets that of node "
    "11110000 be the last",
    latex=r"164 + 0.57 (8F + 13)",
    over=column("min"),
    evidence="240 worms simulated flit by flit under five rules for ties, random ones 100 times",
    control=Control("a cycle more for 2^14 points", late=1),
)
def tab1_li(lg: int, printed: Decimal, *, late: int = 0) -> Finding:
    found = list(outcomes(lg, MIN).values())
    stated = 8 * flits(lg) + 13 + (late if lg == LOGS[-1] else 0)
    fixed = all(each == [stated] for each in found[:-1]) and hidden(printed) == [stated - 1]
    return Finding(fixed and min(found[-1]) == stated, stated=stated, simulated=found)


@claim(
    "hou.tab1.pcube",
    says="the bit reversal takes the published time with P-cube routing [11]",
    over=column("pcube"),
    evidence="240 worms simulated flit by flit",
    control=Control("the entries of e-cube", entries="ecube"),
    undecided=Undecided(
        "which header goes first if several reach a router in the same cycle. The published "
        "rule, first come first served, does not decide ties. P-cube, which is cited without "
        "a definition, is taken to clear bits before it sets any",
        (
            Tried("ties at random, some of 100 seeds; the other rows hold", ties=TIES[-1]),
            *(Tried(f"ties: {tie}", ties=tie) for tie in TIES[:-1]),
        ),
    ),
)
def tab1_pcube(lg: int, printed: Decimal, *, ties: str, entries: str = "pcube") -> Finding:
    cycles = hidden(PRINTED[lg, entries])[0]
    (found,) = (each for name, each in outcomes(lg, PCUBE).items() if name.startswith(ties))
    return Finding(cycles in found, behind_the_print=cycles, simulated=found)


@claim(
    "hou.tab1.pcube.random",
    place="beside section 6.2, Table 1",
    says="with P-cube some of 100 seeds of random ties give the printed times for 2^10, 2^12 and "
    "2^14 points, 14F + 19 cycles; for 2^8 points, where the print is not on that line (238 "
    "cycles, not 257), none of the rules and seeds that are tried does",
    over=column("pcube"),
    evidence="240 worms simulated flit by flit under five rules for ties, random ones 100 times",
    control=Control("for 2^14 points nothing does either", but=(8, 14)),
)
def tab1_pcube_random(lg: int, printed: Decimal, *, but: tuple[int, ...] = (8,)) -> Finding:
    cycles, found = hidden(printed)[0], outcomes(lg, PCUBE)
    given = any(cycles in each for each in found.values())
    return Finding(given != (lg in but), behind_the_print=cycles, simulated=found)


@claim(
    "hou.sec6.adaptive",
    place="Section 6.2, on Table 1",
    says="in Table 1 the partially adaptive routing functions are worse than e-cube",
    printed="the performances of those partially adaptive routing strategies are not so good as "
    "expected, and even worse than e-cube routing",
    over=Listed(
        8,
        [(lg, name) for lg in LOGS for name in COLUMNS_1[3:8]],
        names="lg m, column",
        text="every entry of an adaptive routing in Table 1",
        size=20,
    ),
    evidence="the printed times",
    control=Control("better than e-cube", sign=-1),
    amended=Amended(
        "the partially adaptive routing functions are worse, except Min, which is better by one "
        "cycle in every row",
        control=Control("all but Min and MIXbb3", but=("min", "mixbb3")),
        but=("min",),
    ),
)
def sec6_adaptive(lg: int, column: str, *, but: tuple[str, ...] = (), sign: int = 1) -> Finding:
    cycles = [hidden(PRINTED[lg, name])[0] for name in (column, "ecube")]
    more = sign * (cycles[0] - cycles[1])
    return Finding(more == -1 if column in but else more > 0, cycles=cycles[0], ecube=cycles[1])

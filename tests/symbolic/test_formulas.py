"""The papers' formulas against counts: tasks, machines, exchanges, permutations, unit steps."""

import math
from fractions import Fraction

import pytest
import sympy

import lccmodel as lcc
from lccmodel.errors import InputError
from lccmodel.permutations.exchanges.bits import count_elementary_factorizations
from lccmodel.permutations.partitioned.counting import list_partitioned
from lccmodel.permutations.self_routing import self_route
from lccmodel.permutations.self_routing.counts import linear_complement_permutations
from lccmodel.permutations.simd_mesh import simd_mesh_route
from lccmodel.pipelining.cost.steps import MODELS, steps, total_steps
from lccmodel.pipelining.degree import optimal_degree
from lccmodel.pipelining.degree import time as counted_time
from lccmodel.pipelining.machine import Machine
from lccmodel.pipelining.methods import exchange_time
from lccmodel.pipelining.paper_rules import paper_steps
from lccmodel.pipelining.task import Task
from lccmodel.symbolic import FORMULAS, Formula, all_formulas, formula, symbols
from tests.choosing import fast_only, sampled, slow

COSTS = {"alpha": 7, "tau": Fraction(1, 3), "b": 2}
MACHINES = [(1, "16"), (2, "8x8"), (3, "4x4x4")]


@pytest.mark.parametrize("c", fast_only([1, 2, 3], 1))
def test_loads_bounds_and_steps_of_tasks(c):
    """λ⟨i,M⟩_c, LB⟨i,M⟩_c, and P⟨i,M⟩_c in the paper's schedules written out rule by rule."""
    mesh = "mesh:" + "x".join(["8"] * c)
    for i in range(3 * c):
        for M in range(1, 3 * c - i + 1):
            task = Task(i, M, mesh)
            for name, counted in (
                ("link-load", steps(task, "load")),
                ("lower-bound", steps(task, "lower-bound")),
                ("task-steps", int(paper_steps(task, as_drawn=True).max()) + 1),
            ):
                assert formula(name, c=c).at(i=i, M=M) == counted
                assert formula(name).at(i=i, M=M, c=c) == counted


OTHERS = [  # network, values of the sides, Q
    *((f"mesh:{1 << a}x{1 << 5 - a}", {"a": a}, ()) for a in (1, 2, 3, 4)),
    *(("torus:32", {"c": 1}, ()), ("torus:4x4", {"c": 2}, ()), ("torus:2x2x2", {"c": 3}, ())),
    *(("mesh:2x4", {"a": 1}, (2,)), ("torus:8", {"c": 1}, (2,))),
    *(
        slow((f"mesh:{1 << a}x{1 << d - a}", {"a": a}, (2, d)))
        for d, a in ((8, 1), (8, 3), (8, 6), (9, 5))
    ),
    *(
        slow((f"torus:{'x'.join([str(1 << d // c)] * c)}", {"c": c}, (1, 3, d, d + 2)))
        for c, d in ((1, 9), (2, 10), (3, 9), (4, 8))
    ),
]


@pytest.mark.parametrize(("spec", "sides", "degrees"), OTHERS)
def test_loads_and_steps_of_tori_and_of_two_sides(spec, sides, degrees):
    """λ of every window against messages counted on links; P(d,Q) is their sum over stages."""
    d, kind = Task.whole(spec).M, "torus" if "c" in sides else "two-sides"
    load = formula(f"link-load-{kind}").expression.subs({**sides, "d": d})
    for i in range(d):
        for M in range(1, d - i + 1):
            assert load.subs({"i": i, "M": M}) == Task(i, M, spec).max_load, (spec, i, M)
    for Q in degrees:
        assert formula(f"steps-{kind}").at(d=d, Q=Q, **sides) == total_steps(spec, Q, "load")


@pytest.mark.parametrize(("c", "mesh"), MACHINES)
@pytest.mark.parametrize("model", sampled(MODELS, 2))
def test_times_and_rests(c, mesh, model):
    """T of the four models; the rest is what is missing from the load model."""
    machine = Machine(mesh, alpha=7, tau="1/3", barrier=2)
    d = machine.d
    rest = formula("rest", c=c, first=model, second="load")
    for Q in (1, 2, d, d + 3):
        T = formula("time", c=c, model=model).at(d=d, Q=Q, N=60, **COSTS)
        assert T == counted_time(machine, 60, Q, model)
        P = [formula("steps", c=c, model=name).at(d=d, Q=Q) for name in (model, "load")]
        assert rest.at(d=d, Q=Q) == P[0] - P[1]


BASELINES = [
    *(("baseline", {"c": c}, f"mesh:{mesh}", {}) for c, mesh in MACHINES),
    *(("baseline-torus", {}, "torus:" + "x".join(["2"] * c), {"c": c}) for c in (1, 2)),
    *(("baseline-torus", {}, spec, {"c": c}) for c, spec in ((1, "torus:16"), (2, "torus:8x8"))),
    *(
        ("baseline-two-sides", {"kind": kind}, f"{kind}:{1 << a}x{1 << b}", {"a": a})
        for kind in ("mesh", "torus")
        for a, b in ((1, 1), (1, 3), (2, 1), (2, 4))
    ),
]


@pytest.mark.parametrize(("name", "arguments", "spec", "sides"), BASELINES)
def test_baselines(name, arguments, spec, sides):
    machine = Machine(spec, alpha=7, tau="1/3", barrier=2)
    T = formula(name, **arguments).at(d=machine.d, N=60, **sides, **COSTS)
    assert T == counted_time(machine, 60, 1)


@pytest.mark.parametrize(
    ("c", "mesh"), [*MACHINES, (1, "2"), (2, "4x4"), (2, "16x16"), slow((3, "8x8x8"))]
)
@pytest.mark.parametrize("model", ["load", "lower-bound", "schedule", "paper"])
def test_the_border_of_the_best_degree(c, mesh, model):
    """The best Q is at most d exactly for N <= N*: P = A + B Q from Q = d on."""
    machine = Machine(mesh, alpha=7, tau="1/3", barrier=2)
    border, d = formula("border", c=c, model=model), machine.d
    excluded = {"load": (3,), "paper": (1, 2, 4)}.get(model, (1,))
    if (c > 1 or d == 1) and (d == 1 or d // c in excluded):
        with pytest.raises(InputError, match="d: must satisfy"):
            border.at(d=d, **COSTS)
        return
    N_star = border.at(d=d, **COSTS)
    for N in range(max(1, math.floor(N_star) - 2), math.floor(N_star) + 4):
        assert (optimal_degree(machine, N, model).Q <= d) == (N <= N_star)


@pytest.mark.parametrize(
    "method",
    ["baseline", "binary", "quadrant", "quadrant-overlapped", "direct", "store-and-forward"],
)
def test_methods_of_complete_exchange(method):
    f = formula("exchange", method=method)
    for c, mesh in MACHINES:
        machine = Machine(mesh, alpha=7, tau="1/3")
        counted = exchange_time(method, machine, 5)
        assert f.at(d=machine.d, c=c, B=5, alpha=7, tau=Fraction(1, 3)) == counted


@pytest.mark.parametrize(("c", "mesh"), [(1, "2"), (1, "16"), (2, "4x4"), (2, "8x8"), (3, "4x4x4")])
def test_hybrid_exchange_is_the_best_of_its_blocks(c, mesh):
    machine = Machine(mesh, alpha=7, tau="1/3")
    f = formula("exchange", method="hybrid")
    values = {"d": machine.d, "c": c, "B": 5, "alpha": 7, "tau": Fraction(1, 3)}
    times = [f.at(k=k, **values) for k in range(machine.d // c)]
    assert min(times) == exchange_time("hybrid", machine, 5)
    with pytest.raises(InputError, match="must satisfy k < d/c"):
        f.at(k=machine.d // c, **values)


def test_the_cycles_of_the_fft_on_eight_dimensions():
    """The entries of [hou, Table 1] are those of 8F + 13, F + 9 and 8 (F + 2) cycles."""
    F = symbols("F")
    cycles = {"e-cube": 8 * F + 13, "map": F + 9, "neighbours": 8 * (F + 2)}
    for part, expected in cycles.items():
        found = formula("fft-cycles", part=part)
        assert sympy.expand(found.expression.subs({"n": 8}) - expected) == 0
        assert found.derived == (part != "e-cube")


@pytest.mark.slow
@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
def test_the_cycles_of_the_fft_are_simulated(n):
    from lccmodel.wormhole import parallel_fft

    for points in (1 << n, 1 << n + 2):
        plain = parallel_fft(points, f"cube:{n}")
        mapped = parallel_fft(points, f"cube:{n}", mapping="optimal")
        for part, counted in (
            ("neighbours", sum(plain.neighbour_cycles)),
            ("e-cube", plain.bit_reverse_cycles),
            ("map", mapped.bit_reverse_cycles),
        ):
            assert formula("fft-cycles", part=part).at(n=n, F=plain.flits) == counted


def test_numbers_of_permutations():
    """|LC_n| and |PLC_n| against lists, n^(n-2) against all factorizations of a cycle."""
    for n in (1, 2, 3):
        assert formula("linear-complement").at(n=n) == len(linear_complement_permutations(n))
        assert formula("partitioned").at(n=n) == len(list_partitioned(n))
    for n in (2, 3, 4):
        cycle = [(k + 1) % n for k in range(n)]
        counted = count_elementary_factorizations(cycle)
        assert formula("cycle-factorizations").at(n=n) == counted


@pytest.mark.parametrize(("a", "b"), [(1, 2), (2, 2), (2, 3)])
def test_steps_on_cubes_and_meshes(a, b):
    mesh, n = f"mesh:{1 << a}x{1 << b}", a + b
    opposite = lcc.catalog.vector_reversal(n)
    assert formula("self-routing").at(n=n) == self_route(opposite).steps
    for ports in ("all", "one", "one-direction"):
        run = self_route(opposite, network=mesh).on_mesh(ports)
        assert formula("self-routing-mesh", ports=ports).at(n=n, a=a) == sum(run.unit_steps)
    assert formula("simd-mesh").at(n=n, a=a) == simd_mesh_route(opposite, network=mesh).steps
    if a == b:  # every bit changes in one pass each, in both directions
        route = simd_mesh_route(opposite, numbering="shuffled-row-major")
        assert sum(formula("bit-complementation").at(i=i) for i in range(n)) == route.steps
    for bit in range(n):  # alone, bit i moves a message over D_i links of a mesh of c axes
        assert formula("distance", c=1).at(i=bit) == 1 << bit


@pytest.mark.slow
def test_one_alpha_in_every_formula():
    """`subs` with texts works in every formula: sympy makes plain symbols of them."""
    from lccmodel.collectives.formulas import closed_forms
    from lccmodel.collectives.steps import COLLECTIVES
    from lccmodel.pipelining import communication_time
    from lccmodel.symbolic import FAMILIES, contention, total_time

    expressions = [f.expression for f in all_formulas()]
    expressions += [form.time for name in COLLECTIVES for form in closed_forms(name)]
    expressions += [total_time(["bit-reverse"]), communication_time(None, "load")]
    expressions += [contention(word).total for word in FAMILIES if word != "translation"]
    fives = {entry.name: 5 for entry in symbols}
    with_alpha = 0
    for expression in expressions:
        free = expression.free_symbols
        assert all(symbol == sympy.Symbol(symbol.name) for symbol in free)
        assert all(symbol.name in symbols for symbol in free), free
        with_alpha += sympy.Symbol("alpha") in free
        assert sympy.Symbol("alpha") not in expression.subs({"alpha": 5}).free_symbols
        assert not expression.subs(fives).free_symbols & {symbols(name) for name in fives}
    assert with_alpha > 30


@pytest.fixture(scope="module")
def formulas() -> dict[str, Formula]:
    """One formula a name of the table."""
    return {f.name.partition("(")[0]: f for f in all_formulas()}


@pytest.mark.parametrize("name", FORMULAS)
def test_values_that_no_formula_has_are_refused(name, formulas):
    """Unknown names, missing ones, and values below the range of each symbol."""
    f = formulas[name]
    values = {symbol: symbols[symbol].minimum for symbol in f.symbols}
    with pytest.raises(InputError, match="has the symbols"):
        f.at(**values, nonsense=1)
    for symbol in f.symbols:
        with pytest.raises(InputError, match=rf"^{symbol}: must be"):
            f.at(**{**values, symbol: symbols[symbol].minimum - 1})
        rest = {other: value for other, value in values.items() if other != symbol}
        with pytest.raises(InputError, match="must be given"):
            f.at(**rest)


@pytest.mark.parametrize(
    ("name", "arguments", "rule"),
    [
        ("nonsense", {}, "must be one of distance"),
        ("time", {"Q": 3}, "takes c, model"),
        ("time", {"c": 2, "model": "best"}, "model: must be one of load"),
        ("exchange", {}, "needs method"),
        ("exchange", {"method": "levels"}, "minima over degrees or levels"),
        ("border", {"model": "schedule"}, "c: must be given"),
        ("baseline-two-sides", {"kind": "cube"}, 'kind: must be "mesh" or "torus"'),
        ("fft-cycles", {"part": "min"}, "part: must be one of neighbours"),
        ("distance", {"c": 0}, "c: must be at least 1"),
        ("self-routing-mesh", {"ports": "two"}, "ports: must be one of all"),
    ],
)
def test_what_is_no_formula_is_refused(name, arguments, rule):
    with pytest.raises(InputError, match=rule):
        formula(name, **arguments)


def test_a_value_outside_the_domain_is_refused():
    """`subs` of d = 5 into the form for c = 2 answers 25 + 300 sqrt(2) or the like."""
    f, ones = formula("baseline", c=2), {"d": 4, "N": 1, "alpha": 1, "tau": 1, "b": 0}
    assert f.expression.subs({**ones, "d": 5}).has(sympy.sqrt(2))
    for values, rule in (
        ({"d": 5}, r"d: must satisfy Eq\(Mod\(d, 2\), 0\); got 5"),
        ({"N": 1.5}, "N: must be an integer"),
        ({"alpha": -1}, "alpha: must be finite and at least 0"),
    ):
        with pytest.raises(InputError, match=rule):
            f.at(**{**ones, **values})
    with pytest.raises(InputError, match="d: must satisfy"):
        formula("steps-torus", c=2).at(d=5, Q=2)


def test_every_formula_has_symbols_of_the_table_and_a_source(formulas):
    assert list(formulas) == list(FORMULAS)
    for f in formulas.values():
        assert set(f.symbols) <= {entry.name for entry in symbols}
        assert f.source
        assert f.latex
        plain = {sympy.Symbol(name) for name in f.symbols}
        assert f.expression.free_symbols <= plain


def test_the_table_of_symbols():
    n, alpha = symbols("n alpha")
    assert n == sympy.Symbol("n")
    assert symbols.plain(symbols.assuming(n + alpha)) == n + alpha
    assert sympy.simplify(symbols.assuming(sympy.sqrt(n**2))) == symbols.assuming(n)
    assert "n" in symbols
    assert len(symbols) == len(list(symbols))
    with pytest.raises(InputError, match="must be one of n, i"):
        symbols("nonsense")

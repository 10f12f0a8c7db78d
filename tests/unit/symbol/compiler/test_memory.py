import itertools
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opforge.symbol.compiler.memory import ALIGNMENT, Use, plan_memory


def rounded(size):
    return -(-max(size, 1) // ALIGNMENT) * ALIGNMENT


def lives(uses):
    """First and last step of each value."""
    found = {}
    for at, use in enumerate(uses):
        for value in (*use.reads, *use.writes):
            found[value] = (found.get(value, (at, at))[0], at)
    return found


@st.composite
def programs(draw):
    """Return steps in single-assignment form, and sizes; some values are stored elsewhere."""
    sizes, uses, made = {}, [], []
    for at in range(draw(st.integers(1, 20))):
        reads = draw(st.lists(st.sampled_from(made), max_size=4)) if made else []
        writes = [f"{at}.{k}" for k in range(draw(st.integers(0, 3)))]
        for value in writes:
            if draw(st.integers(0, 9)):
                sizes[value] = draw(st.sampled_from([0, 1, 63, 64, 65, 128, 640, 1000]))
        pairs = st.tuples(
            st.integers(0, max(len(reads) - 1, 0)), st.integers(0, max(len(writes) - 1, 0))
        )
        in_place = draw(st.lists(pairs, max_size=4)) if reads and writes else []
        uses.append(Use(reads, writes, in_place))
        made += writes
    return uses, sizes


@given(programs())
def test_no_two_values_that_live_together_overlap(program):
    uses, sizes = program
    layout = plan_memory(uses, sizes)
    found = lives(uses)
    assert set(layout.offsets) == set(sizes) & set(found)
    for one in layout.offsets:
        begin, end = layout.offsets[one], layout.offsets[one] + rounded(sizes[one])
        assert begin % ALIGNMENT == 0
        assert end <= layout.nbytes
        for other in layout.offsets:
            start, stop = layout.offsets[other], layout.offsets[other] + rounded(sizes[other])
            if one == other or end <= start or stop <= begin:
                continue
            # Only the result of the step that read a value last may reuse its memory.
            first, second = sorted((one, other), key=lambda v: found[v])
            assert found[first][1] <= found[second][0], (one, other)
            if found[first][1] == found[second][0]:
                use = uses[found[second][0]]
                assert begin == start and rounded(sizes[one]) == rounded(sizes[other])
                assert use.reads.count(first) == 1
                assert (use.reads.index(first), use.writes.index(second)) in [
                    tuple(pair) for pair in use.in_place
                ]


@given(programs())
def test_the_arena_is_not_larger_than_all_values_together(program):
    uses, sizes = program
    layout = plan_memory(uses, sizes)
    assert layout.nbytes <= sum(rounded(size) for size in sizes.values())
    at_once = [
        sum(
            rounded(sizes[v])
            for v, (begin, end) in lives(uses).items()
            if begin < at < end and v in sizes
        )
        for at in range(len(uses))
    ]
    assert layout.nbytes >= max(at_once)


def test_an_in_place_chain_takes_one_slot():
    chain = [Use([], [0])] + [Use([k], [k + 1], [(0, 0)]) for k in range(50)]
    layout = plan_memory(chain, dict.fromkeys(range(51), 100))
    assert layout.nbytes == 128
    assert set(layout.offsets.values()) == {0}


def test_a_chain_without_in_place_operators_takes_two_slots():
    chain = [Use([], [0])] + [Use([k], [k + 1]) for k in range(50)]
    assert plan_memory(chain, dict.fromkeys(range(51), 100)).nbytes == 256


@pytest.mark.parametrize(
    ("reads", "pairs"), [(["a", "a"], [(0, 0), (1, 0)]), (["a", "b"], [(1, 0)]), (["a"], [])]
)
def test_live_values_are_not_overwritten(reads, pairs):
    uses = [Use([], ["a", "b"]), Use(reads, ["y"], pairs), Use(["b"], [])]
    layout = plan_memory(uses, {"a": 64, "b": 64, "y": 64})
    assert layout.offsets["y"] not in {layout.offsets[name] for name in reads}


def test_values_of_different_sizes_do_not_share_in_place():
    layout = plan_memory([Use([], ["a"]), Use(["a"], ["b"], [(0, 0)])], {"a": 64, "b": 128})
    assert layout.nbytes == 192


def test_neighbouring_gaps_are_joined():
    uses = [Use([], ["a", "b"]), Use(["a", "b"], []), Use([], ["c"])]
    assert plan_memory(uses, {"a": 64, "b": 64, "c": 128}).nbytes == 128


def test_the_last_gap_grows():
    uses = [Use([], ["a"]), Use(["a"], []), Use([], ["b"])]
    assert plan_memory(uses, {"a": 64, "b": 640}).nbytes == 640


def test_nothing_takes_nothing():
    assert plan_memory([], {}).nbytes == 0


def test_time_is_near_linear():
    def seconds(count):
        uses = [Use([], [0])]
        uses += [Use([k, max(k - 7, 0)], [k + 1], [(0, 0)]) for k in range(count)]
        sizes = {k: 64 * (1 + k % 13) for k in range(count + 1)}
        return min(_time_planning(uses, sizes) for _ in range(3))

    assert seconds(20_000) < 30 * seconds(2_000)


def _time_planning(uses, sizes):
    start = time.thread_time()
    plan_memory(uses, sizes)
    return time.thread_time() - start


@settings(max_examples=20)
@given(st.randoms())
def test_random_gaps_keep_the_arena_small(rng):
    """Many short lifetimes with few sizes: freed memory is found again."""
    uses, alive = [], []
    for at in range(300):
        dying = [alive.pop(rng.randrange(len(alive)))] if len(alive) > 10 else []
        uses.append(Use(dying, [at]))
        alive.append(at)
    sizes = {at: 64 * rng.choice([1, 2, 4]) for at in range(300)}
    assert plan_memory(uses, sizes).nbytes < 64 * 4 * 30


@st.composite
def programs_with_joins(draw):
    """Return steps of which some join or divide values; values are multiples of a unit."""
    sizes, uses = {}, []
    for at in range(draw(st.integers(1, 25))):
        kind = draw(st.sampled_from(["call", "join", "divide"])) if sizes else "call"
        known = sorted(sizes)
        if kind == "call":
            reads = draw(st.lists(st.sampled_from(known), max_size=3)) if known else []
            units, in_order = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3)), False
        elif kind == "join":
            reads = draw(st.lists(st.sampled_from(known), min_size=1, max_size=4))
            units, in_order = [sum(sizes[value] for value in reads) // ALIGNMENT], True
        else:
            reads = [draw(st.sampled_from(known))]
            units, in_order = [1] * (sizes[reads[0]] // ALIGNMENT), True
        writes = [f"{at:02}.{k:02}" for k in range(len(units))]
        sizes |= {value: n * ALIGNMENT for value, n in zip(writes, units, strict=True)}
        in_place = [(0, 0)] if reads and not in_order and draw(st.booleans()) else []
        uses.append(Use(reads, writes, in_place, in_order))
    return uses, sizes


@given(programs_with_joins())
def test_values_are_intact_until_read(program):
    """Run the steps on units that record their writers."""
    uses, sizes = program
    layout = plan_memory(uses, sizes)
    memory, contents = {}, {}

    def units(value):
        begin = layout.offsets[value] // ALIGNMENT
        return range(begin, begin + sizes[value] // ALIGNMENT)

    for use in uses:
        for value in use.reads:
            assert [memory[unit] for unit in units(value)] == contents[value]
        joined = [tag for value in use.reads for tag in contents[value]]
        for value in use.writes:
            made = [(value, k) for k in range(len(units(value)))]
            if use.in_order:
                made, joined = joined[: len(made)], joined[len(made) :]
            contents[value] = made
            memory |= zip(units(value), made, strict=True)


def test_joined_values_lie_in_the_whole():
    uses = [Use([], ["a"]), Use([], ["b"]), Use(["a", "b"], ["ab"], in_order=True)]
    uses += [Use(["ab"], ["c", "d"], in_order=True), Use(["c", "d", "b"], [])]
    layout = plan_memory(uses, {"a": 64, "b": 128, "ab": 192, "c": 64, "d": 128})
    assert layout.offsets["a"] == layout.offsets["ab"]
    assert layout.offsets["b"] == layout.offsets["ab"] + 64
    assert layout.nbytes == 192 * 2  # a value is part of another one


def test_wholes_are_parts_of_larger_ones():
    """Each layer of a dense block joins its result to all previous ones."""
    uses, sizes = [Use([], ["x0"])], {"x0": 64}
    for at in range(1, 6):
        uses += [Use([f"x{at - 1}"], [f"new{at}"])]
        uses += [Use([f"x{at - 1}", f"new{at}"], [f"x{at}"], in_order=True)]
        sizes |= {f"new{at}": 128, f"x{at}": 64 + 128 * at}
    layout = plan_memory([*uses, Use(["x5"], [])], sizes)
    assert layout.nbytes == sizes["x5"]
    assert {layout.offsets[f"x{at}"] for at in range(6)} == {0}
    for at in range(1, 6):
        assert layout.offsets[f"new{at}"] == sizes[f"x{at - 1}"]


def test_parts_are_divided_further():
    uses = [Use([], ["abc"]), Use(["abc"], ["a", "bc"], in_order=True)]
    uses += [Use(["bc"], ["b", "c"], in_order=True), Use(["a", "b", "c"], [])]
    layout = plan_memory(uses, {"abc": 192, "a": 64, "bc": 128, "b": 64, "c": 64})
    assert [layout.offsets[value] for value in ("a", "b", "c")] == [0, 64, 128]
    assert layout.nbytes == 192


@pytest.mark.parametrize(
    ("reads", "sizes"),
    [
        (["a", "a"], {"a": 64, "ab": 128}),
        (["a", "b"], {"a": 64, "b": 64}),
        (["a", "b"], {"a": 60, "b": 64, "ab": 124}),
        (["a", "b"], {"b": 64, "ab": 128}),
    ],
)
def test_conflicting_orders_are_copied(reads, sizes):
    uses = [Use([], ["a"]), Use([], ["b"]), Use(reads, ["ab"], in_order=True)]
    layout = plan_memory(uses, sizes)
    places = [(layout.offsets[v], layout.offsets[v] + rounded(n)) for v, n in sizes.items()]
    assert all(one[1] <= other[0] for one, other in itertools.pairwise(sorted(places)))

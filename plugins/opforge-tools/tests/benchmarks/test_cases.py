"""The table of cases: complete, without doubles, and found by name and by pattern."""

import re

import pytest
from opforge_tools.benchmarks.case import LIBRARIES
from opforge_tools.benchmarks.cases import CASES, find, select


def test_names_are_unique():
    names = [case.name for case in CASES]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_each_case_is_complete(case):
    assert case.opforge, "a case without opforge measures nothing of ours"
    # The cost of opforge's own C interface has no peer.
    assert case.torch or case.nd or case.program == "c_operators", "ratios are to a library"
    assert set(case.libraries) <= set(LIBRARIES)
    assert case.amount("nbytes") >= 0
    if case.share is not None:
        assert case.nbytes, "a share of the limit needs the amount"


@pytest.mark.parametrize(
    ("name", "nbytes"),
    [
        ("add, 1e7, existing output", 120_000_000),
        ("add, int8, 1e7, existing output", 30_000_000),
        ("exp, float16, 1e7, existing output", 40_000_000),
        ("sum, 1e7", 40_000_000),
        ("tile, 100x1000 by 80", 4 * 100_000 * 81),
    ],
)
def test_memory_that_is_moved(name, nbytes):
    assert find(name).amount("nbytes") == nbytes


def test_arithmetic_that_is_done():
    assert find("dot, 2048x2048x2048").amount("flops") == 2 * 2048**3
    weights = 784 * 128 + 128 * 64 + 64 * 10
    inference = find("MLP 784-128-64-10, inference, batch 1")
    assert inference.amount("flops") == 2 * weights
    lstm = "LSTM 128 to 256, 35 steps of 32"
    assert find(f"{lstm}, forward").amount("flops") == 2 * 35 * 32 * (128 + 256) * 4 * 256
    assert find(f"{lstm}, both").amount("flops") == 3 * find(f"{lstm}, forward").amount("flops")
    step = find("MLP 784-128-64-10, training step, batch 64")
    assert step.amount("flops") == 2 * 64 * (3 * weights - 784 * 128)


def test_a_pattern_is_searched_in_group_and_name():
    assert select("") == CASES
    assert {case.group for case in select("^networks")} == {"networks"}
    assert [case.name for case in select(r"sum, 1e7$")] == ["sum, 1e7"]
    with pytest.raises(re.error):
        select("[")


def test_an_unknown_name_is_a_key_error():
    with pytest.raises(KeyError, match="no such case"):
        find("no such case")

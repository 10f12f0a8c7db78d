"""What a case declares, and that it is the same at another size and after JSON."""

import json

import numpy as np
import pytest
from opforge_tools.benchmarks.case import Array, Case, evaluate

CASE = Case(
    "product",
    "group",
    opforge="nd.dot(a, b)",
    numpy="a @ b",
    sizes={"m": 3, "n": 500},
    arrays={"a": Array(("m", "n")), "b": Array(("n", "m"), "ones", "float64", True)},
    flops="2 * m * m * n",
)


def test_inputs_have_the_declared_shapes_and_types():
    inputs = CASE.inputs()
    assert inputs["a"].shape == (3, 500)
    assert inputs["a"].dtype == np.float32
    assert 0 <= inputs["a"].min() < inputs["a"].max() < 1
    assert inputs["b"].dtype == np.float64
    assert inputs["b"].tolist() == np.ones((500, 3)).tolist()


def test_inputs_are_the_same_each_time_and_other_arrays():
    first, second = CASE.inputs(), CASE.inputs()
    assert first["a"] is not second["a"]
    assert (first["a"] == second["a"]).all()
    assert (first["a"] != CASE.inputs(seed=1)["a"]).any()


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64"])
def test_integers_are_not_all_zero(dtype):
    values = Array(("n",), dtype=dtype).values({"n": 50}, np.random.default_rng(0))
    assert values.dtype == dtype
    assert len(set(values.tolist())) > 10


def test_integers_are_below_a_size():
    values = Array(("n",), dtype="int64", below="n // 10").values(
        {"n": 500}, np.random.default_rng(0)
    )
    assert set(values.tolist()) == set(range(50))


@pytest.mark.parametrize("count", [1, 40])
def test_matrices_are_well_conditioned(count):
    sizes, generator = {"k": 3, "n": count}, np.random.default_rng(0)
    definite = Array(("k", "n", "n"), "definite").values(sizes, generator)
    assert definite.dtype == np.float32
    np.testing.assert_array_equal(definite, np.swapaxes(definite, 1, 2))
    assert np.linalg.eigvalsh(definite).min() > 0.99
    triangular = Array(("k", "n", "n"), "triangular").values(sizes, generator)
    np.testing.assert_array_equal(triangular, np.tril(triangular))
    assert np.linalg.cond(triangular).max() < 10


def test_libraries_are_those_with_an_expression():
    assert CASE.libraries == ("opforge", "numpy")
    assert CASE.expression("torch") == ""


def test_amounts_follow_the_sizes():
    assert CASE.amount("flops") == 2 * 9 * 500
    assert CASE.resized(m=1).amount("flops") == 1000
    assert CASE.amount("nbytes") == 0


def test_at_most_bounds_every_size():
    assert CASE.at_most(8).sizes == {"m": 3, "n": 8}


def test_json_keeps_everything():
    assert Case.from_json(json.loads(json.dumps(CASE.as_json()))) == CASE


def test_expressions_of_sizes_see_nothing_else():
    with pytest.raises(NameError):
        evaluate("len([n])", {"n": 1})

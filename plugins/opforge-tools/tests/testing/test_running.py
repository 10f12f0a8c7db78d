import numpy as np
import pytest
from opforge_tools.testing._running import (
    Problem,
    hybridized,
    imperative,
    loaded,
    repeated,
    symbolic,
)

import opforge as mx
from opforge import nd

from .conftest import CountedProp


class Counting(mx.operator.CustomOp):
    """Returns its input and counts calls in a state."""

    def forward(self, is_train, req, in_data, out_data, aux):
        self.assign(out_data[0], req[0], in_data[0])
        self.assign(aux[0], "write", aux[0] + 1)

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        self.assign(in_grad[0], req[0], out_grad[0])


@mx.operator.register("running_counting")
class CountingProp(CountedProp):
    def create_operator(self, ctx, shapes, dtypes):
        return Counting()


def counted(F, x, count):
    return F.Custom(x, count, op_type="running_counting")


@pytest.mark.parametrize("way", [imperative, hybridized, symbolic, loaded])
def test_a_run_has_outputs_gradients_and_states(way):
    problem = Problem(counted, [np.ones(2), np.zeros(2)], 1, [0], True, 0)
    run = way(problem)
    assert [array.tolist() for array in run.outputs] == [[1, 1]]
    assert [array.tolist() for array in run.states] == [[1, 1]]
    (head,) = problem.heads([nd.ones(2, dtype="float64")])
    np.testing.assert_array_equal(run.grads[0], head.asnumpy())


def test_operators_without_gradients():
    run = imperative(Problem(lambda F, x: F.contrib.allclose(x, x), [np.ones(3)], 0, [0], True, 0))
    assert run.grads is None


def test_one_executor_runs_with_each_set_of_values():
    problems = [Problem(counted, [np.full(2, x), np.zeros(2)], 1, [0], True, 0) for x in (1.0, 2.0)]
    assert [run.outputs[0].tolist() for run in repeated(problems)] == [[1, 1], [2, 2]]

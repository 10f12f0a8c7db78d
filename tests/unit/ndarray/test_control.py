import numpy as np
import pytest

from opforge import autograd, nd


def total(row, state):
    return row + state, row + state


def test_foreach_stacks_results_and_returns_the_last_states():
    out, (last, count) = nd.contrib.foreach(
        lambda row, states: ([row * 2, [states[0]]], [states[0] + row, states[1] + 1]),
        nd.array([[1, 2], [3, 4]]),
        [nd.zeros((2,)), nd.zeros((1,))],
    )
    assert out[0].asnumpy().tolist() == [[2, 4], [6, 8]]
    assert out[1][0].asnumpy().tolist() == [[0, 0], [1, 2]]
    assert last.asnumpy().tolist() == [4, 6]
    assert count.asscalar() == 2


def test_foreach_takes_several_data_and_no_states():
    out, states = nd.contrib.foreach(
        lambda rows, states: (rows[0] * rows[1], states), [nd.arange(3), nd.arange(3)], []
    )
    assert out.asnumpy().ravel().tolist() == [0, 1, 4]
    assert states == []


def test_gradients_of_any_order_follow():
    x = nd.array([2.0, 3.0])
    x.attach_grad()
    with autograd.record():
        product = nd.contrib.foreach(lambda r, s: (r * s, r * s), x, nd.ones((1,)))[1]
        first = autograd.grad(product * product, x, create_graph=True)[0]
        second = (first * first).sum()
    second.backward()
    # d/dx of (2 x y^2)^2 + (2 x^2 y)^2 with x = 2, y = 3
    assert x.grad.asnumpy().tolist() == [8 * 2 * 81 + 16 * 8 * 9, 16 * 4 * 27 + 8 * 16 * 3]


@pytest.mark.parametrize("data", [[nd.ones((2,)), nd.ones((3,))], []])
def test_data_of_different_lengths_are_rejected(data):
    with pytest.raises(ValueError, match=r"foreach: the data have .* rows"):
        nd.contrib.foreach(lambda rows, states: (rows, states), data, [])


def test_non_array_values_are_rejected():
    with pytest.raises(TypeError, match="foreach: data must be NDArrays"):
        nd.contrib.foreach(total, np.ones((2, 3)), nd.ones((3,)))
    with pytest.raises(TypeError, match="foreach: body's results must be NDArrays"):
        nd.contrib.foreach(lambda r, s: (1.0, s), nd.ones((2, 3)), nd.ones((3,)))


def doubled(x):
    return x, x * 2


def test_while_loop_pads_its_results_with_zeros():
    out, last = nd.contrib.while_loop(lambda x: x < 5, doubled, nd.array([1]), max_iterations=5)
    assert out.asnumpy().ravel().tolist() == [1, 2, 4, 0, 0]
    assert last.asscalar() == 8


def test_while_loop_stops_at_max_iterations():
    out, last = nd.contrib.while_loop(lambda x: x < 99, doubled, nd.array([1]), max_iterations=2)
    assert out.asnumpy().ravel().tolist() == [1, 2]
    assert last.asscalar() == 4


def test_while_loop_without_a_turn_gives_no_results():
    out, last = nd.contrib.while_loop(lambda x: x < 0, doubled, [nd.array([1])], max_iterations=2)
    assert out == []
    assert last[0].asscalar() == 1


def test_while_loop_without_results():
    out, last = nd.contrib.while_loop(
        lambda i, s: i < 3, lambda i, s: (None, (i + 1, s + i)), [nd.zeros((1,))] * 2, 9
    )
    assert out == []
    assert [item.asscalar() for item in last] == [3, 3]


def test_while_loop_rejects_mismatched_results():
    one = [nd.array([1])]
    always = lambda x: True  # noqa: E731
    with pytest.raises(ValueError, match="max_iterations should be specified"):
        nd.contrib.while_loop(always, doubled, one)
    with pytest.raises(ValueError, match="at least one element"):
        nd.contrib.while_loop(always, doubled, [], max_iterations=1)
    with pytest.raises(ValueError, match="consistent during the loop"):
        nd.contrib.while_loop(always, lambda x: (x, [x, x]), one, max_iterations=1)
    with pytest.raises(ValueError, match="inconsistent, which are:\n  Step 0, shape is"):
        nd.contrib.while_loop(always, lambda x: (x, nd.concat(x, x, dim=0)), one, max_iterations=2)
    with pytest.raises(ValueError, match="Cannot convert Return value of cond to python bool"):
        nd.contrib.while_loop(lambda x: nd.ones((2,)), doubled, one, max_iterations=1)


@pytest.mark.parametrize(("pred", "want"), [(1, "then"), (0, "else"), (nd.array([0.5]), "then")])
def test_cond_calls_one_function(pred, want):
    assert nd.contrib.cond(pred, lambda: "then", lambda: "else") == want


def test_cond_takes_one_number():
    with pytest.raises(ValueError, match="Cannot convert pred to python bool"):
        nd.contrib.cond(nd.ones((2,)), list, list)

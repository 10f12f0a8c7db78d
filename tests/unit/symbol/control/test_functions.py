import numpy as np
import pytest

import opforge as mx
from opforge import autograd, gluon, nd, sym
from opforge.base.errors import ShapeError

from .cases import compare, values


def rnn(F, x, h, w, u):
    def step(row, states):
        after = F.tanh(F.dot(row, w) + F.dot(states[0], u))
        return after * 2, [after]

    return F.contrib.foreach(step, x, [h])


def test_foreach_is_the_loop_on_arrays():
    compare(rnn, values((5, 2, 3), (2, 4), (3, 4), (4, 4)))


def two_of_each(F, x, y, h, c, w):
    def step(rows, states):
        (a, b), (h, (c,)) = rows, states
        return [a * h, [b + c]], [h + a * w, [c * b]]

    return F.contrib.foreach(step, [x, y], [h, [c]])


def test_data_states_and_results_may_be_nested():
    compare(two_of_each, values((3, 2), (3, 2), (2,), (2,), (2,)))


def untouched(F, x, y, h, c):
    return F.contrib.foreach(lambda rows, s: (rows[0], [s[1], s[0]]), [x, y], [h, c])


def test_uncomputed_values_pass_through():
    compare(untouched, values((3, 2), (3, 2), (2,), (2,)))


def same_twice(F, x, h):
    def step(rows, states):
        after = rows[0] * rows[1] + states[0] * states[1]
        return [after, after], [after, states[0]]

    return F.contrib.foreach(step, [x, x], [h, h])


def test_an_input_or_a_result_may_come_twice():
    compare(same_twice, values((4, 2), (2,)))


def from_outside(F, x, h, w):
    outside = F.exp(w)

    def step(row, state):
        return row * outside, state * outside + w

    out, last = F.contrib.foreach(step, x, h)
    return out, last * outside


def test_values_computed_before_are_inputs():
    compare(from_outside, values((4, 2), (2,), (2,)))
    out, _ = from_outside(sym, *map(sym.var, "xhw"))
    loop = next(node for node in out.nodes() if node.name.startswith("_foreach"))
    read = [source.name for source, _ in loop.inputs]
    assert read[:2] == ["x", "h"]
    assert sorted(name.rstrip("0123456789") for name in read[2:]) == ["exp", "w"]


def one_number_a_row(F, x, h):
    return F.contrib.foreach(lambda r, s: (r * s, r + s), x, h)


def test_a_row_of_numbers_is_an_array_of_one():
    compare(one_number_a_row, values((4,), (1,)))


def counting(F, i, s, w):
    return F.contrib.while_loop(
        lambda i, s: i < 3, lambda i, s: ([i * s, s], [i + 1, s * w]), [i, s], max_iterations=5
    )


@pytest.mark.parametrize("start", [-1.5, 0.0, 2.5])
def test_while_loop_is_the_loop_on_arrays(start):
    i = nd.array([start], dtype="float64")
    i.attach_grad()
    compare(counting, [i, *values((1,), (1,))])


def test_a_while_loop_without_a_turn_gives_zeros_and_its_variables():
    out, last = sym.contrib.while_loop(
        lambda x: x < 0, lambda x: (x * 2, x + 1), sym.var("x"), max_iterations=3
    )
    executor = sym.Group([out, last]).bind(None, {"x": nd.ones((1,))}, {"x": nd.zeros((1,))})
    have = executor.forward(is_train=True)
    assert have[0].asnumpy().tolist() == [[0]] * 3
    assert have[1].asscalar() == 1
    executor.backward([nd.ones((3, 1)), nd.array([5])])
    assert executor.grad_dict["x"].asscalar() == 5


def one_of_two(F, a, b, w):
    return F.contrib.cond(a < b, lambda: [a * w, b], lambda: [b * w, w])


@pytest.mark.parametrize("numbers", [(1.0, 2.0, 3.0), (2.0, 1.0, 3.0)])
def test_cond_is_the_branch_on_arrays(numbers):
    arrays = [nd.array([number], dtype="float64") for number in numbers]
    for array in arrays:
        array.attach_grad()
    compare(one_of_two, arrays)


def inside_each_other(F, x, h, w):
    def row_by_row(row, state):
        inner, _ = F.contrib.foreach(lambda r, s: (r * s, s + r * w), row, state)
        grown = F.contrib.while_loop(
            lambda i, s: i < 2.5,
            lambda i, s: (None, [i + 1, s * w]),
            [F.ones((1,), dtype="float64"), state],
            max_iterations=3,
        )[1][1]
        chosen = F.contrib.cond(
            F.sum(row) > 0, lambda: grown + w, lambda: F.sum(inner, axis=0) * state
        )
        return inner, chosen

    return F.contrib.foreach(row_by_row, x, h)


def test_loops_and_branches_in_each_other():
    compare(inside_each_other, values((4, 3, 2), (2,), (2,)))


class Step(gluon.HybridBlock):
    """A recurrent step whose parameters have deferred shapes."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.left = gluon.nn.Dense(3, flatten=False)
            self.right = gluon.nn.Dense(3, use_bias=False)

    def hybrid_forward(self, F, row, state):
        after = F.tanh(self.left(row) + self.right(state))
        return after, after


class Loop(gluon.HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.step = Step()

    def hybrid_forward(self, F, x, h):
        return F.contrib.foreach(self.step, x, h)


def run(net, x, h):
    with autograd.record():
        out, last = net(x, h)
        loss = (out * out).sum() + last.sum()
    loss.backward()
    grads = [p.grad().asnumpy() for p in net.collect_params().values()]
    return [out.asnumpy(), last.asnumpy(), x.grad.asnumpy(), h.grad.asnumpy(), *grads]


@pytest.mark.plugins
def test_a_hybridized_loop_is_the_eager_one_for_all_lengths():
    net = Loop()
    net.initialize(mx.init.Uniform(0.5))
    cases = [values((t, 2, 4), (2, 3), seed=t, dtype="float32") for t in (3, 1, 6)]
    net.hybridize()
    have = [run(net, *case) for case in cases]
    net.hybridize(False)
    for case, got in zip(cases, have, strict=True):
        for one, other in zip(got, run(net, *case), strict=True):
            np.testing.assert_allclose(one, other, 1e-5, 1e-6)


@pytest.mark.plugins
def test_dropout_in_a_body_draws_in_each_iteration():
    def step(row, state):
        return sym.Dropout(row, p=0.5), state

    out, _ = sym.contrib.foreach(step, sym.var("x"), sym.var("h"))
    given = {"x": nd.ones((50, 40)), "h": nd.ones((1,))}
    executor = out.bind(None, given, {"x": nd.zeros((50, 40))})
    kept = executor.forward(is_train=True)[0].asnumpy()
    assert len({tuple(row) for row in kept}) == 50
    executor.backward(nd.ones((50, 40)))
    # The mask of each iteration is kept for its gradient.
    assert executor.grad_dict["x"].asnumpy().tolist() == kept.tolist()


@pytest.mark.plugins
def test_auxiliary_states_change_from_turn_to_turn():
    def step(row, state):
        return sym.BatchNorm(row, name="bn", fix_gamma=False), state

    out, _ = sym.contrib.foreach(step, sym.var("x"), sym.var("h"))
    assert out.list_auxiliary_states() == ["bn_moving_mean", "bn_moving_var"]
    executor = out.simple_bind(mx.cpu(), x=(3, 4, 2), h=(1,))
    x = values((3, 4, 2), dtype="float32")[0]
    executor.aux_dict["bn_moving_var"][:] = 1
    executor.forward(is_train=True, x=x)
    executor.backward(nd.ones((3, 4, 2)))
    mean = np.zeros(2)
    for row in x.asnumpy()[::-1]:
        mean = 0.9 * mean + 0.1 * row.mean(axis=0)
    np.testing.assert_allclose(executor.aux_dict["bn_moving_mean"].asnumpy(), mean, 1e-4)


def test_shapes_are_inferred_both_ways():
    x, h = sym.var("x"), sym.var("h")
    out, last = sym.contrib.foreach(
        lambda r, s: ((y := sym.FullyConnected(r, num_hidden=4, name="fc") + s), y), x, h
    )
    graph = sym.Group([out, last])
    names = ["x", "h", "fc_weight", "fc_bias"]
    shapes = dict(zip(graph.list_arguments(), graph.infer_shape(x=(5, 2, 3))[0], strict=True))
    assert [shapes[n] for n in names] == [(5, 2, 3), (2, 4), (4, 3), (4,)]
    assert graph.infer_shape(x=(5, 2, 3))[1] == [(5, 2, 4), (2, 4)]
    assert graph.infer_shape_partial(h=(2, 4))[1] == [(0, 2, 4), (2, 4)]
    types = graph.infer_type(x="float64")
    assert {kind.__name__ for group in types for kind in group} == {"float64"}


def test_states_that_change_their_shape_are_rejected():
    out, _ = sym.contrib.foreach(
        lambda r, s: (r, sym.concat(s, s, dim=0)), sym.var("x"), sym.var("h")
    )
    with pytest.raises(ShapeError, match="before and after an iteration"):
        sym.Group([out, _]).infer_shape(x=(3, 2), h=(2,))


def test_mismatched_states_are_rejected():
    with pytest.raises(ValueError, match="takes 1 states and returns 2"):
        sym.contrib.foreach(lambda r, s: (r, [s, s]), sym.var("x"), sym.var("h"))


def test_branches_return_as_many_symbols():
    a = sym.var("a")
    with pytest.raises(ValueError, match="then_func returns 2 symbols and else_func 1"):
        sym.contrib.cond(a, lambda: [a, a], lambda: a)


def test_bodies_return_symbols():
    with pytest.raises(TypeError, match="foreach: body's results must be Symbols"):
        sym.contrib.foreach(lambda r, s: (1, s), sym.var("x"), sym.var("h"))


def test_an_error_in_a_body_names_the_node_there():
    def step(row, state):
        return sym.dot(row, state, name="inner"), state

    out, _ = sym.contrib.foreach(step, sym.var("x"), sym.var("h"))
    with pytest.raises(ShapeError, match="inner"):
        out.infer_shape(x=(3, 2, 2), h=(3, 3))


def test_a_loop_over_nothing_is_rejected():
    with pytest.raises(ValueError, match="foreach: data is empty"):
        sym.contrib.foreach(lambda rows, s: ([], s), [], sym.var("h"))


@pytest.mark.parametrize("results", [lambda rows: rows[0][0] + rows[1][0], lambda rows: []])
def test_data_have_as_many_rows_each(results):
    x, y, h = map(sym.var, "xyh")
    _, last = sym.contrib.foreach(lambda rows, s: (results(rows), s), [x, y], h)
    given = {"x": nd.ones((3, 2)), "y": nd.ones((4, 2)), "h": nd.ones((2,))}
    with pytest.raises(ShapeError, match="_foreach: the data have 3 and 4 rows"):
        last.bind(None, {name: given[name] for name in last.list_arguments()}).forward()


@pytest.mark.parametrize(
    "graph",
    [
        lambda x: sym.contrib.cond(x, lambda: x, lambda: x * 2),
        lambda x: sym.contrib.while_loop(lambda s: s, lambda s: (s, s), x, max_iterations=2)[0],
    ],
)
def test_a_condition_is_one_number(graph):
    with pytest.raises(ShapeError, match=r"the condition has shape \(2,\), expected one number"):
        graph(sym.var("x")).infer_shape(x=(2,))
    assert graph(sym.var("x")).infer_shape(x=(1, 1))[0] == [(1, 1)]

"""Tests of CTCLoss: alignments, known values, gradients, lengths, padding and errors."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from opforge_sequence import checks

from opforge import autograd, gluon, nd, sym
from opforge.base.errors import DTypeError, OpforgeError, ShapeError
from opforge.symbol.compiler.compiling import compile_graph
from opforge.symbol.compiler.lowering import lower
from opforge.testing import check_gradients

RNG = np.random.default_rng(0)
LABELS = [[1, 2, 0], [3, 3, 1]]


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 5),
    st.integers(2, 4),
    st.integers(0, 4),
    st.sampled_from(["first", "last"]),
    st.sampled_from(["float32", "float64"]),
    st.sampled_from(["float32", "int32", "int64"]),
    st.integers(0, 2**32 - 1),
)
def test_sum_over_all_alignments(steps, classes, most, blank, dtype, kind, seed):
    rng = np.random.default_rng(seed)
    batch = 3
    data = rng.standard_normal((steps, batch, classes)) * 3
    low = 1 if blank == "first" else 0
    label = rng.integers(low, low + classes - 1, (batch, most))
    times, sizes = rng.integers(0, steps + 1, batch), rng.integers(0, most + 1, batch)
    lengths = {"use_data_lengths": True, "use_label_lengths": True, "blank_label": blank}
    arrays = [nd.array(x, dtype=kind) for x in (label, times, sizes)]
    result = nd.CTCLoss(nd.array(data, dtype=dtype), *arrays, **lengths)
    assert result.dtype == np.dtype(dtype)
    expected = checks.ctc(data, label, times, sizes, **lengths)
    np.testing.assert_allclose(result.asnumpy(), expected, rtol=1e-4, atol=1e-5)


def test_values_of_warp_ctc():
    column = [[1.2, 3.4, 1.2, -0.1, -2.34], [0.1, 0.2, 0.3, 0.22, 0.123], [-15, -14, -13, -12, -11]]
    data = nd.array(np.array(column)[:, np.newaxis])
    for name in ("CTCLoss", "ctc_loss", "_contrib_CTCLoss", "_contrib_ctc_loss"):
        loss = getattr(nd, name)(data, nd.array([[2, 3, 0]], dtype="int32"))
        np.testing.assert_allclose(loss.asnumpy(), [4.04789], rtol=1e-5)
    assert nd.contrib.ctc_loss(data, nd.array([[2, 3, 0]])).shape == (1,)


def test_gradients_of_long_sequences():
    times, sizes = np.array([40.0, 11.0, 25.0]), np.array([7.0, 5.0, 0.0])
    label = RNG.integers(1, 6, (3, 7)).astype("float64")

    def loss(x):
        lengths = [nd.array(item, dtype="float64") for item in (label, times, sizes)]
        return nd.CTCLoss(x, *lengths, use_data_lengths=True, use_label_lengths=True)

    check_gradients(loss, [RNG.standard_normal((40, 3, 6))], rtol=1e-4)


def test_unused_steps_and_sequences_have_zero_gradient():
    x = nd.array(RNG.standard_normal((4, 2, 4)))
    x.attach_grad()
    with autograd.record():
        loss = nd.CTCLoss(x, nd.array([[1, 2], [3, 3]]), nd.array([3, 2]), use_data_lengths=True)
    loss.backward()
    grad = x.grad.asnumpy()
    assert loss.asnumpy()[1] == 0 and not grad[:, 1].any()
    assert not grad[3, 0].any() and abs(grad[:3, 0]).min() > 0
    np.testing.assert_allclose(grad.sum(-1), np.zeros((4, 2)), atol=1e-6)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_backward_recomputes_variables_in_prediction_mode(dtype):
    x = nd.array(RNG.standard_normal((6, 3, 4)), dtype=dtype)
    label, times = nd.array([[1, 2], [3, 3], [2, 0]]), nd.array([6, 3, 1])
    x.attach_grad()
    grads = []
    for train_mode in (True, False):
        with autograd.record(train_mode=train_mode):
            loss = nd.CTCLoss(x, label, times, use_data_lengths=True)
        loss.backward(train_mode=train_mode)
        grads.append(x.grad.asnumpy())
    assert abs(grads[0][:, 0]).min() > 0
    np.testing.assert_array_equal(*grads)


def test_saved_variables_are_a_hidden_output():
    graph = sym.CTCLoss(sym.var("x"), sym.var("y"), name="ctc")
    assert graph.list_outputs() == ["ctc_output0"]
    assert graph.get_internals().list_outputs() == ["x", "y", "ctc_output0"]
    (node,) = [node for node in graph.nodes() if not node.is_variable]
    declared = node.operation.prop.infer_shape([[7, 3, 5], [3, 2]])
    assert declared[1] == [(3,), (3, 1 + 7 * 6)]


def test_gradient_is_scaled_by_the_incoming_gradient():
    x = nd.array(RNG.standard_normal((5, 2, 4)))
    x.attach_grad()
    grads = []
    for head in ([1.0, 1.0], [3.0, 0.0]):
        with autograd.record():
            loss = nd.CTCLoss(x, nd.array(LABELS))
        loss.backward(nd.array(head))
        grads.append(x.grad.asnumpy())
    np.testing.assert_allclose(grads[1][:, 0], 3 * grads[0][:, 0], rtol=1e-5)
    assert not grads[1][:, 1].any()


def test_extreme_scores_stay_finite():
    data = np.full((6, 1, 3), -2000.0)
    data[:, :, 0] = 2000.0  # all probability on blanks
    x = nd.array(data)
    x.attach_grad()
    with autograd.record():
        loss = nd.CTCLoss(x, nd.array([[1, 2]]))
    loss.backward()
    assert loss.asscalar() == pytest.approx(8000 - np.log(15))  # two labels among six steps
    assert np.isfinite(x.grad.asnumpy()).all()


def test_impossible_labels_nan_and_empty_inputs():
    label = nd.array([[1, 0]])
    data = np.zeros((3, 1, 2))
    data[:, :, 1] = -np.inf
    assert nd.CTCLoss(nd.array(data), label).asscalar() == np.inf
    data[1, 0, 0] = np.nan
    assert np.isnan(nd.CTCLoss(nd.array(data), label).asscalar())
    assert nd.CTCLoss(nd.zeros((0, 2, 3)), nd.zeros((2, 4))).asnumpy().tolist() == [0.0, 0.0]
    assert nd.CTCLoss(nd.zeros((3, 0, 3)), nd.zeros((0, 4))).shape == (0,)
    blanks = nd.CTCLoss(nd.zeros((3, 1, 4)), nd.zeros((1, 0)))
    np.testing.assert_allclose(blanks.asnumpy(), [3 * np.log(4)], rtol=1e-6)


@pytest.mark.parametrize(
    ("label", "attributes", "text"),
    [
        ([[1, 4]], {}, "'label' has 4 at 1; expected at least 0 and at most 3"),
        ([[1, -1]], {}, "'label' has -1 at 1"),
        ([[np.nan, 1]], {}, "'label' has nan"),
        ([[4, 1]], {"blank_label": "last"}, "'label' has 4 at 0; expected at least 0"),
        ([[1, -2]], {"blank_label": "last"}, "'label' has -2 at 1"),
    ],
)
def test_invalid_labels_are_rejected(label, attributes, text):
    with pytest.raises(OpforgeError, match=text):
        nd.CTCLoss(nd.zeros((3, 1, 4)), nd.array(label), **attributes)


@pytest.mark.parametrize("length", [-1, 4, 1e30, np.nan, np.inf])
@pytest.mark.parametrize("name", ["data_lengths", "label_lengths"])
def test_lengths_out_of_range_are_rejected(name, length):
    lengths = {name: nd.array([length], dtype="float64"), f"use_{name}": True}
    with pytest.raises(OpforgeError, match=f"'{name}' has .* at 0; expected at least 0"):
        nd.CTCLoss(nd.zeros((3, 1, 4)), nd.array([[1, 2, 3]]), **lengths)


def test_invalid_shapes_and_types_are_rejected():
    with pytest.raises(ShapeError, match=r"data has shape \(3, 4\); expected 3 axes"):
        nd.CTCLoss(nd.zeros((3, 4)), nd.zeros((3, 1)))
    with pytest.raises(ShapeError, match=r"label has shape \(3,\); expected 2 axes"):
        nd.CTCLoss(nd.zeros((3, 1, 4)), nd.zeros(3))
    with pytest.raises(ShapeError, match="pass inputs that have dimensions"):
        nd.CTCLoss(nd.zeros((3, 1, 4)), nd.zeros(()))
    with pytest.raises(ShapeError, match="'label'"):
        nd.CTCLoss(nd.zeros((3, 1, 4)), nd.zeros((2, 3)))
    with pytest.raises(DTypeError, match="int32"):
        nd.CTCLoss(nd.zeros((3, 1, 4), dtype="int32"), nd.zeros((1, 3)))


def test_symbols_name_the_lengths():
    out = sym.CTCLoss(sym.var("x"), use_label_lengths=True, name="c")
    assert out.list_arguments() == ["x", "c_label", "c_label_lengths"]
    assert out.infer_shape(x=(5, 2, 4), c_label=(2, 3))[:2] == ([(5, 2, 4), (2, 3), (2,)], [(2,)])
    assert '"op": "CTCLoss"' in sym.contrib.ctc_loss(sym.var("x"), sym.var("l")).tojson()


@pytest.mark.parametrize("hybridize", [False, True])
def test_gluon_loss(hybridize):
    data = RNG.standard_normal((2, 5, 4)).astype("float32")
    label = np.array([[1, 2, -1], [2, 2, 0]])
    expected = checks.ctc(data.transpose(1, 0, 2), label, blank_label="last")
    plain = gluon.loss.CTCLoss()
    transposed = gluon.loss.CTCLoss(layout="TNC", label_layout="TN", weight=2.0)
    assert repr(transposed) == "CTCLoss(batch_axis=1, w=2.0)"
    if hybridize:
        plain.hybridize()
        transposed.hybridize()
    x, steps = nd.array(data), nd.array(data.transpose(1, 0, 2))
    np.testing.assert_allclose(plain(x, nd.array(label)).asnumpy(), expected, rtol=1e-5)
    sizes = nd.array([2, 3])
    result = transposed(steps, nd.array(label.T), nd.array([5, 5]), sizes)
    np.testing.assert_allclose(result.asnumpy(), 2 * expected, rtol=1e-5)
    weighted = gluon.loss.CTCLoss()(x, nd.array(label), None, sizes, nd.array([0.5, 2]))
    np.testing.assert_allclose(weighted.asnumpy(), expected * [0.5, 2], rtol=1e-5)


def test_invalid_layouts_are_rejected():
    with pytest.raises(ValueError, match="layout is 'XYZ'"):
        gluon.loss.CTCLoss(layout="XYZ")


def workspace_size(predicting):
    loss = sym.CTCLoss(sym.var("data"), sym.var("label"))
    lowered = lower(loss, {"data": (60, 8, 5), "label": (8, 20)}, {}, predicting)
    return compile_graph(lowered, {}).layout.nbytes


def test_compiled_prediction_saves_nothing():
    assert workspace_size(False) > 8 * 60 * 42 * 8
    assert workspace_size(True) == 0


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_prediction_equals_loss(dtype):
    data = nd.array(RNG.standard_normal((5, 2, 4)), dtype=dtype)
    expected = nd.CTCLoss(data, nd.array(LABELS)).asnumpy()
    result = nd._internal._CTCLoss_prediction(data, nd.array(LABELS)).asnumpy()
    np.testing.assert_array_equal(result, expected)
    assert result.dtype == np.dtype(dtype)
    loss = gluon.loss.CTCLoss(layout="TNC")
    loss.hybridize()
    plain = gluon.loss.CTCLoss(layout="TNC")(data.astype("float32"), nd.array(LABELS))
    hybrid = loss(data.astype("float32"), nd.array(LABELS))
    np.testing.assert_array_equal(hybrid.asnumpy(), plain.asnumpy())

"""Warnings about results that MXNet returns silently."""

import warnings

import numpy as np
import pytest

import opforge as mx
from opforge import autograd, gluon, nd
from opforge.base import traps

WHOLE = nd.array([1, 2, 3], dtype="int32")
LONG = WHOLE.astype("int64")
REAL = nd.ones(3)
DIVIDED, CUT = "division of integer arrays", "combined with the fraction 0.5"


@pytest.fixture(autouse=True)
def untold():
    """Make every cause new for the test, and restore the state afterwards."""
    before = set(traps.told)
    traps.told.clear()
    yield
    traps.told.clear()
    traps.told.update(before)


def divided_in_place(x):
    x /= 2
    return x


def halved_in_place(x):
    x *= 0.5
    return x


def in_a_block(x):
    block = gluon.nn.HybridLambda(lambda F, x: x / 2)
    block.hybridize()
    return block(x)


TRUNCATED = [
    (lambda: WHOLE / 2, [0, 1, 1], DIVIDED),
    (lambda: 2 / WHOLE, [2, 1, 0], DIVIDED),
    (lambda: WHOLE / WHOLE, [1, 1, 1], DIVIDED),
    (lambda: nd.elemwise_div(LONG, LONG), [1, 1, 1], DIVIDED),
    (lambda: nd.broadcast_div(WHOLE, WHOLE), [1, 1, 1], DIVIDED),
    (lambda: nd._div_scalar(WHOLE, scalar=2), [0, 1, 1], DIVIDED),
    (lambda: divided_in_place(WHOLE.copy()), [0, 1, 1], DIVIDED),
    (lambda: in_a_block(WHOLE), [0, 1, 1], DIVIDED),
    (lambda: (mx.sym.var("x") / 2).eval(x=WHOLE)[0], [0, 1, 1], DIVIDED),
    (lambda: (lambda x: x / x)(mx.sym.var("x")).eval(x=LONG)[0], [1, 1, 1], DIVIDED),
    (lambda: WHOLE * 0.5, [0, 0, 0], CUT),
    (lambda: 0.5 * WHOLE, [0, 0, 0], CUT),
    (lambda: WHOLE + 0.5, [1, 2, 3], CUT),
    (lambda: WHOLE.astype("bool") * 0.5, [0, 0, 0], CUT),
    (lambda: LONG > 0.5, [1, 1, 1], CUT),
    (lambda: nd.multiply(WHOLE, 0.5), [0, 0, 0], CUT),
    (lambda: halved_in_place(WHOLE.copy()), [0, 0, 0], CUT),
    (lambda: (mx.sym.var("x") * 0.5).eval(x=WHOLE)[0], [0, 0, 0], CUT),
]


@pytest.mark.parametrize(("compute", "expected", "message"), TRUNCATED)
def test_truncation_warns_once_and_stays(compute, expected, message):
    with pytest.warns(UserWarning, match=rf"{message}.*astype\('float32'\)") as found:
        assert compute().asnumpy().tolist() == expected
        compute()
    assert [one.filename for one in found] == [__file__]


@pytest.mark.parametrize(
    "compute",
    [
        lambda: REAL / 2,
        lambda: REAL * 0.5,
        lambda: WHOLE * 2.0,
        lambda: WHOLE * float("inf"),
        lambda: WHOLE > 0.5,
        lambda: WHOLE.mean(),
        lambda: WHOLE.norm(),
        lambda: (mx.sym.var("x") / 2).eval(x=REAL),
        lambda: (mx.sym.var("x") * 3).eval(x=WHOLE),
    ],
)
def test_lossless_operations_do_not_warn(compute):
    compute()  # warnings are errors
    assert not traps.told


LOGITS = nd.array(np.arange(12).reshape(3, 4))


def hybridized_loss(label):
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    loss.hybridize()
    return loss(LOGITS, label)


def softmax_output(label, **attributes):
    x = LOGITS.copy()
    x.attach_grad()
    with autograd.record():
        y = nd.SoftmaxOutput(x, label, **attributes)
    y.backward()
    return x.grad


def softmax_output_of_a_symbol(label):
    symbol = mx.sym.SoftmaxOutput(mx.sym.var("x"), mx.sym.var("l"))
    return symbol.bind(mx.cpu(), {"x": LOGITS, "l": label}).forward(is_train=True)


@pytest.mark.plugins
@pytest.mark.parametrize("label", [[0, 4, 1], [0, 3, -1]])
@pytest.mark.parametrize(
    "compute",
    [
        lambda label: gluon.loss.SoftmaxCrossEntropyLoss()(LOGITS, label),
        lambda label: gluon.loss.SoftmaxCrossEntropyLoss(from_logits=True)(LOGITS, label),
        hybridized_loss,
        lambda label: nd.pick(LOGITS, label),
        lambda label: nd.softmax_cross_entropy(LOGITS, label),
        softmax_output,
        softmax_output_of_a_symbol,
    ],
)
def test_labels_out_of_range_warn_once(compute, label):
    wrong = next(one for one in label if not 0 <= one < 4)
    with pytest.warns(UserWarning, match=rf"class label {wrong} is not in \[0, 4\)") as found:
        first, again = compute(nd.array(label)), compute(nd.array(label))
    assert len(found) == 1
    assert str(first) == str(again)


@pytest.mark.plugins
def test_labels_in_range_and_ignored_ones_are_silent():
    for compute in (hybridized_loss, softmax_output, softmax_output_of_a_symbol):
        compute(nd.array([0, 3, 1]))
    softmax_output(nd.array([0, -1, 1]), use_ignore=True, ignore_label=-1)
    nd.pick(LOGITS, nd.array([0, -1, 4]), mode="wrap")
    assert not traps.told


def test_an_array_as_an_index_of_python_warns_once():
    with pytest.warns(UserWarning, match=r"shape \(1,\).*int\(x.asscalar\(\)\)") as found:
        assert [5, 6, 7, 8][WHOLE[2]] == 8
        assert list(range(WHOLE[1])) == [0, 1]
    assert len(found) == 1


def test_an_index_without_axes_is_silent():
    assert [5, 6][nd.array(1, dtype="int32")] == 6
    assert not traps.told


def test_the_usual_filters_silence_it():
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        warnings.filterwarnings("ignore", "division of integer arrays")
        assert (WHOLE / 2).dtype == np.int32
    assert not found


def test_a_silenced_block_warns_of_nothing_and_of_everything_afterwards():
    x = nd.array([1, 2], dtype="int32")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with traps.silenced():
            x * 0.5
    with pytest.warns(UserWarning, match="the fraction 0.5"):
        x * 0.5


def test_the_line_of_the_program():
    assert traps.program_line().startswith(f'"{__file__}", line ')

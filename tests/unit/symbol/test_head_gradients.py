"""Forms in which gradients of outputs can be passed."""

import pytest

from opforge import nd
from opforge.base.errors import OpforgeError, ShapeError
from opforge.symbol import head_gradients as module

NAMES = ["a", "b"]
OUTPUTS = [nd.zeros((2,)), nd.zeros((3,), dtype="float64")]


def head_gradients(given, names, outputs, read=(True, True)):
    return module.head_gradients(given, names, outputs, read[: len(names)])


def test_none_a_list_and_a_dictionary():
    one, other = nd.ones((2,)), nd.ones((3,), dtype="float64")
    for none in (None, [], ()):
        assert head_gradients(none, NAMES, OUTPUTS) == [None, None]
    assert head_gradients([one, other, other], NAMES, OUTPUTS) == [one, other]
    assert head_gradients({"b": other}, NAMES, OUTPUTS) == [None, other]
    assert head_gradients(one, NAMES[:1], OUTPUTS[:1]) == [one]


def test_a_gradient_gets_the_type_of_its_output():
    (made,) = head_gradients([nd.ones((3,))], NAMES[1:], OUTPUTS[1:])
    assert made.dtype == OUTPUTS[1].dtype
    (made,) = head_gradients([nd.ones((2,)).tostype("row_sparse")], NAMES[:1], OUTPUTS[:1])
    assert made.stype == "default" and made.asnumpy().tolist() == [1, 1]


def test_mismatched_head_gradients_are_rejected():
    with pytest.raises(OpforgeError, match="got 1 out_grads for 2 outputs"):
        head_gradients([None], NAMES, OUTPUTS)
    with pytest.raises(
        ShapeError, match=r"the gradient of 'a' has shape \(3,\), the output \(2,\)"
    ):
        head_gradients([nd.ones((3,)), None], NAMES, OUTPUTS)


def test_gradients_that_nothing_reads_may_be_left_out_at_the_end():
    one = nd.ones((2,))
    assert head_gradients([one], NAMES, OUTPUTS, [True, False]) == [one, None]
    with pytest.raises(OpforgeError, match="got 1 out_grads for 2 outputs"):
        head_gradients([one], NAMES, OUTPUTS, [False, True])


def test_gradients_that_nothing_reads_may_have_any_shape():
    wrong = nd.ones((7,))
    assert head_gradients([wrong, wrong], NAMES, OUTPUTS, [False, False]) == [None, None]
    with pytest.raises(ShapeError, match="'b'"):
        head_gradients([wrong, wrong], NAMES, OUTPUTS, [False, True])

"""`Epilogue` refuses steps that are none, and operands that do not fit."""

import pytest

from opforge import nd
from opforge.base.errors import DTypeError, OpforgeError, ShapeError
from opforge.native.calls.computations import Unary
from opforge.native.calls.epilogue import MOST_EARLIER, MOST_LENGTH, Epilogue
from opforge.native.calls.product_computations import Dense

WRONG = [
    ([], "an epilogue has 0 steps, expected 1 to"),
    ([("relu", None, False)] * (MOST_LENGTH + 1), f"has {MOST_LENGTH + 1} steps"),
    ([("rellu", None, False)], "'rellu' is no step of an epilogue, but add, "),
    ([("relu", 1.0, False)], "the step 'relu' has the operand 1.0"),
    ([("add", None, False)], "the step 'add' has the operand None"),
    ([("add", ("value", 1), False)], "step 0 of an epilogue reads the value of step 1"),
    ([("add", ("value", -1), False)], "reads the value of step -1"),
    ([("add", ("spread", 0, 1, 1), False)], "step 0 of an epilogue cannot be spread"),
    ([("add", ("spread", 3, 2, 2), False)], "step 0 of an epilogue cannot be spread"),
]


@pytest.mark.parametrize(("steps", "text"), WRONG)
def test_what_is_no_epilogue_is_refused(steps, text):
    with pytest.raises(ValueError, match=text):
        Epilogue(steps)


def test_earlier_values_are_counted():
    half = MOST_EARLIER + 1
    steps = [("exp", None, False)] * half
    steps += [("add", ("value", at), False) for at in range(half)]
    assert len(steps) <= MOST_LENGTH
    with pytest.raises(ValueError, match=f"reads {half} earlier values"):
        Epilogue(steps)


OPERANDS = [
    (("full",), (2, 3)),
    (("spread", 1, 4, 1), (3,)),
    (("spread", 3, 4, 1), (4,)),
    (("spread", 2, 1, 2), (2,)),
]


@pytest.mark.parametrize(("how", "shape"), OPERANDS)
def test_operands_that_do_not_fit_are_refused(how, shape):
    fitting = {("full",): (2, 4), ("spread", 1, 4, 1): (4,)}
    dense = Dense(4, False, Epilogue([("add", how, False)]))
    data, weight, out = nd.ones((2, 3)), nd.ones((4, 3)), nd.zeros((2, 4))
    if how == ("spread", 2, 1, 2):
        dense([data, weight, nd.ones((2,))], [out], ["write"])
        return
    with pytest.raises(ShapeError, match=r"<epilogue: add>: the operand of step 0 has shape"):
        dense([data, weight, nd.ones(shape)], [out], ["write"])
    if how in fitting:
        dense([data, weight, nd.ones(fitting[how])], [out], ["write"])
        assert out.asnumpy().tolist() == [[4] * 4] * 2


def test_operands_of_another_number_or_type_are_refused():
    dense = Dense(4, False, Epilogue([("add", ("full",), False)]))
    data, weight, out = nd.ones((2, 3)), nd.ones((4, 3)), nd.zeros((2, 4))
    with pytest.raises(OpforgeError, match="takes 3 inputs"):
        dense([data, weight], [out], ["write"])
    with pytest.raises(DTypeError, match="dtypes float32, float32, float64"):
        dense([data, weight, nd.ones((2, 4), dtype="float64")], [out], ["write"])
    whole = [item.astype("int32") for item in (data, weight, out)]
    with pytest.raises(DTypeError, match="a result of int32 has no epilogue"):
        Dense(4, False, Epilogue([("relu", None, False)]))(whole[:2], whole[2:], ["write"])


def test_most_computations_have_none():
    with pytest.raises(NotImplementedError, match="Unary has no epilogue"):
        Unary("relu").with_epilogue(Epilogue([("relu", None, False)]))

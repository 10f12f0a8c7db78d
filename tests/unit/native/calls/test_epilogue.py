"""`Epilogue` rejects invalid steps and mismatched operands."""

import pytest

from opforge import nd
from opforge.base.errors import DTypeError, OpforgeError, ShapeError
from opforge.native.calls.computations import Unary
from opforge.native.calls.epilogue import MAX_EARLIER, MAX_LENGTH, Epilogue
from opforge.native.calls.product_computations import Dense

WRONG = [
    ([], "the epilogue has 0 steps, expected 1 to"),
    ([("relu", None, False)] * (MAX_LENGTH + 1), f"has {MAX_LENGTH + 1} steps"),
    ([("rellu", None, False)], "epilogue step 'rellu' not found; available: add, "),
    ([("relu", 1.0, False)], "epilogue step 'relu' has the operand 1.0, expected None"),
    ([("add", None, False)], "epilogue step 'add' has the operand None, expected an operand"),
    ([("add", ("value", 1), False)], "step 0 of the epilogue reads the value of step 1"),
    ([("add", ("value", -1), False)], "reads the value of step -1"),
    ([("add", ("spread", 0, 1, 1), False)], "step 0 of the epilogue has the operand"),
    ([("add", ("spread", 3, 2, 2), False)], "repeat divisible by lanes"),
]


@pytest.mark.parametrize(("steps", "text"), WRONG)
def test_invalid_steps_are_rejected(steps, text):
    with pytest.raises(ValueError, match=text):
        Epilogue(steps)


def test_earlier_values_are_counted():
    half = MAX_EARLIER + 1
    steps = [("exp", None, False)] * half
    steps += [("add", ("value", step), False) for step in range(half)]
    assert len(steps) <= MAX_LENGTH
    with pytest.raises(ValueError, match=f"reads {half} earlier values"):
        Epilogue(steps)


OPERANDS = [
    (("full",), (2, 3)),
    (("spread", 1, 4, 1), (3,)),
    (("spread", 3, 4, 1), (4,)),
    (("spread", 2, 1, 2), (2,)),
]


@pytest.mark.parametrize(("operand", "shape"), OPERANDS)
def test_mismatched_operands_are_rejected(operand, shape):
    matching = {("full",): (2, 4), ("spread", 1, 4, 1): (4,)}
    dense = Dense(4, False, Epilogue([("add", operand, False)]))
    data, weight, out = nd.ones((2, 3)), nd.ones((4, 3)), nd.zeros((2, 4))
    if operand == ("spread", 2, 1, 2):
        dense([data, weight, nd.ones((2,))], [out], ["write"])
        return
    with pytest.raises(ShapeError, match=r"<epilogue: add>: the operand of step 0 has shape"):
        dense([data, weight, nd.ones(shape)], [out], ["write"])
    if operand in matching:
        dense([data, weight, nd.ones(matching[operand])], [out], ["write"])
        assert out.asnumpy().tolist() == [[4] * 4] * 2


def test_wrong_number_or_type_of_operands_is_rejected():
    dense = Dense(4, False, Epilogue([("add", ("full",), False)]))
    data, weight, out = nd.ones((2, 3)), nd.ones((4, 3)), nd.zeros((2, 4))
    with pytest.raises(OpforgeError, match="takes 3 inputs"):
        dense([data, weight], [out], ["write"])
    with pytest.raises(DTypeError, match="dtypes float32, float32, float64"):
        dense([data, weight, nd.ones((2, 4), dtype="float64")], [out], ["write"])
    integers = [item.astype("int32") for item in (data, weight, out)]
    with pytest.raises(DTypeError, match="the result has dtype int32, expected a floating dtype"):
        Dense(4, False, Epilogue([("relu", None, False)]))(integers[:2], integers[2:], ["write"])


def test_most_computations_do_not_support_epilogues():
    with pytest.raises(NotImplementedError, match="Unary does not support an epilogue"):
        Unary("relu").with_epilogue(Epilogue([("relu", None, False)]))

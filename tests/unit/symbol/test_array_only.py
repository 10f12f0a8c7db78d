import operator

import numpy as np
import pytest

import opforge
from opforge import sym
from opforge.base.errors import NotImplementedForSymbol


@pytest.fixture
def x():
    return sym.var("x")


def test_a_symbol_has_no_truth_value(x):
    for use in (bool, lambda s: s if s else 0, lambda s: not s, lambda s: s in [sym.var("y")]):
        with pytest.raises(NotImplementedForSymbol, match=r"has no truth value.*sym\.where"):
            use(x)


@pytest.mark.parametrize("sign", ["iadd", "isub", "imul", "itruediv", "imod", "ipow"])
def test_a_symbol_is_not_changed_in_place(x, sign):
    with pytest.raises(NotImplementedForSymbol, match="cannot be changed: write x = x"):
        getattr(operator, sign)(x, 2)


@pytest.mark.parametrize(
    "name", ["asnumpy", "asscalar", "wait_to_read", "backward", "as_in_context", "attach_grad"]
)
def test_methods_that_need_values_raise_with_advice(x, name):
    with pytest.raises(
        NotImplementedForSymbol, match=rf"<Symbol x> has no {name}\(\) because it has no values"
    ):
        getattr(x, name)()


def test_numpy_makes_no_array_of_a_symbol(x):
    with pytest.raises(NotImplementedForSymbol):
        np.array(x)
    with pytest.raises(TypeError):
        float(x)


def test_the_class_is_mxnets():
    assert opforge.base.NotImplementedForSymbol is NotImplementedForSymbol
    assert issubclass(NotImplementedForSymbol, opforge.MXNetError)

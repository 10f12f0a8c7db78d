"""The mixin for operators on floating-point types."""

import numpy as np
import pytest

from opforge import nd
from opforge.base.errors import DTypeError
from opforge.native.dispatch.invoking import invoke
from opforge.op.calling.binding import make_handle
from opforge.op.declaring.declaration import OperatorProp
from opforge.op.declaring.floating import Floating
from opforge.op.registry.entry import Entry


class Mean(Floating, OperatorProp):
    """Add and halve."""

    name = "mean_of_floating"
    arguments = ("a", "b")

    def compose(self, F, a, b):
        return (a + b) / 2


def test_floating_types_are_inferred_as_the_class_does():
    assert Mean().infer_type([np.float16, None]) == ([np.float16] * 2, [np.float16], [])
    assert Mean().infer_type([None, None])[0] == [None, None]


@pytest.mark.parametrize("dtype", ["int32", "uint8", "bool"])
def test_other_types_are_rejected(dtype):
    handle, x = make_handle(Entry(Mean.name, Mean)), nd.ones(2)
    assert invoke(handle, (x, x), ()).asnumpy().tolist() == [1, 1]
    with pytest.raises(DTypeError, match=rf"input 'a' has dtype {dtype}; expected float32"):
        invoke(handle, (x.astype(dtype), x), ())

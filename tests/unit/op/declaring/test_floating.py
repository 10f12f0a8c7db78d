"""Declarations that refuse whole numbers."""

import numpy as np
import pytest

from opforge import nd
from opforge.base.errors import DTypeError
from opforge.op.declaring.declaration import OperatorProp
from opforge.op.declaring.floating import Floating


class Mean(Floating, OperatorProp):
    """Add and halve."""

    name = "mean_of_floating"
    arguments = ("a", "b")

    def compose(self, F, a, b):
        return (a + b) / 2


def test_floating_types_are_inferred_as_the_class_does():
    assert Mean().infer_type([np.float16, None]) == ([np.float16] * 2, [np.float16], [])
    assert Mean().infer_type([None, None])[0] == [None, None]


@pytest.mark.parametrize("types", [[np.int32, None], [np.float32, np.uint8]])
def test_whole_numbers_are_refused(types):
    with pytest.raises(DTypeError, match=r"expected a floating type; convert it with [ab].astype"):
        Mean().infer_type(types)


@pytest.mark.plugins
@pytest.mark.parametrize(
    ("name", "shape", "attributes"),
    [
        ("L2Normalization", (2, 3), {}),
        ("LRN", (2, 3, 4), {"nsize": 3}),
        ("GridGenerator", (2, 6), {"transform_type": "affine", "target_shape": (3, 4)}),
        ("_contrib_interleaved_matmul_selfatt_qk", (3, 2, 24), {"heads": 2}),
    ],
)
def test_operators_whose_results_would_be_cut_off(name, shape, attributes):
    with pytest.raises(DTypeError, match="expected a floating type"):
        getattr(nd, name)(nd.ones(shape, dtype="int32"), **attributes)

"""array-api-compat on arrays of the standard."""

import array_api_compat
import numpy as np
import pytest

import opforge as mx
from opforge import array_api as xp


@pytest.mark.parametrize("x", [xp.ones((2, 3)), mx.np.ones((2, 3))], ids=["array_api", "np"])
def test_queries(x: object) -> None:
    assert array_api_compat.array_namespace(x) is xp
    assert array_api_compat.is_array_api_obj(x)
    assert array_api_compat.size(x) == 6
    device = array_api_compat.device(x)
    assert device == mx.cpu()
    assert array_api_compat.to_device(x, device) is x


def test_libraries_are_not_mixed() -> None:
    with pytest.raises(TypeError, match="Multiple namespaces"):
        array_api_compat.array_namespace(xp.ones(1), np.ones(1))

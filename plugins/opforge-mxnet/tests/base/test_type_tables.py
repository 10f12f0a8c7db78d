"""MXNet's tables of codes."""

import numpy as np

from opforge.ndarray.ndarray import (
    _DTYPE_MX_TO_NP,
    _DTYPE_NP_TO_MX,
    _GRAD_REQ_MAP,
    _STORAGE_TYPE_ID_TO_STR,
    _STORAGE_TYPE_STR_TO_ID,
)


def test_codes_are_mxnets():
    assert _DTYPE_NP_TO_MX[np.float16] == 2 and _DTYPE_MX_TO_NP[4] is np.int32
    assert _DTYPE_NP_TO_MX[None] == -1 and _DTYPE_MX_TO_NP[-1] is None
    assert _GRAD_REQ_MAP == {"null": 0, "write": 1, "add": 3}
    assert _STORAGE_TYPE_STR_TO_ID["csr"] == 2 and _STORAGE_TYPE_ID_TO_STR[-1] == "undefined"

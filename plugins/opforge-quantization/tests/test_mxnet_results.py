"""Integers are those of MXNet 1.9.1, which tests/oracle/test_quantized.py computes again."""

import json
from pathlib import Path

import numpy as np
import pytest

from opforge import nd

ROWS = json.loads(Path(__file__).with_name("mxnet_results.json").read_text(encoding="utf-8"))
#: oneDNN adds in float32 in another order; the sum is an int32 with more bits than float32 has.
ROUNDED = 2**8


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])
def test_results_are_mxnet_s(row):
    inputs = [
        nd.array(np.array(values, dtype).reshape(shape), dtype=dtype)
        for dtype, shape, values in row["inputs"]
    ]
    operator = getattr(nd.contrib, row["operator"])
    if "names" in row:  # MXNet has another order, or other inputs with other attributes
        found = operator(**dict(zip(row["names"], inputs, strict=True)), **row["attributes"])
    else:
        found = operator(*inputs, **row["attributes"])
    found = found if isinstance(found, list) else [found]
    # MXNet multiplies uint8 data of convolutions by the range of int8.
    n_compared = 1 if row["operator"] == "quantized_conv" else len(found)
    for actual, (dtype, shape, values) in zip(found[:n_compared], row["outputs"], strict=False):
        assert (np.dtype(actual.dtype).name, list(actual.shape)) == (dtype, shape)
        expected = np.array(values, dtype).reshape(shape)
        is_rounded = dtype == "int32" and row["operator"] == "quantized_elemwise_add"
        rtol, atol = (1e-6, 0) if dtype == "float32" else (0, ROUNDED if is_rounded else 0)
        np.testing.assert_allclose(actual.asnumpy(), expected, rtol, atol)

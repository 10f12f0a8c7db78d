"""How results meet the output: requests, and outputs that share memory with an input."""

import numpy as np
import pytest

from opforge import nd
from opforge.native import calls


@pytest.mark.parametrize(("req", "factor"), [("null", 0), ("write", 1), ("inplace", 1), ("add", 1)])
def test_requests(req, factor):
    x = np.arange(6, dtype="float32").reshape(2, 3)
    out = nd.ones((3, 2)) * 10
    calls.transpose(nd.array(x), out, (1, 0), req=req)
    kept = 10 if req in ("null", "add") else 0
    np.testing.assert_array_equal(out.asnumpy(), kept + factor * x.T)


@pytest.mark.parametrize("req", ["write", "inplace", "add"])
def test_an_output_that_is_an_input(req):
    x = np.arange(9, dtype="float32").reshape(3, 3)
    both = nd.array(x)
    calls.transpose(both, both, (1, 0), req=req)
    np.testing.assert_array_equal(both.asnumpy(), x.T + (x if req == "add" else 0))


def test_an_output_that_overlaps_an_input():
    x = np.arange(10, dtype="float32")
    memory = nd.array(x)
    calls.unary("negative", memory._view(0, (9,)), memory._view(1, (9,)))
    np.testing.assert_array_equal(memory.asnumpy(), np.concatenate([[0.0], -x[:9]]))


def test_an_unknown_request():
    with pytest.raises(ValueError, match=r"'append'.*add.*inplace.*null.*write"):
        calls.transpose(nd.zeros((2, 2)), nd.zeros((2, 2)), (1, 0), req="append")

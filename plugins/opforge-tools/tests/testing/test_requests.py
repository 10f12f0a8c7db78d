"""The check of gradient requests."""

import numpy as np
import pytest

from opforge import nd
from opforge.testing import check_requests


def test_right_operators_pass():
    check_requests(lambda a, b: nd.dot(a, b), [np.ones((2, 3)), np.ones((3, 2))])
    check_requests(nd.exp, [[1.0, 2.0]])


def test_a_gradient_that_differs_between_calls_is_found():
    calls = []

    def drifting(a, b):
        calls.append(1)
        return a * b * len(calls)

    with pytest.raises(AssertionError, match="requests"):
        check_requests(drifting, [[1.0], [2.0]])

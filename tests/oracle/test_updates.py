"""Every optimizer takes the steps of MXNet's: 25 updates under 20 random settings each."""

import numpy as np
import pytest

import opforge

from . import updates


@pytest.mark.filterwarnings("ignore:Accumulating with float16")
def test_optimizers_take_the_steps_of_mxnet(oracle):
    expected = oracle("updates", dict.fromkeys(updates.OWN, 20))
    different = []
    for name, results in expected.items():
        for case, wanted in zip(updates.cases(name, 20), results, strict=True):
            found = updates.train(opforge, name, *case)
            tolerance = 2e-2 if case[-1] else 2e-5
            if not np.allclose(found, wanted, tolerance, tolerance):
                first = next(
                    step
                    for step, (a, b) in enumerate(zip(found, wanted, strict=True))
                    if not np.allclose(a, b, tolerance, tolerance)
                )
                different.append((name, case, first, np.abs(np.subtract(found, wanted)).max()))
    assert not different, "\n".join(map(str, different))

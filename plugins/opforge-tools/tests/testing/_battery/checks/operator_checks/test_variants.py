import time

import numpy as np

from opforge.op.declaring.declaration import OperatorProp


def operator(wrong):
    class Prop(OperatorProp):
        """Multiply by the magnitude; wrong where `wrong` says so."""

        name = "wrong_somewhere"

        def compose(self, F, data):
            return data * F.abs(data) * (3 if wrong(data) else 1)

    return Prop


def reference(data):
    return data * np.abs(data)


def test_a_sound_one_passes(outcome):
    for check in ("axes", "magnitudes", "large arrays"):
        found = outcome(check, operator(lambda data: False), reference=reference)
        assert found.status == "passed", found


def test_axes(outcome):
    for ndim in range(6):
        wrong = operator(lambda data, n=ndim: len(data.shape) == n)
        found = outcome("axes", wrong, reference=reference, samples=[[(7,)]])
        assert found.status == "failed", ndim
    found = outcome(
        "axes",
        "FullyConnected",
        samples=[{"inputs": [(2, 3), (4, 3), (4,)], "attributes": {"num_hidden": 4}}],
    )
    assert found.message == "its inputs have different shapes"


def test_large_arrays(outcome):
    found = outcome("large arrays", operator(lambda data: data.size > 10_000), reference=reference)
    assert found.status == "failed" and "elements differ" in found.message


def test_a_reference_that_takes_too_long_is_not_asked(outcome):
    def slow(data):
        time.sleep(2.0 ** min(data.size, 40) / 1e5)
        return data * np.abs(data)

    found = outcome("large arrays", operator(lambda data: False), reference=slow)
    assert found.status == "passed"


def test_magnitudes(outcome):
    found = outcome("magnitudes", operator(lambda data: _most(data) > 100), reference=reference)
    assert found.status == "failed"
    found = outcome("magnitudes", operator(lambda data: _most(data) < 0.01), reference=reference)
    assert found.status == "failed"


def test_values_outside_the_domain_are_skipped(outcome):
    assert outcome("magnitudes", "arcsin", samples=[[np.array([0.9])]]).status == "passed"
    assert outcome("magnitudes", "exp", reference=np.exp).status == "passed"


def _most(data):
    return float(np.abs(data.asnumpy()).max()) if hasattr(data, "asnumpy") else 0.0

import time

import numpy as np
import pytest

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


def test_other_lengths_and_axes_of_inputs_of_different_shapes(outcome):
    connected = [{"inputs": [(2, 3), (4, 3), (4,)], "attributes": {"num_hidden": 4}}]
    found = outcome("axes", "FullyConnected", samples=connected)
    # Batches, inputs and, with num_hidden=17, outputs of 17; data of three to five axes are
    # flattened, so the weight no longer fits.
    assert found.status == "passed" and found.samples >= 3
    found = outcome("axes", "broadcast_add", samples=[[(1,), (3,)]])
    assert found.status == "passed"


@pytest.mark.parametrize(
    "is_wrong", [lambda data: data.shape[1] >= 16, lambda data: len(data.shape) == 5]
)
def test_many_channels_and_five_axes(outcome, is_wrong):
    class Scale(OperatorProp):
        """Multiply each channel by its scale."""

        name = "wrong_for_some_channels"
        arguments = ("data", "scale")

        def infer_shape(self, in_shape):
            return [in_shape[0], in_shape[0][1:2]], [in_shape[0]], []

        def compose(self, F, data, scale):
            shape = (1, -1, *[1] * (len(data.shape) - 2))
            return F.broadcast_mul(data, F.reshape(scale, shape=shape)) * (
                3 if is_wrong(data) else 1
            )

    def per_channel(data, scale):
        return data * scale.reshape(-1, *[1] * (data.ndim - 2))

    found = outcome("axes", Scale, reference=per_channel, samples=[[(2, 3), (3,)]])
    assert found.status == "failed" and "differ" in found.message


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


def test_inputs_that_are_computed_from_each_other_keep_their_lengths(outcome):
    class Share(OperatorProp):
        """Divide by the given sums of rows."""

        name = "share_of_sums"
        arguments = ("data", "sums")

        def infer_shape(self, in_shape):
            return [in_shape[0], in_shape[0][:1]], [in_shape[0]], []

        def compose(self, F, data, sums):
            return F.broadcast_div(data, F.expand_dims(sums, axis=1))

    data = np.arange(1.0, 7.0).reshape(2, 3)
    found = outcome(
        "axes",
        Share,
        reference=lambda data, sums: data / data.sum(1, keepdims=True),
        samples=[[data, data.sum(1)]],
    )
    # More rows pass; in longer rows the sums would be others.
    assert found.status == "passed", found

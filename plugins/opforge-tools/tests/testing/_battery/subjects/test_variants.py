import time

import numpy as np
from opforge_tools.testing._battery.subjects.subject import OperatorSubject
from opforge_tools.testing._battery.subjects.variants import (
    enlarged,
    is_reference_fast,
    reshaped,
    reversed_inputs,
    scaled,
    stretched,
)

from opforge.op.registry import registry
from opforge.testing import Sample


def subject(name, *inputs, reference=None, wanted=None, **attributes):
    sample = Sample(inputs, attributes, wanted).drawn(np.random.default_rng(0))
    made = OperatorSubject(registry.lookup(name), [sample], reference, {}, ("float32",), 0)
    return made, sample


def test_enlarged_samples_have_more_than_a_hundred_thousand_elements():
    made, sample = subject("tanh", (2, 3))
    assert enlarged(made, sample).inputs[0].size > 100_000
    assert enlarged(*subject("tanh", ())) is None


def test_references_that_grow_fast_are_not_asked():
    assert is_reference_fast(*subject("tanh", (2, 3), reference=np.tanh))

    def exponential(data):
        time.sleep(2.0 ** min(len(data), 12) / 4000)
        return np.tanh(data)

    assert not is_reference_fast(*subject("tanh", (2, 3), reference=exponential))


def test_reshaped_samples_have_nought_to_five_axes():
    found = list(reshaped(*subject("elemwise_add", (2, 3), (2, 3))))
    assert {sample.inputs[0].ndim for sample in found} == {0, 1, 2, 3, 4, 5}
    assert all(len(set(sample.shapes)) == 1 for sample in found)
    assert not list(reshaped(*subject("broadcast_add", (2, 3), (1, 3))))
    assert not list(reshaped(*subject("tanh", np.array([1, 2]))))


def test_only_inputs_that_get_gradients_are_scaled():
    made, sample = subject("elemwise_mul", (2,), (2,), wanted=[1])
    have = scaled(made, sample, 100.0)
    assert (have.inputs[0] == sample.inputs[0]).all()
    assert (have.inputs[1] == sample.inputs[1] * 100).all()


def test_equal_lengths_become_longer_together():
    made, sample = subject("FullyConnected", (2, 3), (4, 3), (4,), num_hidden=4)
    found = list(stretched(made, sample))
    assert [alternatives[0].shapes for alternatives in found[:3]] == [
        [(17, 3), (4, 3), (4,)],
        [(2, 17), (4, 17), (4,)],
        [(2, 3), (17, 3), (17,)],
    ]
    assert found[2][1].attributes == {"num_hidden": 17}


def test_the_first_input_gets_other_numbers_of_axes():
    made, sample = subject("BatchNorm", (6, 4, 5), *[(4,)] * 4)
    found = [[one.shapes[0] for one in alternatives] for alternatives in stretched(made, sample)]
    assert found[3:] == [
        [(6, 4)],
        [(6, 4, 5, 2), (6, 2, 4, 5)],
        [(6, 4, 5, 2, 2), (6, 2, 2, 4, 5)],
    ]
    assert not list(stretched(*subject("tanh", (2, 3))))


def test_reversed_inputs_have_the_same_shapes():
    made, sample = subject("elemwise_mul", (2, 3), (2, 3), wanted=[1])
    have = reversed_inputs(made, sample)
    assert have.shapes == sample.shapes
    assert (have.inputs[0] == sample.inputs[0]).all()
    assert (have.inputs[1].ravel() == sample.inputs[1].ravel()[::-1]).all()

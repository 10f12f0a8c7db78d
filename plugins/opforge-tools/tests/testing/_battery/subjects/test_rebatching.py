import numpy as np
from opforge_tools.testing._battery.subjects.rebatching import candidates, rebatched
from opforge_tools.testing._battery.subjects.subject import OperatorSubject

from opforge.op.registry import registry
from opforge.testing import Sample

RNG = np.random.default_rng(0)


def large(name, *inputs, elements=1000, **attributes):
    sample = Sample(inputs, attributes).drawn(RNG)
    subject = OperatorSubject(registry.lookup(name), [sample], None, {}, ("float32",), 0)
    return rebatched(subject, sample, elements)


def test_values_repeat():
    sample = large("tanh", np.array([[1.0, 2.0], [3.0, 4.0]]), elements=10)
    assert sample.inputs[0].tolist() == [[1, 2], [3, 4], [1, 2], [3, 4], [1, 2]]


def test_inputs_grow_together_and_parameters_stay():
    assert large("elemwise_add", (2, 5), (2, 5)).shapes == [(200, 5), (200, 5)]
    made = large("FullyConnected", (2, 5), (3, 5), (3,), num_hidden=3)
    assert made.shapes == [(200, 5), (3, 5), (3,)]


def test_no_more_than_memory_allows():
    # A product of two long arrays would have ten to the ten elements.
    made = large("dot", (2, 10), (2, 10), elements=10**6, transpose_b=True)
    assert made is None or made.shapes == [(10**5, 10), (2, 10)]


def test_nothing_to_multiply():
    assert candidates(Sample([]), 3) == []
    assert candidates(Sample([()]).drawn(RNG), 3) == []
    assert large("tanh", (2, 0)) is None
    assert candidates(Sample([(2, 3)]).drawn(RNG), 0)[0].shapes == [(0, 3)]

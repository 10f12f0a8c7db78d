import time

from opforge_tools.testing._battery.checks.measuring import OVERHEAD, THROUGHPUT, measured

from opforge import nd
from opforge.testing import Sample, check_op


def test_figures_of_a_quick_operator():
    figures = check_op("tanh").measured
    assert 0.05 < figures[OVERHEAD] < 1000
    assert figures[THROUGHPUT] > 1e6


class Slow:
    """What is measured of an operator; it takes long for more than a hundred elements."""

    dtype = "float32"

    def __init__(self):
        self.samples = [Sample([[[1.0]]]).drawn(None)]
        self.largest = 0

    def inferred(self, sample, dtype):
        return type("Inferred", (), {"out_shapes": sample.shapes})

    def arrays(self, sample, dtype):
        return [nd.zeros(sample.shapes[0])]

    def callable_of(self, F, sample):
        def call(data):
            self.largest = max(self.largest, data.size)
            time.sleep(0.01 if data.size > 100 else 0)

        return call


def test_a_slow_operator_is_not_given_a_million():
    slow = Slow()
    assert measured(slow)[THROUGHPUT] < 1e7
    assert slow.largest == 10**4

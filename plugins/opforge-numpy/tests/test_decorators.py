import pytest
from opforge_numpy import decorators

from opforge.base.numpy_semantics import is_np_array, is_np_shape


@pytest.fixture(autouse=True)
def numpy_semantics():
    """Replace the fixture of the other tests: leave NumPy's semantics off."""


def test_functions():
    @decorators.use_np_shape
    def state(a, *, b):
        """Doc."""
        return a, b, is_np_shape(), is_np_array()

    assert state(1, b=2) == (1, 2, True, False)
    assert state.__doc__ == "Doc."
    assert decorators.use_np_array(is_np_array)()
    assert decorators.use_np(lambda: (is_np_shape(), is_np_array()))() == (True, True)
    assert not is_np_shape()
    assert not is_np_array()


def test_all_of_a_class():
    @decorators.use_np_shape
    class Probe:
        value = 3

        def __init__(self):
            self.at_start = is_np_shape()

        @staticmethod
        def static(x):
            return x, is_np_shape()

        @classmethod
        def made(cls):
            return cls, is_np_shape()

        @property
        def state(self):
            """True under the shapes of NumPy."""
            return is_np_shape()

        @state.setter
        def state(self, value):
            self.set = value, is_np_shape()

    probe = Probe()
    assert probe.at_start
    assert probe.state
    assert Probe.state.__doc__ == "True under the shapes of NumPy."
    probe.state = 5
    assert probe.set == (5, True)
    assert Probe.static(1) == (1, True)
    assert Probe.made() == (Probe, True)
    assert Probe.value == 3
    assert not is_np_shape()


def test_use_np_shape_rejects_other_objects():
    with pytest.raises(TypeError, match="use_np_shape decorates functions and classes, got 3"):
        decorators.use_np_shape(3)

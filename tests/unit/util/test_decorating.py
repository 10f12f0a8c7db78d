import pytest

from opforge import util


def test_functions():
    @util.use_np_shape
    def state(a, *, b):
        """Doc."""
        return a, b, util.is_np_shape(), util.is_np_array()

    assert state(1, b=2) == (1, 2, True, False)
    assert state.__doc__ == "Doc."
    assert util.use_np_array(util.is_np_array)()
    assert util.use_np(lambda: (util.is_np_shape(), util.is_np_array()))() == (True, True)
    assert not util.is_np_shape()
    assert not util.is_np_array()


def test_all_of_a_class():
    @util.use_np_shape
    class Probe:
        value = 3

        def __init__(self):
            self.at_start = util.is_np_shape()

        @staticmethod
        def static(x):
            return x, util.is_np_shape()

        @classmethod
        def made(cls):
            return cls, util.is_np_shape()

        @property
        def state(self):
            """What is on."""
            return util.is_np_shape()

        @state.setter
        def state(self, value):
            self.set = value, util.is_np_shape()

    probe = Probe()
    assert probe.at_start
    assert probe.state
    assert Probe.state.__doc__ == "What is on."
    probe.state = 5
    assert probe.set == (5, True)
    assert Probe.static(1) == (1, True)
    assert Probe.made() == (Probe, True)
    assert Probe.value == 3
    assert not util.is_np_shape()


def test_what_cannot_be_decorated():
    with pytest.raises(TypeError, match="use_np_shape decorates functions and classes, got 3"):
        util.use_np_shape(3)


def test_set_module():
    @util.set_module("somewhere")
    def function():
        pass

    assert function.__module__ == "somewhere"
    assert util.set_module(None)(function).__module__ == "somewhere"

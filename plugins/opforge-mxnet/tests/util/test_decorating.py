from opforge import util


def test_set_module():
    @util.set_module("somewhere")
    def function():
        pass

    assert function.__module__ == "somewhere"
    assert util.set_module(None)(function).__module__ == "somewhere"

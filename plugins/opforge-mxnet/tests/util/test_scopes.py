from opforge.util import _NumpyArrayScope, is_np_array


def test_the_scope_switches_arrays():
    scope = _NumpyArrayScope(True)
    with scope as entered:
        assert entered is scope and scope._is_np_array and is_np_array()
    assert not is_np_array()

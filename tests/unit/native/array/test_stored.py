"""Stored arrays: calls that native code cannot handle are passed to their hook."""

import pytest

from opforge import nd
from opforge.native.array import Array, StoredArray


class Recorded(StoredArray):
    shape = (1,)

    def tostype(self, stype):
        return nd.ones((1,))


@pytest.fixture
def calls(monkeypatch):
    made = []

    def call(handle, prop, inputs, attributes, out):
        made.append(handle.name)
        return "called"

    # Sparse arrays set it, when they are first used.
    monkeypatch.setattr(StoredArray, "call", staticmethod(call), raising=False)
    return made


def test_stored_array_is_an_ndarray_but_not_a_native_array():
    stored = Recorded()
    assert isinstance(stored, nd.NDArray) and not isinstance(stored, Array)
    assert issubclass(Recorded, nd.NDArray) and not issubclass(int, nd.NDArray)
    assert not isinstance(3, nd.NDArray)


@pytest.mark.parametrize(
    "call",
    [
        lambda x, y: nd.abs(x),
        lambda x, y: nd.elemwise_add(x, y),
        lambda x, y: nd.elemwise_add(y, x),
        lambda x, y: nd.clip(x, 0, 1),
        lambda x, y: nd.concat(y, x),
        lambda x, y: nd.abs(y, out=x),
        lambda x, y: nd.sum(y, out=x),
        lambda x, y: nd.split(y, 2, out=[y, x]),
        lambda x, y: nd._plus_scalar(x, 2.0),
    ],
)
def test_calls_with_stored_arrays_use_the_hook(calls, call):
    assert call(Recorded(), nd.ones((1,))) == "called"
    assert len(calls) == 1


def test_calls_with_dense_arrays_do_not_use_the_hook(calls):
    x = nd.ones((1,))
    assert nd.elemwise_add(nd.abs(x), nd.clip(x, 0, 1)).asscalar() == 2
    with pytest.raises(TypeError, match="must have NDArray type"):
        nd.abs(3)
    assert calls == []


def test_python_operators_of_a_dense_array_take_a_dense_copy():
    x = nd.ones((1,))
    assert (x + Recorded()).asscalar() == 2
    x += Recorded()
    assert x.asscalar() == 2

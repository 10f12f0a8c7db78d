"""Creation: sources, element types, devices, shared memory."""

import array as stdlib_array
import re

import numpy as np
import pytest

import opforge as mx
from opforge import nd
from opforge.base.errors import AttributeValueError, ContextError, DTypeError

DTYPES = ["float16", "float32", "float64", "uint8", "int8", "int32", "int64", "bool"]


@pytest.mark.parametrize(
    "source",
    [
        [1, 2],
        (1, 2),
        np.array([1, 2], dtype="int64"),
        np.array([1, 2], dtype=">f8"),
        np.array([1, 9, 2, 9])[::2],
        range(1, 3),
        [nd.array([1]), nd.array([2])],
        stdlib_array.array("d", [1, 2]),
        memoryview(bytes([1, 2])),
        [np.float64(1), 2],
    ],
    ids=lambda s: type(s).__name__,
)
def test_sources(source):
    x = nd.array(source)
    assert x.dtype is np.float32
    assert x.asnumpy().ravel().tolist() == [1, 2]


class Foreign:
    """An array of another library, accessible through DLPack only."""

    def __init__(self, values):
        self.values = values

    def __dlpack__(self, **options):
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


def test_dlpack():
    values = np.arange(4, dtype="int32")
    assert nd.array(Foreign(values)).asnumpy().tolist() == [0, 1, 2, 3]
    shared = nd.from_dlpack(Foreign(values))
    assert shared.dtype is np.int32
    shared[0] = 7
    assert values[0] == 7
    x = nd.arange(3)
    np.from_dlpack(x)  # the protocol without our functions
    for capsule in (nd.to_dlpack_for_read(x), x.to_dlpack_for_write()):
        y = nd.from_dlpack(capsule)
        assert y.asnumpy().tolist() == [0, 1, 2]


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int8", "bool"])
def test_the_tensor_of_a_capsule_is_shared(dtype):
    x = nd.zeros((2, 3), dtype=dtype)
    for capsule in (x.to_dlpack_for_read(), x.to_dlpack_for_write()):
        x[:] = 0
        nd.from_dlpack(capsule)[1, 2] = 1
        assert x.astype("float32").asnumpy().tolist() == [[0, 0, 0], [0, 0, 1]]


def test_dlpack_of_rows_with_gaps_is_copied():
    x = nd.from_dlpack(np.arange(6.0).reshape(2, 3)[:, :2])
    assert x.asnumpy().tolist() == [[0, 1], [3, 4]]


def test_dlpack_of_unaligned_memory_is_copied():
    memory = bytearray(9)
    unaligned = np.frombuffer(memory, "uint8")[1:].view("float32")
    x = nd.from_dlpack(unaligned)
    x[:] = 1
    assert x.asnumpy().tolist() == [1, 1] and memory == bytes(9)


@pytest.mark.parametrize("source", [[1, 2], 3, None, "text"])
def test_from_dlpack_rejects_objects_without_the_protocol(source):
    with pytest.raises(TypeError, match=rf"got {type(source).__name__}; use nd.array"):
        nd.from_dlpack(source)


@pytest.mark.parametrize("dtype", ["complex64", "datetime64[s]", "U1", "V4"])
def test_elements_that_are_not_numbers_are_named(dtype):
    source = np.zeros(2, dtype)
    with pytest.raises(TypeError, match=re.escape(f"its elements are {source.dtype}; use astype")):
        nd.array(source)
    with pytest.raises(TypeError, match="equally long rows, got"):
        nd.array(np.array([[1], [1, 2]], object))


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes(dtype):
    for x in (
        nd.array([0, 1], dtype=dtype),
        nd.zeros(2, dtype=dtype),
        nd.ones(2, dtype=np.dtype(dtype)),
        nd.full(2, 1, dtype=dtype),
        nd.empty(2, dtype=dtype),
        nd.arange(2, dtype=dtype),
    ):
        assert np.dtype(x.dtype).name == dtype and x.shape == (2,)


def test_an_ndarray_keeps_its_type():
    x = nd.array([1], dtype="int8")
    assert nd.array(x).dtype is np.int8
    assert nd.array(x, dtype="float64").dtype is np.float64


@pytest.mark.parametrize("source", [["a"], [[1, 2], [3]], object(), [1j], None])
def test_sources_that_hold_no_numbers(source):
    with pytest.raises(TypeError, match="source_array"):
        nd.array(source)


def test_errors():
    with pytest.raises(DTypeError, match="complex64"):
        nd.zeros(1, dtype="complex64")
    with pytest.raises(ContextError, match="GPU"):
        nd.zeros(1, ctx=mx.gpu())
    with pytest.raises(ValueError, match="unknown storage type 'coo', expected one of 'default'"):
        nd.zeros(1, stype="coo")
    with pytest.raises(ValueError, match="negative"):
        nd.zeros((-1,))
    with pytest.raises(AttributeValueError, match="step"):
        nd.arange(0, 1, 0)
    for repeat in (0, -1):
        with pytest.raises(AttributeValueError, match=f"repeat is {repeat}, expected at least 1"):
            nd.arange(3, repeat=repeat)
    for call, text in (
        (lambda: nd.linspace(0, 1, -1), "linspace: num is -1, expected at least 0"),
        (lambda: nd.eye(-1), "eye: N is -1"),
        (lambda: nd.eye(2, -2), "eye: M is -2"),
    ):
        with pytest.raises(AttributeValueError, match=text):
            call()
    with pytest.raises(TypeError, match="NumPy"):
        nd.from_numpy([1])


def test_constants_and_ranges():
    assert nd.zeros((1, 2)).asnumpy().tolist() == [[0, 0]]
    assert nd.ones(2, ctx=mx.cpu(1)).context == mx.cpu(1)
    assert nd.full((), 3).shape == ()
    out = nd.zeros(2)
    assert nd.ones(2, out=out) is out and out.asnumpy().tolist() == [1, 1]
    assert nd.zeros(2, out=out) is out and out.asnumpy().tolist() == [0, 0]
    assert nd.arange(5, 0, -2).asnumpy().tolist() == [5, 3, 1]
    assert nd.arange(3, 1).shape == (0,)
    assert nd.linspace(0, 1, 3).asnumpy().tolist() == [0, 0.5, 1]
    assert nd.eye(2, 3, 1, dtype="int32").asnumpy().tolist() == [[0, 1, 0], [0, 0, 1]]


def test_current_context_is_used():
    with mx.cpu(2):
        assert nd.zeros(1).context == nd.array([1]).context == nd.arange(1).context == mx.cpu(2)


def test_from_numpy():
    values = np.zeros(3, dtype="float32")
    shared, copied = nd.from_numpy(values), nd.from_numpy(values, zero_copy=False)
    shared[0] = 5
    assert values[0] == 5 and copied.asnumpy()[0] == 0
    with pytest.raises(ValueError, match="read-only"):
        values[0] = 6
    again = nd.from_numpy(values)
    again[1] = 7
    assert shared.asnumpy().tolist() == values.tolist() == [5, 7, 0]
    with pytest.raises(ValueError, match="contiguous"):
        nd.from_numpy(np.zeros((2, 4))[:, ::2])


def test_from_numpy_gives_the_requested_class():
    class Own(nd.NDArray):
        pass

    values = np.zeros(3, dtype="float32")
    shared = nd.from_numpy(values, True, Own)
    assert type(shared) is Own
    shared[0] = 5
    assert values[0] == 5
    assert type(nd.from_numpy(values, array_cls=nd.NDArray)) is nd.NDArray


def test_from_numpy_copies_read_only_arrays():
    constant = np.frombuffer(b"\0\0\x80?", dtype="float32")
    x = nd.from_numpy(constant)
    x[:] = 2
    assert constant.tolist() == [1]


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
@pytest.mark.parametrize("bounds", [(10,), (5, 100, 4), (50, -50, -2), (-100, 100, 1)])
def test_ranges_are_numpys(dtype, bounds):
    x = nd.arange(*bounds, dtype=dtype).asnumpy()
    assert x.tolist() == np.arange(*bounds, dtype=dtype).tolist()
    graph = mx.sym.arange(*bounds, dtype=dtype).eval()[0].asnumpy()
    assert graph.tolist() == x.tolist()


@pytest.mark.parametrize("bounds", [(1.3, 456.6, 1.3), (0.5, 10.2, 0.7), (1, -5, -0.3)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_ranges_of_fractions_are_numpys(dtype, bounds):
    assert (
        nd.arange(*bounds, dtype=dtype).asnumpy().tolist()
        == (
            np.dtype(dtype).type(bounds[0])
            + np.arange(len(np.arange(*bounds)), dtype=dtype) * np.dtype(dtype).type(bounds[2])
        ).tolist()
    )
    if bounds[0] == 1.3:
        assert np.array_equal(
            nd.arange(*bounds, dtype=dtype).asnumpy(), np.arange(*bounds, dtype=dtype)
        )


@pytest.mark.parametrize(
    "shape", [np.array([2, 3]), nd.array([2, 3], dtype="int32"), [np.int8(2), 3]]
)
@pytest.mark.parametrize(
    "make",
    [
        nd.zeros,
        nd.ones,
        nd.empty,
        lambda shape: nd.full(shape, 1),
        lambda shape: nd.random.uniform(shape=shape),
        lambda shape: nd.ones(6).reshape(shape),
    ],
)
def test_shapes_may_be_arrays(make, shape):
    assert make(shape).shape == (2, 3)


def test_shapes_that_are_none():
    for shape in (nd.array([2.0, 3.0]), np.array([[2]]), "23", 2.0, None):
        with pytest.raises(TypeError, match="shape must be an int or a sequence of ints"):
            nd.zeros(shape)


@pytest.mark.parametrize("make", [nd.zeros, nd.ones, nd.random.uniform, nd.random.normal])
def test_only_node_attributes_are_accepted(make):
    # Recurrent cells make states of arrays and of symbols by one call.
    assert make(shape=(2, 3), name="state", __layout__="NC").shape == (2, 3)
    with pytest.raises(TypeError, match=r"got an unexpected keyword argument 'layout'"):
        make(shape=(2, 3), layout="NC")


def test_texts_are_parsed():
    """Programs read lines of numbers from files."""
    assert nd.array(["1", "2.5"]).asnumpy().tolist() == [1, 2.5]
    large = nd.array([["9007199254740993"]], dtype="int64")
    assert large.asnumpy().tolist() == [[9007199254740993]]
    with pytest.raises(TypeError, match="its elements are <U1"):
        nd.array(["a"])

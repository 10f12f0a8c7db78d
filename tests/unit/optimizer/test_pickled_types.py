import pickle
import struct

import ml_dtypes
import numpy as np
import pytest

import opforge as mx
from opforge import nd
from opforge.base.dtypes import NUMPY_NAMES
from opforge.optimizer.pickled_data import StatesError, read_data
from opforge.optimizer.pickled_types import CountedStates, PickledTypes


def read(content, nbytes=None):
    types = PickledTypes(len(content) if nbytes is None else nbytes)

    def find(module, name):
        found = types.find(module, name)
        if found is None:
            raise StatesError(f"not data: {module}.{name}")
        return found

    return read_data(content, find)


@pytest.mark.parametrize("protocol", [0, 2, 4, 5])
@pytest.mark.parametrize("dtype", NUMPY_NAMES)
def test_numpy_arrays(dtype, protocol):
    for values in (np.arange(6).reshape(2, 3), np.zeros((0, 2)), np.arange(6).reshape(2, 3).T):
        array = values.astype(dtype)
        found = read(pickle.dumps(array, protocol))
        assert found.dtype == array.dtype
        np.testing.assert_array_equal(found, array)


def test_numpy_scalars_and_byte_orders():
    assert read(pickle.dumps(np.float32(1.5))) == np.float32(1.5)
    assert type(read(pickle.dumps(np.float32(1.5)))) is np.float32
    assert read(pickle.dumps(np.array([1, 2], ">i4"))).tolist() == [1, 2]
    assert read(pickle.dumps(np.array([1, 2], ">i4"))).dtype == np.int32
    assert read(pickle.dumps(np.ones(3, ml_dtypes.bfloat16))).dtype == ml_dtypes.bfloat16


@pytest.mark.parametrize("protocol", [0, 2, 4, 5])
def test_arrays_of_opforge(protocol):
    saved = [nd.array([[1, 2]]), nd.ones(2, dtype="bfloat16"), nd.ones(3, mx.cpu(1))]
    saved[0].attach_grad()
    saved += [saved[0].tostype("row_sparse"), saved[0].tostype("csr")]
    for array, found in zip(saved, read(pickle.dumps(saved, protocol)), strict=True):
        assert (found.stype, found.dtype, found.shape) == (array.stype, array.dtype, array.shape)
        assert found.asnumpy().tolist() == array.asnumpy().tolist()
        assert found.context == mx.cpu(0)


def test_contexts_and_ordered_dicts():
    assert read(pickle.dumps(mx.cpu(3))) == mx.cpu(3)
    assert read(b"ccollections\nOrderedDict\n)R(K\x01K\x02u.") == {1: 2}


def test_counted_states():
    counts = {0: {"w": 3}}
    content = pickle.dumps(CountedStates({"w": None}, counts), 2)
    found = read(content.replace(b"pickled_types", b"saved_states"))  # the module of old files
    assert (found, found.counts) == ({"w": None}, counts)


#: Elements of an array in MXNet's format: two of float32.
CONTENT = struct.pack("<IiiqiiIff", 0xF993FAC9, 0, 1, 2, 1, 0, 0, 1.5, 2.5)


def mxnet_array(content, kind=b"NDArray", module=b"mxnet.ndarray.ndarray"):
    build = b"}\x8c\x06handlecbuiltins\nbytearray\nC%c%s\x85Rsb" % (len(content), content)
    return b"c%s\n%s\nN\x85R%s" % (module, kind, build)


@pytest.mark.parametrize(
    "name",
    [(b"NDArray", b"mxnet.ndarray.ndarray"), (b"ndarray", b"mxnet.numpy.multiarray")],
    ids=["legacy", "numpy"],
)
def test_arrays_of_mxnet(name):
    assert read(mxnet_array(CONTENT, *name) + b".").asnumpy().tolist() == [1.5, 2.5]


def test_old_pickles_have_text_for_bytes():
    text = CONTENT.decode("latin1").encode()
    build = b"}X\x06\x00\x00\x00handlec__builtin__\nbytearray\n(X%sX\x07\x00\x00\x00latin-1tRsb" % (
        struct.pack("<I", len(text)) + text
    )
    content = (
        b"ccopy_reg\n_reconstructor\n(cmxnet.ndarray.ndarray\nNDArray\nc__builtin__\nobject\nNtR"
    )
    assert read(content + build + b".").asnumpy().tolist() == [1.5, 2.5]


TYPE = b"cnumpy\ndtype\n\x8c\x02f4\x89\x88\x87R"
BUFFER = b"cnumpy._core.numeric\n_frombuffer\n"
ARRAY = b"cnumpy._core.multiarray\n_reconstruct\n(cnumpy\nndarray\nK\x00\x85C\x01btR"
WRONG = {
    "function": (b"cbuiltins\nlen\n.", "not data: builtins.len"),
    "type of objects": (b"cnumpy\ndtype\n\x8c\x01O\x89\x88\x87R.", "elements of type 'O'"),
    "type of records": (
        b"cnumpy\ndtype\n\x8c\x06V99999\x89\x88\x87R.",
        "elements of type 'V99999'",
    ),
    "type of numbers": (b"cnumpy\ndtype\nK\x04\x89\x88\x87R.", "expected a str"),
    "byte order": (TYPE + b"(K\x03\x8c\x01?tb.", "unknown byte order"),
    "class called": (b"cnumpy\nndarray\nK\x07\x85R.", "a class is called"),
    "too few bytes": (
        BUFFER + b"(C\x04abcd" + TYPE + b"K\x02\x85\x8c\x01CtR.",
        "do not fit its shape",
    ),
    "huge": (BUFFER + b"(C\x04abcd" + TYPE + b"J\xff\xff\xff\x7f\x85\x8c\x01CtR.", "do not fit"),
    "negative": (
        BUFFER + b"(C\x04abcd" + TYPE + b"J\xff\xff\xff\xff\x85\x8c\x01CtR.",
        "negative size",
    ),
    "order": (BUFFER + b"(C\x04abcd" + TYPE + b"K\x01\x85\x8c\x01AtR.", "negative size"),
    "no content": (ARRAY + b".", "got a NoneType"),
    "set twice": (
        ARRAY + 2 * (b"(K\x01K\x01\x85" + TYPE + b"\x89C\x04abcdtb") + b".",
        "an array is set twice",
    ),
    "array without content": (b"cmxnet.ndarray.ndarray\nNDArray\nN\x85R.", "has no content"),
    "damaged array": (mxnet_array(CONTENT[:-1]) + b".", "the file is truncated"),
    "array set twice": (
        mxnet_array(CONTENT) + mxnet_array(CONTENT)[mxnet_array(CONTENT).index(b"}") :] + b".",
        "an array is set twice",
    ),
    "context": (
        b"copforge.base.context\nContext\n\x8c\x04noneK\x00\x86R.",
        "unknown context: 'none'",
    ),
    "text as bytes": (b"c_codecs\nencode\n\x8c\x01a\x8c\x05ascii\x86R.", "is used as bytes"),
    "restored": (b"ccopyreg\n_reconstructor\n(K\x01K\x01NtR.", "an unknown class is restored"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_damaged_files(kind):
    content, message = WRONG[kind]
    with pytest.raises(mx.base.MXNetError, match=message):
        read(content)


def test_bytes_that_many_arrays_share_count_for_each():
    one = ARRAY + b"(K\x01K\x01\x85" + TYPE + b"\x89%stb"
    content = b"(" + one % b"C\x04abcd\x94" + one % b"h\x00" + b"t."
    assert len(read(content)) == 2
    with pytest.raises(StatesError, match="more than the 7 bytes of the file"):
        read(content, 7)


def test_indices_of_sparse_arrays_are_checked():
    array = nd.array([[1, 2]]).tostype("csr")
    rebuild, (kind, shape, (data, indices, starts), gradient) = array.__reduce__()

    class Wrong:
        def __reduce__(self):
            return rebuild, (kind, shape, (data, indices + 7, starts), gradient)

    with pytest.raises(mx.base.MXNetError, match="indices"):
        read(pickle.dumps(Wrong()))

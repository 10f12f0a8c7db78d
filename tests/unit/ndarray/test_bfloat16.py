"""bfloat16 in the hands of users: creation, arithmetic, gradients, graphs, files, NumPy."""

import pickle
import struct

import ml_dtypes
import numpy as np
import pytest

import opforge as mx
from opforge import autograd, nd, sym
from opforge.base.errors import DTypeError

BFLOAT16 = ml_dtypes.bfloat16


def example():
    return nd.array([[1, 2.5, -3], [4, 5, 300.7]], dtype="bfloat16")


def test_creation_and_printing():
    x = example()
    assert str(x) == "\n[[  1.    2.5  -3. ]\n [  4.    5.  300. ]]\n<NDArray 2x3 @cpu(0)>"
    assert (x.dtype, x.nbytes, x.asnumpy().dtype) == (BFLOAT16, 12, np.dtype(BFLOAT16))
    for make in (nd.zeros, nd.ones, nd.empty):
        assert make((2,), dtype=BFLOAT16).dtype is BFLOAT16
    assert nd.full((2,), 0.1, dtype="bfloat16").tolist() == [0.10009765625] * 2
    assert nd.arange(3, dtype="bfloat16").tolist() == [0, 1, 2]
    assert nd.random.normal(shape=(3,), dtype="bfloat16").dtype is BFLOAT16
    assert nd.array(x.asnumpy(), dtype="bfloat16").tolist() == x.tolist()
    assert nd.array(x.asnumpy()).dtype is np.float32
    assert x[1, 2].asscalar() == 300 and float(x[0, 1]) == 2.5


def test_casts():
    x = example()
    assert x.astype("int32").tolist() == [[1, 2, -3], [4, 5, 300]]
    assert x.astype("float16").astype("bfloat16").tolist() == x.tolist()
    assert nd.Cast(nd.array([1, 257]), dtype="bfloat16").tolist() == [1, 256]


def test_assignment():
    x = example()
    x[0] = 7
    x[1, 1:] = nd.array([1.5, 2.5], dtype="bfloat16")
    x[1, 0] = np.array(3.5, BFLOAT16)
    assert x.tolist() == [[7, 7, 7], [3.5, 1.5, 2.5]]
    x += 1
    assert x.tolist() == [[8, 8, 8], [4.5, 2.5, 3.5]]


def test_sums_accumulate_in_float32():
    assert nd.ones((1000,), dtype="bfloat16").sum().asscalar() == 1000  # 256 if added in bfloat16
    assert nd.ones((1000, 3), dtype="bfloat16").mean(axis=0).tolist() == [1, 1, 1]


def test_types_are_not_mixed():
    x = example()
    with pytest.raises(DTypeError, match="bfloat16"):
        x + nd.ones((2, 3))
    assert (x + 1.5).dtype is BFLOAT16


def test_gradients():
    x = example()
    x.attach_grad()
    with autograd.record():
        y = (nd.exp(x / 300) * x).sum()
    y.backward()
    assert x.grad.dtype is BFLOAT16
    values = x.asnumpy().astype("float64")
    expected = np.exp(values / 300) * (1 + values / 300)
    np.testing.assert_allclose(x.grad.asnumpy().astype("float64"), expected, rtol=0.02)


def test_graphs_and_their_files(tmp_path):
    x = example()
    graph = sym.broadcast_mul(sym.var("x", dtype="bfloat16") * 2, sym.var("w", dtype=BFLOAT16))
    assert '"__dtype__": "12"' in graph.tojson()  # MXNet's code
    graph.save(str(tmp_path / "graph.json"))
    graph = sym.load(str(tmp_path / "graph.json"))
    assert graph.infer_type()[1] == [BFLOAT16]
    executor = graph.simple_bind(mx.cpu(), x=(2, 3), w=(1, 3))
    executor.copy_params_from({"x": x, "w": nd.ones((1, 3), dtype="bfloat16")})
    (y,) = executor.forward(is_train=True)
    executor.backward(nd.ones((2, 3), dtype="bfloat16"))
    assert y.tolist() == [[2, 5, -6], [8, 10, 600]]
    assert executor.grad_dict["w"].tolist() == [[10, 15, 592]]  # 594, a tie


@pytest.mark.parametrize("name", ["x.params", "x.safetensors"])
def test_files(tmp_path, name):
    x = example()
    path = str(tmp_path / name)
    nd.save(path, {"x": x, "y": nd.ones((2,))})
    found = nd.load(path)
    assert found["x"].dtype is BFLOAT16 and found["x"].tolist() == x.tolist()
    assert found["y"].dtype is np.float32


def test_the_code_in_files_is_mxnets(tmp_path):
    x = example()
    path = tmp_path / "x.params"
    nd.save(str(path), [x])
    head = 8 + 8 + 8 + 4 + 4 + (4 + 2 * 8) + 8  # magic, reserved, count, array: magic ... device
    assert struct.unpack_from("<i", path.read_bytes(), head) == (12,)


def test_copies_and_pickles():
    x = example()
    assert pickle.loads(pickle.dumps(x)).tolist() == x.copy().tolist() == x.tolist()


def test_the_buffer_protocol_has_no_format_for_it():
    x = example()
    with pytest.raises(BufferError, match=r"no format for bfloat16; use asnumpy\(\) or DLPack"):
        memoryview(x)
    assert np.asarray(x).dtype == BFLOAT16


@pytest.mark.parametrize("name", ["sgd", "nag", "adam", "rmsprop", "adagrad", "adadelta"])
@pytest.mark.parametrize("multi_precision", [False, True])
@pytest.mark.filterwarnings("ignore:Accumulating with bfloat16:UserWarning")
def test_optimizers(name, multi_precision):
    weights = {}
    for dtype in ("float32", "bfloat16"):
        optimizer = mx.optimizer.create(
            name, learning_rate=0.5, multi_precision=multi_precision and dtype == "bfloat16"
        )
        w, g = nd.ones((600,), dtype=dtype), nd.full((600,), 0.5, dtype=dtype)
        state = optimizer.create_state_multi_precision(0, w)
        for _ in range(3):
            optimizer.update_multi_precision(0, w, g, state)
        weights[dtype] = w.asnumpy().astype("float32")
    np.testing.assert_allclose(weights["bfloat16"], weights["float32"], rtol=0.03, atol=0.01)


@pytest.mark.plugins
def test_operators_in_c_reject_it_by_default():
    with pytest.raises(mx.MXNetError, match="expected float32 or float64"):
        nd.op._winograd_weight(nd.zeros((16, 1, 3, 3), dtype="bfloat16"))

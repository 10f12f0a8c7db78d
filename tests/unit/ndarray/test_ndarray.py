"""NDArray and the namespace: properties of MXNet 1.9.1, copies, views, gradients, errors."""

import copy
import io
import json
import pickle
import subprocess
import sys
import weakref
from pathlib import Path

import numpy as np
import pytest

import opforge as mx
from opforge import autograd, nd
from opforge.base.errors import OperatorNotFoundError, OpforgeError, ShapeError
from opforge.ndarray.array_classes import as_class

# Recorded from MXNet 1.9.1: results of expressions, and arrays after assignments.
FACTS = json.loads((Path(__file__).parent / "mxnet_facts.json").read_text())


def arrays():
    b = nd.arange(6).reshape((2, 3))
    return {
        "a": nd.arange(24).reshape((2, 3, 4)),
        "v": nd.arange(5),
        "z": nd.array(3),
        "b": b,
        "i32": b.astype("int32"),
        "c": nd.array([[3, 1, 2], [9, -7, 8]]),
        "nd": nd,
        "np": np,
        "mx": mx,
    }


def check(result, fact):
    if isinstance(fact, list):
        assert len(result) == len(fact)
        for one, other in zip(result, fact, strict=True):
            check(one, other)
    elif isinstance(fact, dict):
        assert list(result.shape) == fact["shape"]
        assert np.dtype(result.dtype).name == fact["dtype"]
        np.testing.assert_allclose(result.asnumpy().ravel(), fact["values"], rtol=2e-5, atol=1e-6)
    else:
        assert repr(result) == fact


@pytest.mark.parametrize("expression", FACTS["reads"])
@pytest.mark.filterwarnings("ignore:an NDArray is indexed by the result")
def test_expression_as_in_mxnet(expression):
    with np.errstate(all="ignore"):
        check(eval(expression, arrays()), FACTS["reads"][expression])


@pytest.mark.parametrize("expression", FACTS["index_errors"])
def test_index_error_as_in_mxnet(expression):
    with pytest.raises(IndexError):
        eval(expression, arrays())


@pytest.mark.parametrize("statement", FACTS["writes"])
@pytest.mark.filterwarnings("ignore:an NDArray is indexed by the result")
def test_assignment_as_in_mxnet(statement):
    x = nd.arange(12).reshape((3, 4))
    exec(statement, {"x": x, "nd": nd, "np": np})
    assert x.asnumpy().ravel().tolist() == FACTS["writes"][statement]


def test_repr():
    assert repr(nd.array([1, 2])) == "\n[1. 2.]\n<NDArray 2 @cpu(0)>"
    assert repr(nd.array(3)) == "\n3.0\n<NDArray  @cpu(0)>"
    assert repr(nd.zeros((2, 1), ctx=mx.cpu(1))) == "\n[[0.]\n [0.]]\n<NDArray 2x1 @cpu(1)>"
    assert repr(nd.zeros((0, 3))) == "\n[]\n<NDArray 0x3 @cpu(0)>"


def test_reshape_shares_memory_and_leads_back():
    x = nd.arange(6)
    y = x.reshape((2, 3))
    y[:] = 0
    assert x.asnumpy().tolist() == [0] * 6
    x.attach_grad()
    with autograd.record():
        z = (x.reshape((2, -1)) * nd.array([[1, 2, 3], [4, 5, 6]])).sum()
    z.backward()
    assert x.grad.asnumpy().tolist() == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x.reshape(7),
        lambda x: x.reshape((4, 4)),
        lambda x: x.reshape((-1, -1)),
        lambda x: x.reshape((-5,)),
    ],
)
def test_reshape_errors(call):
    with pytest.raises(ShapeError):
        call(nd.zeros((2, 3)))
    with pytest.raises(TypeError, match="unknown arguments"):
        nd.zeros(2).reshape((1, 2), order="C")


def test_transpose_takes_axes_in_two_forms():
    x = nd.zeros((2, 3, 4))
    assert x.transpose(1, 0, 2).shape == x.transpose((1, 0, 2)).shape == (3, 2, 4)
    assert x.T.shape == x.transpose().shape == (4, 3, 2)


def test_copies_are_independent():
    x = nd.array([1, 2])
    for twin in (x.copy(), copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x)), x[:] * 1):
        twin[:] = 9
        assert x.asnumpy().tolist() == [1, 2]
    y = pickle.loads(pickle.dumps(nd.ones((2, 0), ctx=mx.cpu(2), dtype="int8")))
    assert (y.shape, y.dtype, y.context) == ((2, 0), np.int8, mx.cpu(2))


def test_astype():
    x = nd.array([1.7, -2.2])
    assert x.astype("int32").asnumpy().tolist() == [1, -2]
    assert x.astype("float32", copy=False) is x
    assert x.astype("float32") is not x
    assert x.astype(nd.zeros(1, dtype="int8")).dtype == np.int8  # an array stands for its type
    assert x.reshape((1, 2)).tostype("csr").astype(nd.zeros(1, dtype="float64")).dtype == np.float64
    assert x.astype(x, copy=False) is x


def test_copyto():
    x, y = nd.array([1, 2]), nd.zeros(2, dtype="float64")
    assert x.copyto(y) is y
    assert y.asnumpy().tolist() == [1, 2]
    assert x.copyto(mx.cpu(3)).context == mx.cpu(3)
    with pytest.raises(ShapeError, match="shape"):
        x.copyto(nd.zeros(3))
    with pytest.raises(TypeError, match="copyto"):
        x.copyto("cpu")


def test_copies_for_contexts_keep_the_class():
    own = type("Own", (nd.NDArray,), {})
    x = as_class(nd.ones(2), own)
    for context in (mx.cpu(0), mx.cpu(1)):
        assert type(x.copyto(context)) is type(x.as_in_context(context)) is own


def test_gradient_crosses_devices():
    x = nd.array([1, 2])
    x.attach_grad()
    with autograd.record():
        y = x.as_in_context(mx.cpu(1)) * 3
    y.backward()
    assert x.grad.asnumpy().tolist() == [3, 3]


def test_iteration_and_length():
    x = nd.array([[1, 2], [3, 4]])
    assert [row.asnumpy().tolist() for row in x] == [[1, 2], [3, 4]]
    assert len(x) == 2 and list(nd.array(1)) == []
    assert 3 in x and 5 not in x


def test_numbers():
    assert float(nd.array([2.5])) == 2.5 and int(nd.array([2])) == 2
    assert [10, 20][nd.array([1], dtype="int32")] == 20
    assert bool(nd.array([0])) is False
    with pytest.raises(ValueError, match="ambiguous"):
        bool(nd.zeros(2))
    with pytest.raises(ValueError, match="The current array is not a scalar"):
        nd.zeros(2).asscalar()


def test_attach_grad_and_fresh_flag():
    x = nd.array([1, 2])
    assert x.grad is None
    x.attach_grad()
    assert x.grad.asnumpy().tolist() == [0, 0] and not x._fresh_grad
    with autograd.record():
        y = x * x
    y.backward(nd.array([1, 10]))
    assert x.grad.asnumpy().tolist() == [2, 40] and x._fresh_grad
    x._fresh_grad = False
    assert not x._fresh_grad
    x.attach_grad("null")
    assert x.grad is None
    with pytest.raises(ValueError, match="req"):
        x.attach_grad("sometimes")


def test_detach_stops_the_gradient():
    x = nd.array([2])
    x.attach_grad()
    with autograd.record():
        y = x * x.detach()
    y.backward()
    assert x.grad.asscalar() == 2


def test_inplace_on_recorded_arrays_is_rejected():
    x = nd.array([1, 2])
    x.attach_grad()
    with autograd.record():
        y = x * 2
        with pytest.raises(OpforgeError, match="Inplace"):
            y += 1
        with pytest.raises(OpforgeError, match="Inplace"):
            y[:] = 1
    x += 1
    assert x.asnumpy().tolist() == [2, 3]


def test_weak_references_and_no_stray_attributes():
    x = nd.zeros(1)
    assert weakref.ref(x)() is x
    with pytest.raises(AttributeError):
        x.stray = 1


def test_an_array_is_dense_and_may_be_stored_otherwise():
    x = nd.zeros(1)
    assert x.stype == "default" and x.tostype("default") is x and x.as_nd_ndarray() is x
    assert x.tostype("row_sparse").stype == "row_sparse"
    x.attach_grad(stype="row_sparse")
    assert x.grad.stype == "row_sparse"


def test_out_is_written():
    out = nd.zeros((2, 2))
    assert nd.dot(nd.ones((2, 3)), nd.ones((3, 2)), out=out) is out
    assert out.asnumpy().tolist() == [[3, 3], [3, 3]]
    with pytest.raises(ShapeError, match="out has shape"):
        nd.exp(nd.zeros(3), out=out)


def test_unknown_names():
    with pytest.raises(AttributeError):
        nd.no_such_operator  # noqa: B018 - the look-up is what is tested
    with pytest.raises(OperatorNotFoundError, match="expand_dims"):
        nd.expand_dim  # noqa: B018
    assert not hasattr(nd, "__wrapped__")


def test_names_are_listed():
    names = dir(nd)
    assert {"exp", "broadcast_add", "array", "save", "random", "NDArray"} <= set(names)
    assert nd.flatten is not None and nd.flatten.__name__ == "flatten"


def test_import_makes_no_functions():
    code = "import opforge.ndarray as nd; print('exp' in vars(nd))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


#: A dict of two arrays, pickled by MXNet 1.9.1.
MXNET_PICKLE = (
    b"\x80\x04\x95\xd4\x00\x00\x00\x00\x00\x00\x00}\x94(\x8c\x01w\x94\x8c\x15mxnet.ndarray.ndarray"
    b"\x94\x8c\x07NDArray\x94\x93\x94N\x85\x94R\x94}\x94\x8c\x06handle\x94\x8c\x08builtins\x94"
    b"\x8c\tbytearray\x94\x93\x94C8\xc9\xfa\x93\xf9\x00\x00\x00\x00\x02\x00\x00\x00\x02\x00\x00\x00"
    b"\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
    b"\x00\x00\x00\x80?\x00\x00 @\x00\x00@@\x00\x00\x80@\x94\x85\x94R\x94sb\x8c\x01i\x94h\x04h\x05"
    b"R\x94"
    b"}\x94h\x08h\x0bC$\xc9\xfa\x93\xf9\x00\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00"
    b"\x01\x00\x00\x00\x00\x00\x00\x00\x04\x00\x00\x00\x07\x00\x00\x00\x94\x85\x94R\x94sbu."
)


class _FromMXNet(pickle.Unpickler):
    """Finds MXNet's classes here, as the program `python -m opforge.mxnet` does."""

    def find_class(self, module, name):
        return super().find_class(module.replace("mxnet", "opforge"), name)


def test_pickles_of_mxnet_are_read():
    arrays = _FromMXNet(io.BytesIO(MXNET_PICKLE)).load()
    assert arrays["w"].asnumpy().tolist() == [[1, 2.5], [3, 4]]
    assert (arrays["w"].dtype, arrays["w"].context) == (np.float32, mx.cpu())
    assert (arrays["i"].asnumpy().tolist(), arrays["i"].dtype) == ([7], np.int32)
    assert (arrays["w"] + 1).sum().asscalar() == 14.5


@pytest.mark.parametrize("state", [None, {}, {"handle": None}, {"handle": 3}, 5, nd.ones(1)])
def test_other_states_are_rejected(state):
    with pytest.raises(TypeError, match="state of a pickled array"):
        nd.ones(2).__setstate__(state)


def test_a_state_that_is_damaged_or_does_not_fit_is_rejected():
    with pytest.raises(OpforgeError, match="pickle is not an array file or is damaged"):
        nd.ones(2).__setstate__({"handle": b"junk junk junk"})
    content = MXNET_PICKLE[MXNET_PICKLE.index(b"\xc9\xfa") :][:56]
    with pytest.raises(ValueError, match="shape"):
        nd.ones((3, 5)).__setstate__({"handle": content})
    filled = nd.zeros((2, 2))
    filled.__setstate__({"handle": bytearray(content)})
    assert filled.asnumpy().tolist() == [[1, 2.5], [3, 4]]

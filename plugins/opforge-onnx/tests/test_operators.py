"""Each operator gives the same numbers in ONNX Runtime, in old and new versions of ONNX."""

import numpy as np
import pytest

import opforge as mx
from opforge import nd, sym

from .cases import CASES

#: The oldest, the first with LayerNormalization, the default, and one after it.
OPSETS = (13, 17, 21, 23)


def values(shape, kind, generator, is_index):
    """Return an input of a kind; see `cases`."""
    if kind == "positive":
        return generator.uniform(0.5, 2, shape).astype("float32")
    if kind == "unit":
        return generator.uniform(-0.9, 0.9, shape).astype("float32")
    if kind == "tied":
        return np.resize(np.arange(-5, 6) / 2, shape).astype("float32")
    if kind in ("lengths", "counts") and is_index:
        return generator.integers(1, 4, shape).astype("int32" if kind == "counts" else "float32")
    if isinstance(kind, int) and is_index:
        return generator.integers(-1, kind + 1, shape).astype("float32")
    return generator.standard_normal(shape).astype("float32")


def call(namespace, name, *inputs, **attributes):
    """Call an operator by its name, which may have a prefix such as ``contrib.``."""
    found = namespace
    for part in name.split("."):
        found = getattr(found, part) if part[0] != "_" else getattr(namespace._internal, part)
    return found(*inputs, **attributes)


def ids(case):
    name, shapes, attributes, _ = case
    sizes = ("x".join(map(str, shape)) for shape in shapes)
    return "-".join((name, *sizes, *attributes))


#: Input that holds the indices, where it is not the last one.
FIRST = ("one_hot", "Embedding", "where")


@pytest.mark.parametrize("opset", OPSETS)
@pytest.mark.parametrize("case", CASES, ids=ids)
def test_an_operator(case, opset, run, tmp_path):
    name, shapes, attributes, kind = case
    generator = np.random.default_rng(1)
    index = 0 if name in FIRST else len(shapes) - 1
    arrays = [
        values(shape, kind, generator, position == index) for position, shape in enumerate(shapes)
    ]
    want = call(nd, name, *(nd.array(a, dtype=a.dtype) for a in arrays), **attributes)
    wanted = want if isinstance(want, list) else [want]
    symbol = call(sym, name, *(sym.var(f"x{i}") for i in range(len(shapes))), **attributes)
    types = [array.dtype for array in arrays]
    path = mx.onnx.export_model(symbol, {}, shapes, types, tmp_path / "m.onnx", opset=opset)
    found = run(path, *arrays)
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted, strict=True):
        other = other.asnumpy()
        assert (one.shape, one.dtype) == (other.shape, other.dtype)
        np.testing.assert_allclose(one, other, rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("opset", OPSETS)
def test_entries_at_indices(opset, run, tmp_path):
    indices = np.array([[0, 2, 1], [1, 0, 1]], "float32")
    data = np.arange(6, dtype="float32").reshape(3, 2)
    entries = np.array([5, 6, 7], "float32")
    x, at, y = sym.var("x"), sym.var("at"), sym.var("y")
    symbol = sym.Group([sym.gather_nd(x, at), sym.scatter_nd(y, at, shape=(3, 2))])
    names = symbol.list_arguments()
    given = {"x": data, "at": indices, "y": entries}
    arrays = [given[name] for name in names]
    shapes, types = [a.shape for a in arrays], [a.dtype for a in arrays]
    path = mx.onnx.export_model(symbol, {}, shapes, types, tmp_path / "m.onnx", opset=opset)
    read, written = run(path, *arrays)
    assert read.tolist() == [1, 4, 3]
    assert written.tolist() == [[0, 5], [0, 7], [6, 0]]

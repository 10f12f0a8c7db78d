"""Each operator gives the same numbers in ONNX Runtime, in old and new versions of ONNX."""

import numpy as np
import pytest

import opforge as mx
from opforge import nd, sym
from opforge.onnx import ExportError

from .cases import CASES, FIRST_OPSETS, LAST_OPSETS

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
    if kind == "holes":
        numbers = np.arange(1, 1 + np.prod(shape), dtype="float32")
        numbers[:2] = np.nan, np.inf
        return numbers.reshape(shape)
    if kind == "rows" and is_index:
        return np.resize(generator.permutation(shape[-1]), shape).astype("float32")
    if kind == "sorted" and is_index:
        return np.sort(generator.standard_normal(shape)).astype("float32")
    if kind == "regions" and is_index:
        begin = generator.uniform(0, 5, (shape[0], 2))
        end = begin + generator.uniform(0, 5, begin.shape)
        images = np.arange(shape[0])[:, None] % 2 - 1
        return np.concatenate([images, begin, end], 1).astype("float32")
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


#: Operator -> input that holds the indices, where it is not the last one.
INDICES = {
    "one_hot": 0,
    "Embedding": 0,
    "where": 0,
    "random_pdf_poisson": 0,
    "contrib.index_copy": 1,
    "contrib.count_sketch": 1,
}


def draw(case, shapes):
    """Return inputs of some shapes for a case."""
    generator = np.random.default_rng(1)
    at = INDICES.get(case[0], len(shapes) - 1)
    return [values(shape, case[3], generator, i == at) for i, shape in enumerate(shapes)]


@pytest.mark.parametrize("opset", OPSETS)
@pytest.mark.parametrize("case", CASES, ids=ids)
def test_an_operator(case, opset, run, tmp_path):
    name, shapes, attributes, _ = case
    arrays = draw(case, shapes)
    want = call(nd, name, *(nd.array(a, dtype=a.dtype) for a in arrays), **attributes)
    wanted = want if isinstance(want, list) else [want]
    symbol = call(sym, name, *(sym.var(f"x{i}") for i in range(len(shapes))), **attributes)
    types = [array.dtype for array in arrays]
    path = tmp_path / "m.onnx"
    if not FIRST_OPSETS.get(name, 0) <= opset <= LAST_OPSETS.get(name, opset):
        with pytest.raises(ExportError, match=r"; use opset \d+ or (later|older)"):
            mx.onnx.export_model(symbol, {}, shapes, types, path, opset=opset)
        return
    mx.onnx.export_model(symbol, {}, shapes, types, path, opset=opset)
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

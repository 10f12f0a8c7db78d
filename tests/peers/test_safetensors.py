"""safetensors files, compared with the library that defines them."""

import numpy as np
import pytest

from opforge import nd
from opforge.base.dtypes import NAMES

theirs = pytest.importorskip("safetensors.numpy", reason="a peer: pip install safetensors")


@pytest.fixture
def values():
    rng = np.random.default_rng(0)
    shapes = [(3, 5), (0, 2), (7,), (1, 2, 3)]
    return {
        f"{name}.{dtype}": (10 * rng.standard_normal(shape)).astype(dtype)
        for dtype in NAMES
        for name, shape in zip("abcd", shapes, strict=True)
    }


def test_files_saved_by_opforge_load_in_safetensors(tmp_path, values):
    path = tmp_path / "model.safetensors"
    nd.save(path, {name: nd.array(value, dtype=value.dtype) for name, value in values.items()})
    found = theirs.load_file(path)
    assert found.keys() == values.keys()
    for name, value in values.items():
        assert found[name].dtype == value.dtype
        np.testing.assert_array_equal(found[name], value)


def test_files_saved_by_safetensors_load(tmp_path, values):
    path = tmp_path / "model.safetensors"
    theirs.save_file(values, path, metadata={"format": "np"})
    for found in (nd.load(path), nd.load_frombuffer(path.read_bytes())):
        assert found.keys() == values.keys()
        for name, value in values.items():
            np.testing.assert_array_equal(found[name].asnumpy(), value)


def test_both_write_the_same_bytes(values):
    few = {name: values[name] for name in ("a.float32", "a.int8", "c.float64")}
    ours = nd.load_frombuffer(theirs.save(few))
    assert {name: array.tolist() for name, array in ours.items()} == {
        name: value.tolist() for name, value in few.items()
    }

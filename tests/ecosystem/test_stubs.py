"""The stubs that ``opforge stubs`` writes, checked with a type checker."""

import os
import subprocess
import sys

import pytest
from opforge_tools.reference.files import write_files
from opforge_tools.reference.stubs import stub_texts

pytestmark = pytest.mark.slow

RIGHT = """\
from typing import Any, assert_type

import numpy as np

import opforge as mx
from opforge import gluon, nd, sym
from opforge.gluon import nn
from opforge.typing import Operators

x = nd.ones((2, 3))
y = nd.softmax(x, axis=1)
reveal_type(y)
z = mx.nd.tile(nd.op.softmax(y), (2, 1))
reveal_type(sym.softmax(sym.var("x"), axis=0, name="s"))
nd.concat(x, x, dim=0)
nd.FullyConnected(x, x, num_hidden=3, no_bias=True)
nd.save("x", [nd.random.uniform(0, 1, (2,))])
layer = gluon.nn.Dense(units=2, activation="relu")
mx.autograd.record()


assert_type(mx.nd.array([1, 2]), nd.NDArray)
assert_type(x + 1, nd.NDArray)
assert_type(2 - x, nd.NDArray)
assert_type(x * np.float32(3), nd.NDArray)
assert_type(x / np.ones((2, 3)), nd.NDArray)
assert_type(-x @ x.T, nd.NDArray)
assert_type(x == x, nd.NDArray)
assert_type(x > 1, nd.NDArray)
assert_type(x[0].reshape((3, 1)).astype("int32"), nd.NDArray)
assert_type(x.exp().std(axis=0), nd.NDArray)
assert_type(x.shape, tuple[int, ...])
assert_type(x.tolist(), list[Any])
x += 1
for row in x:
    assert_type(row, nd.NDArray)


class Net(gluon.HybridBlock):
    def hybrid_forward(self, F: Operators, x: nd.NDArray) -> nd.NDArray:
        reveal_type(F.softmax(x, axis=1))
        return F.softmax(x)
"""
WRONG = {
    'nd.softmax(x, axis="one")': 'Argument "axis" to "softmax" has incompatible type "str"',
    "nd.softmax(x, axes=1)": 'Unexpected keyword argument "axes" for "softmax"',
    "nd.tile(x)": 'Missing positional argument "reps" in call to "tile"',
    'nd.Activation(x, act_type="rellu")': "incompatible type \"Literal['rellu']\"",
    'sym.softmax(sym.var("x"), axis=1.5)': 'Argument "axis" to "softmax" has incompatible type',
    'gluon.nn.Dense("3")': 'Argument 1 to "Dense" has incompatible type "str"; expected "int"',
    "gluon.nn.Dens(3)": 'Module has no attribute "Dens"; maybe "Dense"?',
    "nd.sofmax(x)": 'Module has no attribute "sofmax"',
    'x + "1"': "Unsupported operand types for +",
    "x.shape = (3, 2)": 'Property "shape" defined in "Array" is read-only',
}


def test_mypy_checks_calls_of_operators(tmp_path):
    pytest.importorskip("mypy", reason="mypy checks the stubs: pip install mypy")
    write_files(tmp_path / "stubs", stub_texts())
    lines = ["from opforge import gluon, nd, sym", "x = nd.ones((2, 3))", *WRONG]
    (tmp_path / "right.py").write_text(RIGHT)
    (tmp_path / "wrong.py").write_text("\n".join(lines) + "\n")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "right.py", "wrong.py"],
        cwd=tmp_path,
        # It stands for site-packages, where the command writes by default.
        env={**os.environ, "PYTHONPATH": str(tmp_path / "stubs")},
        capture_output=True,
        text=True,
        check=False,
    )
    found = done.stdout.splitlines()
    notes = [line.partition("note: Revealed type is ")[2] for line in found if "Revealed" in line]
    array, symbol = '"opforge.ndarray.ndarray.NDArray"', '"opforge.symbol.symbol.Symbol"'
    assert notes == [array, symbol, array], done.stdout
    assert not [line for line in found if line.startswith("right.py") and "error:" in line]
    for number, (call, message) in enumerate(WRONG.items(), 3):
        errors = [line for line in found if line.startswith(f"wrong.py:{number}: error:")]
        assert [e for e in errors if message in e], f"{call}: {errors}"

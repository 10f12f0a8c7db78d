"""A program that uses only symbols."""

import subprocess
import sys

PROGRAM = """
import opforge.symbol as sym

bound = (sym.var("x") * 2).simple_bind(None, x=(2,))
bound.arg_dict["x"][:] = 3
print(type(bound.forward()[0]).__name__, bound.outputs[0].asnumpy())
"""


def test_its_arrays_are_those_of_nd():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False
    )
    assert done.stdout == "NDArray [6. 6.]\n", done.stderr

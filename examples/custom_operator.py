"""Define a custom operator in ten lines and check its gradient with finite differences.

Run it with ``python examples/custom_operator.py``.
"""

# ruff: noqa: D101, D102 - the methods are those of the base classes
import numpy as np

import opforge
from opforge import autograd, nd
from opforge.test_utils import check_numeric_gradient


class Swish(opforge.operator.CustomOp):
    def forward(self, is_train, req, in_data, out_data, aux):
        x = in_data[0].asnumpy()
        self.assign(out_data[0], req[0], x / (1 + np.exp(-x)))

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        x, y = in_data[0].asnumpy(), out_data[0].asnumpy()
        s = 1 / (1 + np.exp(-x))
        self.assign(in_grad[0], req[0], out_grad[0].asnumpy() * (y + s * (1 - y)))


@opforge.operator.register("swish")
class SwishProp(opforge.operator.CustomOpProp):
    def create_operator(self, ctx, shapes, dtypes):
        return Swish()


def main() -> None:
    """Call the operator, print its gradient and check it."""
    x = nd.array([-1.0, 0.0, 1.0, 2.0])
    x.attach_grad()
    with autograd.record():
        y = nd.Custom(x, op_type="swish")
    y.backward()
    print("swish   ", y.asnumpy())
    print("gradient", x.grad.asnumpy())
    check_numeric_gradient(lambda x: nd.Custom(x, op_type="swish"), [x])
    print("the gradient agrees with finite differences")


if __name__ == "__main__":
    main()

import numpy as np
import pytest

from opforge.op.declaring.custom import CustomOp
from opforge.op.declaring.declaration import OperatorProp


class SumRows(OperatorProp):
    """Sum the rows, but say nothing of the shape."""

    name = "sum_rows"

    def compose(self, F, data):
        return F.sum(data, axis=0)


class Spread(OperatorProp):
    """Assign one row for all."""

    name = "spread"

    def create_operator(self, ctx, shapes, dtypes):
        return _Spread()


class _Spread(CustomOp):
    def forward(self, is_train, req, in_data, out_data, aux):
        self.assign(out_data[0], req[0], in_data[0].asnumpy()[:1])

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        self.assign(in_grad[0], req[0], out_grad[0])


class Contradicts(OperatorProp):
    """Complete the second shape with one that gives another result."""

    name = "contradicts"
    arguments = ("data", "weight")

    def infer_shape(self, in_shape):
        data, weight = in_shape
        if not weight:
            return [data, (2, *data)], [data], []
        return [data, weight], [(2, *data)] if len(weight) > len(data) else [data], []

    def compose(self, F, data, weight):
        return data * 1


@pytest.mark.parametrize(
    ("faulty", "samples", "text"),
    [
        (SumRows, [[(2, 3)]], "inference gave"),
        (Spread, [[(2, 3)]], "forward assigns a value of shape (1, 3) for an output of shape"),
        (Contradicts, [[(3,), (3,)]], "from the shape of input 0 alone"),
    ],
)
def test_faults(outcome, faulty, samples, text):
    found = outcome("inference", faulty, samples=samples)
    assert found.status == "failed" and text in found.message


@pytest.mark.parametrize("name", ["dot", "FullyConnected", "split", "argmax", "one_hot"])
def test_operators_of_the_core(outcome, name):
    samples = {
        "dot": [{"inputs": [(2, 3), (3, 4)]}],
        "split": [{"inputs": [(2, 4)], "attributes": {"num_outputs": 2}}],
        "one_hot": [{"inputs": [np.arange(3)], "attributes": {"depth": 4}}],
    }
    assert outcome("inference", name, samples=samples.get(name)).status == "passed"


class Backwards(OperatorProp):
    """Know the input from the output, wrongly where `name` says so."""

    name = "backwards"

    def compose(self, F, data):
        return data * 1

    def infer_inputs(self, in_shapes, out_shapes):
        return [out_shapes[0]]


class WrongBackwards(Backwards):
    """Turn the shape round."""

    name = "wrong_backwards"

    def infer_inputs(self, in_shapes, out_shapes):
        return [out_shapes[0][::-1]]


class NotElementwise(OperatorProp):
    """Declare one shape for two."""

    name = "not_elementwise"
    attrs = {"FElementwiseShape": True}

    def infer_shape(self, in_shape):
        return in_shape, [(2, *in_shape[0])], []

    def compose(self, F, data):
        return F.stack(data, data, axis=0)


def test_from_outputs(outcome):
    check = "inference from outputs"
    assert outcome(check, Backwards).status == "passed"
    assert "expected (2, 3)" in outcome(check, WrongBackwards).message
    assert "FElementwiseShape is declared" in outcome(check, NotElementwise).message
    assert outcome(check, SumRows, samples=[[(2, 3)]]).status == "skipped"

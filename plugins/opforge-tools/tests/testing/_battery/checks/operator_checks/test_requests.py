import numpy as np
import pytest

from opforge import nd
from opforge.op.declaring.custom import CustomOp, CustomOpProp
from opforge.op.declaring.declaration import OperatorProp


class Double(CustomOp):
    """Honours every request, unless a subclass does not."""

    def forward(self, is_train, req, in_data, out_data, aux):
        self.assign(out_data[0], req[0], in_data[0] * 2)

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        self.assign(in_grad[0], req[0], out_grad[0] * 2)


class WritesForward(Double):
    def forward(self, is_train, req, in_data, out_data, aux):
        out_data[0][:] = in_data[0] * 2


class WritesBackward(Double):
    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        in_grad[0][:] = out_grad[0] * 2


class ReadsLate(Double):
    """Reads the input after it wrote the output, so that they may not share memory."""

    def forward(self, is_train, req, in_data, out_data, aux):
        self.assign(out_data[0], req[0], in_data[0] * 2)
        if req[0] in ("write", "inplace"):
            out_data[0][:] += in_data[0]
        elif req[0] == "add":
            self.assign(out_data[0], "add", in_data[0])


def declared(operator, **body):
    def create_operator(self, ctx, shapes, dtypes):
        return operator()

    body |= {"__doc__": "Double.", "name": "doubled", "create_operator": create_operator}
    return type("Doubled", (OperatorProp,), body)


@pytest.mark.parametrize(
    ("check", "operator", "text"),
    [
        ("forward requests", Double, ""),
        ("backward requests", Double, ""),
        ("forward requests", WritesForward, "output 0 with the request 'add'"),
        ("backward requests", WritesBackward, "gradient of input 0 with the request 'add'"),
        ("backward requests", WritesForward, ""),
    ],
)
def test_requests(outcome, check, operator, text):
    found = outcome(check, declared(operator))
    assert found.status == ("failed" if text else "passed")
    assert text in found.message


def test_declared_sharing_of_memory(outcome):
    shares = {"attrs": {"FInplaceOption": [(0, 0)]}}
    assert outcome("forward requests", declared(Double, **shares)).status == "passed"
    assert outcome("forward requests", declared(ReadsLate)).status == "passed"
    found = outcome("forward requests", declared(ReadsLate, **shares))
    assert "FInplaceOption allows output 0 in the memory of input 0" in found.message


def test_mxnet_s_protocol(outcome):
    class Prop(CustomOpProp):
        """Double."""

        def create_operator(self, ctx, shapes, dtypes):
            return WritesBackward()

    assert outcome("forward requests", Prop).status == "passed"
    assert outcome("backward requests", Prop).status == "failed"


def test_core_operators_are_skipped(outcome):
    assert outcome("forward requests", "tanh").status == "skipped"
    assert outcome("backward requests", "tanh").status == "skipped"


def test_inputs_that_are_true_or_false(outcome):
    class Chosen(Double):
        def forward(self, is_train, req, in_data, out_data, aux):
            self.assign(out_data[0], req[0], in_data[0] * in_data[1].astype(in_data[0].dtype))

        def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
            self.assign(in_grad[0], req[0], out_grad[0] * in_data[1].astype(in_data[0].dtype))
            self.assign(in_grad[1], req[1], nd.zeros_like(in_data[1]))

    def infer_type(self, in_type):
        return in_type, in_type[:1], []

    mask = np.array([[True, False, True]])
    prop = declared(Chosen, arguments=("data", "mask"), infer_type=infer_type)
    assert outcome("backward requests", prop, samples=[[(1, 3), mask]]).status == "passed"

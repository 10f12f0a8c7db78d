import pytest

from opforge.op.declaring.custom import CustomOp
from opforge.op.declaring.declaration import OperatorProp


class Shift(CustomOp):
    def forward(self, is_train, req, in_data, out_data, aux):
        self.assign(out_data[0], req[0], in_data[0] + in_data[-1])

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        for target, request in zip(in_grad, req, strict=True):
            self.assign(target, request, out_grad[0])


class ScratchesForward(Shift):
    def forward(self, is_train, req, in_data, out_data, aux):
        in_data[0][:] = 0
        super().forward(is_train, req, in_data, out_data, aux)


class ScratchesBackward(Shift):
    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        in_data[0][:] = 0
        super().backward(req, out_grad, in_data, out_data, in_grad, aux)


class Counts(Shift):
    """Changes its state in a prediction as well."""

    def forward(self, is_train, req, in_data, out_data, aux):
        super().forward(is_train, req, in_data, out_data, aux)
        aux[0][:] += 1


class Moves(Shift):
    """Adds into the first input and takes it back: wrong where that is the second one too."""

    def forward(self, is_train, req, in_data, out_data, aux):
        in_data[0][:] += 1
        self.assign(out_data[0], req[0], in_data[0] + in_data[1] - 1)
        in_data[0][:] -= 1


def declared(operator, **body):
    def create_operator(self, ctx, shapes, dtypes):
        return operator()

    body |= {"__doc__": "Shift.", "name": "shifted", "create_operator": create_operator}
    return type("Shifted", (OperatorProp,), body)


@pytest.mark.parametrize(
    ("operator", "body", "text"),
    [
        (Shift, {}, ""),
        (ScratchesForward, {}, "forward and backward changed input 0"),
        (ScratchesBackward, {}, "forward and backward changed input 0"),
        (Counts, {"auxiliary_states": ("count",)}, "a prediction changed input 1"),
    ],
)
def test_mutation(outcome, operator, body, text):
    faulty = declared(operator, **body)
    samples = [[(2, 3), (2, 3)]] if body else [[(2, 3)]]
    if body:
        faulty.infer_shape = lambda self, shape: (shape, [shape[0]], [shape[0]])
    found = outcome("inputs unchanged", faulty, samples=samples)
    assert found.status == ("failed" if text else "passed")
    assert text in found.message


def test_one_array_twice(outcome):
    two = {"arguments": ("data", "other")}
    samples = [[(2, 3), (2, 3)]]
    assert outcome("one array twice", declared(Shift, **two), samples=samples).status == "passed"
    found = outcome("one array twice", declared(Moves, **two), samples=samples)
    assert "differs if inputs 0 and 1 are the same array" in found.message
    assert outcome("one array twice", "tanh").status == "skipped"

from opforge.op.declaring.custom import CustomOp
from opforge.op.declaring.declaration import OperatorProp


class Square(OperatorProp):
    """Square."""

    name = "squared"

    def create_operator(self, ctx, shapes, dtypes):
        return _Square()


class _Square(CustomOp):
    def forward(self, is_train, req, in_data, out_data, aux):
        self.assign(out_data[0], req[0], in_data[0] * in_data[0])

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        self.assign(in_grad[0], req[0], out_grad[0] * in_data[0] * 2)


class Honest(Square):
    """Say what is read."""

    saves = ("data",)


class Wrong(Square):
    """Say that the output is read, where the input is."""

    saves = ("output",)


def test_what_is_not_named_must_not_be_read(outcome):
    assert outcome("saved arrays", Honest).status == "passed"
    found = outcome("saved arrays", Wrong)
    assert found.status == "failed"
    assert "gradient of input 0 needs some of data, which the declaration does not name" in (
        found.message
    )


def test_where_there_is_nothing_to_spoil(outcome):
    assert outcome("saved arrays", Square).message == "the declaration names all arrays"
    assert "made of operators" in outcome("saved arrays", "tanh").message

from opforge.op.declaring.custom import CustomOp
from opforge.op.declaring.declaration import OperatorProp


class Square(OperatorProp):
    """Square."""

    name = "squared"

    def create_operator(self, ctx, shapes, dtypes):
        return SquareOp()


class SquareOp(CustomOp):
    def forward(self, is_train, req, in_data, out_data, aux):
        self.assign(out_data[0], req[0], in_data[0] * in_data[0])

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        self.assign(in_grad[0], req[0], out_grad[0] * in_data[0] * 2)

import opforge as mx


class CountedProp(mx.operator.CustomOpProp):
    """Declaration of an operator with one input, one output and a state `count` of its shape."""

    def list_auxiliary_states(self):
        return ["count"]

    def infer_shape(self, in_shape):
        return in_shape, [in_shape[0]], [in_shape[0]]

    def infer_type(self, in_type):
        return in_type, [in_type[0]], [in_type[0]]

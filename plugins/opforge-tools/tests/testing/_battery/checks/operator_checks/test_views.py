import numpy as np

from opforge.op.declaring.custom import CustomOp
from opforge.op.declaring.declaration import OperatorProp


class Negative(OperatorProp):
    """Negate."""

    name = "negative_of_battery"
    operator = CustomOp

    def create_operator(self, ctx, shapes, dtypes):
        return self.operator()


class Careful(CustomOp):
    def forward(self, is_train, req, in_data, out_data, aux):
        self.assign(out_data[0], req[0], -in_data[0])


class Overwrites(CustomOp):
    """Writes one row more than it was given where there is one."""

    def forward(self, is_train, req, in_data, out_data, aux):
        self.assign(out_data[0], req[0], -in_data[0])
        memory = np.asarray(out_data[0])
        row = memory.strides[0]
        longer = np.lib.stride_tricks.as_strided(memory, (len(memory) + 1, *memory.shape[1:]))
        if row and longer[-1].flat[0] == 7.0:
            longer[-1] = 0


def test_slices_as_inputs_and_outputs(outcome):
    found = outcome("slices", type("Good", (Negative,), {"operator": Careful, "__doc__": "N."}))
    assert (found.status, found.samples) == ("passed", 5)
    faulty = type("Bad", (Negative,), {"operator": Overwrites, "__doc__": "N."})
    found = outcome("slices", faulty, samples=[[(2, 3)]])
    assert "changed the memory around it" in found.message


def test_nothing_to_slice(outcome):
    assert outcome("slices", "tanh", samples=[[()]]).status == "skipped"

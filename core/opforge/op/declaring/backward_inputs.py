"""`BackwardInputs`: whether an operator has gradients, and the arrays that its backward reads."""

from collections.abc import Sequence
from typing import ClassVar

from .custom import CustomOpProp

__all__ = ["BackwardInputs"]


class BackwardInputs(CustomOpProp):
    """Fields and methods of `OperatorProp` about its backward pass."""

    #: False if the inputs get no gradient.
    differentiable: bool = True
    #: False for losses, whose backward does not read the gradients of the outputs.
    need_top_grad: ClassVar[bool] = True
    #: True if the gradients of the inputs are zero, whatever the gradients of the outputs are.
    zero_gradient: ClassVar[bool] = False
    #: Arrays that backward reads: "inputs", "outputs", or names of single ones.
    saves: Sequence[str] = ("inputs", "outputs")

    def declare_backward_dependency(
        self, out_grad: Sequence[int], in_data: Sequence[int], out_data: Sequence[int]
    ) -> list[int]:
        """Return the ids of the arrays that backward reads, as specified by `saves`."""
        deps = list(out_grad) if self.need_top_grad_ else []
        groups = (
            ("inputs", self.list_arguments(), in_data),
            ("outputs", self.list_outputs(), out_data),
        )
        for group, names, ids in groups:
            if group in self.saves:
                deps.extend(ids)
            else:
                # Not strict: MXNet programs pass fewer ids than names.
                deps.extend(i for n, i in zip(names, ids, strict=False) if n in self.saves)
        return deps

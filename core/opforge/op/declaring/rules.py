"""`DeclaredRules`: rules of an operator that its own declaration has.

A rule says how one part of opforge treats an operator: calls compute it, autograd differentiates
it, graphs infer, fuse and place it. `op.rules` finds those that other distributions add.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

from ...base.context import Context

__all__ = ["DeclaredRules"]


class DeclaredRules:
    """Fields of `OperatorProp` that are rules; None or empty where the operator has none."""

    #: None, or a method ``compose(self, F, *inputs)`` that computes the operator by calls of
    #: operators of `F`. The inputs are arguments, then auxiliary states; it returns one array, or a
    #: list with one for each output. The calls are recorded, so that gradients of any order exist,
    #: and `gradient`, `saves` and ``create_operator`` are not needed. `infer_shape` is needed for
    #: the shapes of parameters. Symbols have ``shape`` and ``dtype`` here, like arrays. Inference
    #: does not run for arrays, so `compose` itself must reject invalid inputs.
    compose: Any = None
    #: None, or a method ``compose_predicting(self, F, *inputs)`` that compiled graphs call instead
    #: of the operator if it is neither trained nor differentiated. It returns one array for each
    #: output, including hidden ones, or None to call the operator.
    compose_predicting: Any = None
    #: None, or a method ``compute(self, in_data, out_data, req, is_train)`` that fills `out_data`
    #: by ``plugin_api.kernels``; with a `gradient`, it replaces ``create_operator``. If a single
    #: computation does all the work, set it in the constructor, so that calls run no Python:
    #: ``self.compute = kernels.Softmax(self.axis)``.
    compute: Any = None
    #: None, or a method ``compute_sparse(self, *inputs)`` that calls with sparse arrays use. It
    #: returns the outputs, dense or sparse, or NotImplemented to call the operator with dense
    #: copies.
    compute_sparse: Any = None
    #: None, or a method ``gradient(self, F, out_grad, in_data, out_data)`` that returns one array
    #: (or None) for each input, composed of operators of `F`, so that gradients of any order exist.
    gradient: Any = None
    #: None, or a method ``infer_inputs(self, in_shapes, out_shapes)`` that infers shapes of inputs
    #: from those of the outputs, because graphs are also inferred backwards. If all inputs and
    #: outputs have the same shape, set ``attrs = {"FElementwiseShape": True}`` instead.
    infer_inputs: Any = None
    #: None, or a method ``infer_input_types(self, in_types, out_types)``: the same for types.
    infer_input_types: Any = None
    #: None, or a method ``highest_position(self, in_shapes)`` that returns for each output the
    #: largest index or count that it may contain, or None. Inference rejects element types that
    #: cannot represent all integers up to it.
    highest_position: Any = None
    #: None, or a method ``keeps_order(self, in_shapes)`` that returns whether the concatenated
    #: elements of all outputs equal those of all inputs. Then a graph may place inputs and outputs
    #: in the same memory and skip the call. Either the input or the output is a single array.
    keeps_order: Any = None
    #: None, or a method ``blocked_form(self, inputs, needs_gradient)`` that returns the operator's
    #: form for blocked arrays, a `layouts.BlockedForm`, or None. `inputs` has a `layouts.Input` for
    #: each argument; `needs_gradient` is whether the call is differentiated. Graphs then keep
    #: arrays blocked between operators.
    blocked_form: Any = None
    #: None, or the elementwise kernel of the core that computes the operator: ``("unary", "exp")``,
    #: ``("binary", "add")`` or ``("scalar", "add")``. It then runs without Python, and the kernel
    #: determines shapes and types. A scalar operator has one attribute, the number.
    elementwise_kernel: ClassVar[tuple[str, str] | None] = None
    #: For a binary kernel: whether inputs are broadcast.
    kernel_broadcasts: ClassVar[bool] = False
    #: For a scalar kernel: whether the number is the left operand.
    kernel_reverse: ClassVar[bool] = False
    #: Steps that the computation can apply to its result while it is in the cache, if a graph
    #: requests them: names of ``op.declaring.epilogue.EPILOGUES``, as in ``("add", "relu")``. A
    #: constructor may set them depending on attributes.
    epilogues: Sequence[str] = ()
    #: Names of the dtypes of results for which the computation can apply them; empty: float32 and
    #: float64. Steps on 16-bit floats compute in float32, as ``host->epilogue`` does.
    epilogue_dtypes: Sequence[str] = ()

    def compute_on(self, context: Context) -> Any:
        """Return the `compute` for calls on a device.

        Native operators choose among the functions of their library; other operators have one
        `compute`, or None.
        """
        return self.compute

"""`Computation`: a kernel with its attributes bound, which dispatch runs without Python.

A declaration gives one as its `compute`; called from Python it has the signature of that method.
The subclasses are in `computations`.
"""

from functools import partial

from opforge.native.array.array cimport Array, new_array, wait_read, wait_write
from opforge.native.array.output cimport req_code, elementwise_target_of, settle, target_of
from opforge.native.memory.types cimport REQ_ADD, REQ_NULL

from opforge.base import dtypes as _dtypes
from opforge.base.errors import DTypeError, OpforgeError, ShapeError

cdef tuple NAMES = _dtypes.NAMES


cdef class Types:
    """Shapes and type codes of an operator's inputs, auxiliary states and outputs."""


cdef class Gradient:
    """The gradient of a computation that computes it itself, of first order alone."""

    def workspace_bytes(self, Types types not None, list wanted not None):
        """Return how many bytes of memory a run for the wanted gradients works in."""
        return 0

    def __call__(
        self, list out_grad, list in_data, list out_data, list in_grad, list req, list states
    ):
        """Fill `in_grad` as the requests in `req` say.

        Parameters
        ----------
        out_grad : list of NDArray
        in_data, out_data : list of NDArray or None
            None for what is not read.
        in_grad : list of NDArray
        req : list of {"write", "inplace", "add", "null"}
        states : list of NDArray
            Auxiliary states.
        """
        cdef Types types = Types.__new__(Types)
        cdef list codes = [req_code(request) for request in req], grads = []
        cdef Array item
        cdef Py_ssize_t position
        types.in_shapes = [item.shape for item in in_grad + states]
        types.in_codes = [item.dtype_code for item in in_grad + states]
        types.out_shapes = [item.shape for item in out_grad]
        types.out_codes = [item.dtype_code for item in out_grad]
        for position, item in enumerate(in_grad):
            wanted = not self.partial or codes[position] != REQ_NULL
            grads.append(new_array(item.shape, item.code, item.context) if wanted else None)
        self.run(types, out_grad, in_data, out_data, states, grads, None)
        for position, item in enumerate(in_grad):
            if codes[position] != REQ_NULL:
                settle(item, grads[position], codes[position])

    cdef int run(
        self, Types types, list heads, list inputs, list outputs, list states, list grads,
        Array workspace,
    ) except -1:
        raise NotImplementedError(f"{type(self).__name__} does not say how to differentiate")


cdef class Computation:
    """A kernel with its attributes bound; use it as the `compute` of an operator's declaration.

    Instances come from the capitalised names of `plugin_api.kernels`.

    Examples
    --------
    >>> from opforge import nd
    >>> from opforge.plugin_api import kernels
    >>> x, y = nd.array([[1.0, 2.0]]), nd.array([[3.0, 4.0]])
    >>> kernels.Unary("square")([x], [y], ["add"])
    >>> y.asnumpy().tolist()
    [[4.0, 8.0]]
    """

    def __cinit__(self, *args, **kwargs):
        self.made_with = args, kwargs

    def __reduce__(self):
        """Copy by the constructor: a declaration is copied and pickled with what computes it."""
        args, kwargs = self.made_with
        return partial(type(self), **kwargs), args

    def __call__(self, in_data, out_data, req, int is_train=0):
        """Fill `out_data` from `in_data` as the requests in `req` say.

        Parameters
        ----------
        in_data, out_data : list of NDArray
        req : list of {"write", "inplace", "add", "null"}
            One for each output.
        is_train : int
            Accepted because `compute` has it; kernels do not depend on it.

        Raises
        ------
        TypeError
            Something is no NDArray.
        OpforgeError
            Numbers of arrays, shapes or types do not fit.
        """
        cdef list inputs = list(in_data), outputs = list(out_data), codes = []
        for item in inputs + outputs:
            if not isinstance(item, Array):
                raise TypeError(f"{self!r} takes NDArrays, got {type(item).__name__}")
        for item in req:
            codes.append(req_code(item))
        if len(codes) != len(outputs):
            raise OpforgeError(f"{self!r}: got {len(codes)} requests for {len(outputs)} outputs")
        fulfil(self, inputs, outputs, codes)

    def __repr__(self):
        return f"kernels.{type(self).__name__}"

    def workspace_bytes(self, Types types not None):
        """Return how many bytes of memory a run works in."""
        return 0

    def with_epilogue(self, epilogue):
        """Return a computation that takes its result through the steps of an `Epilogue` as well.

        Its inputs are followed by the arrays that are operands of the steps.
        """
        raise NotImplementedError(f"{type(self).__name__} has no epilogue")

    cdef int run(self, list inputs, list outputs) except -1:
        raise NotImplementedError(f"{type(self).__name__} does not say how to compute")

    cdef int run_in(self, list inputs, list outputs, Array workspace) except -1:
        return self.run(inputs, outputs)


cdef int fulfil(Computation c, list inputs, list outputs, list codes) except -1:
    cdef Array item
    cdef int code, position
    cdef list targets = []
    cdef tuple sources = tuple(inputs)
    cdef bint any_wanted = False
    for item in inputs:
        wait_read(item)
    for position, item in enumerate(outputs):
        code = codes[position]
        if code == REQ_NULL:
            targets.append(target_of(item, REQ_ADD, sources))
            continue
        any_wanted = True
        wait_write(item)
        targets.append(
            elementwise_target_of(item, code, sources) if c.in_place
            else target_of(item, code, sources)
        )
    if not any_wanted:
        return 0
    c.run(inputs, targets)
    for position, item in enumerate(outputs):
        if codes[position] != REQ_NULL:
            settle(item, targets[position], codes[position])
    return 0


cdef int expect_count(Computation c, list inputs, int n_inputs, list outputs, int n_outputs) except -1:
    """Refuse another number of arrays."""
    if len(inputs) != n_inputs or len(outputs) != n_outputs:
        raise OpforgeError(
            f"{c!r} takes {n_inputs} inputs and {n_outputs} outputs, got {len(inputs)} and "
            f"{len(outputs)}"
        )
    return 0


cdef int expect_like(Computation c, str name, Array a, Array model) except -1:
    """Refuse an array that does not look like `model`."""
    if a.shape is not model.shape and a.shape != model.shape:
        raise ShapeError(f"{c!r}: '{name}' has shape {a.shape}, expected {model.shape}")
    if a.code != model.code:
        raise DTypeError(
            f"{c!r}: '{name}' has dtype {NAMES[a.code]}, expected {NAMES[model.code]}"
        )
    return 0

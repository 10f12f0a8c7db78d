"""`Computation`: a kernel with its attributes bound, which dispatch runs without Python.

A declaration may provide one as its `compute`; called from Python it has that method's signature.
Subclasses are in `computations`.
"""

from functools import partial

from opforge.native.array.array cimport Array, expect_host, new_array, sync_read, sync_write
from opforge.native.array.output cimport req_code, elementwise_target_of, settle, target_of
from opforge.native.memory.types cimport REQ_ADD, REQ_NULL

from opforge.base import dtypes as _dtypes
from opforge.base.errors import DTypeError, OpforgeError, ShapeError

cdef tuple NAMES = _dtypes.NAMES


cdef class Types:
    """Shapes and type codes of an operator's inputs, auxiliary states and outputs."""


cdef class Gradient:
    """First-order gradient of a computation that implements it itself."""

    def workspace_bytes(self, Types types not None, list wanted not None):
        """Return the workspace size in bytes for computing the wanted gradients."""
        return 0

    def __call__(
        self, list out_grad, list in_data, list out_data, list in_grad, list req, list states
    ):
        """Fill `in_grad` according to the requests in `req`.

        Parameters
        ----------
        out_grad : list of NDArray
        in_data, out_data : list of NDArray or None
            None for an array that is not read.
        in_grad : list of NDArray
        req : list of {"write", "inplace", "add", "null"}
        states : list of NDArray
            Auxiliary states.
        """
        cdef Types types = Types.__new__(Types)
        cdef list codes = [req_code(request) for request in req], grads = []
        cdef Array item
        cdef Py_ssize_t position
        if not self.is_elsewhere:
            for item in out_grad + in_data + out_data + in_grad + states:
                if item is not None:
                    expect_host(item)
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
        raise NotImplementedError(f"{type(self).__name__} does not implement a gradient")


cdef class Computation:
    """Kernel with its attributes bound, for use as the `compute` of an operator's declaration.

    Construct instances by the capitalized names in `plugin_api.kernels`.

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
        """Copy and pickle by calling the constructor again, as declarations are copied and pickled."""
        args, kwargs = self.made_with
        return partial(type(self), **kwargs), args

    def __call__(self, in_data, out_data, req, int is_train=0):
        """Fill `out_data` from `in_data` according to the requests in `req`.

        Parameters
        ----------
        in_data, out_data : list of NDArray
        req : list of {"write", "inplace", "add", "null"}
            One per output.
        is_train : int
            Accepted because `compute` takes it; ignored.

        Raises
        ------
        TypeError
            An input or output is not an NDArray.
        OpforgeError
            The number of arrays, a shape or a type is wrong.
        """
        cdef list inputs = list(in_data), outputs = list(out_data), codes = []
        for item in inputs + outputs:
            if not isinstance(item, Array):
                raise TypeError(f"{self!r} takes NDArrays, got {type(item).__name__}")
        for item in req:
            codes.append(req_code(item))
        if len(codes) != len(outputs):
            raise OpforgeError(f"{self!r}: got {len(codes)} requests for {len(outputs)} outputs")
        run_with_requests(self, inputs, outputs, codes)

    def __repr__(self):
        return f"kernels.{type(self).__name__}"

    def workspace_bytes(self, Types types not None):
        """Return the workspace size of a run in bytes."""
        return 0

    def with_epilogue(self, epilogue):
        """Return a computation that also applies the steps of an `Epilogue` to its result.

        The array operands of the steps follow its other inputs.
        """
        raise NotImplementedError(f"{type(self).__name__} does not support an epilogue")

    cdef int run(self, list inputs, list outputs) except -1:
        raise NotImplementedError(f"{type(self).__name__} does not implement run()")

    cdef int run_in(self, list inputs, list outputs, Array workspace) except -1:
        return self.run(inputs, outputs)


cdef inline int expect_access(Computation c, Array item) except -1:
    """Reject memory of another device for a computation on the CPU; others check their arrays."""
    return 0 if c.is_elsewhere else expect_host(item)


cdef int run_with_requests(Computation c, list inputs, list outputs, list codes) except -1:
    cdef Array item
    cdef int code, position
    cdef list targets = []
    cdef tuple sources = tuple(inputs)
    cdef bint any_wanted = False
    for item in inputs:
        expect_access(c, item)
        sync_read(item)
    for position, item in enumerate(outputs):
        expect_access(c, item)
        code = codes[position]
        if code == REQ_NULL:
            targets.append(target_of(item, REQ_ADD, sources))
            continue
        any_wanted = True
        sync_write(item)
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
    """Check the number of arrays."""
    if len(inputs) != n_inputs or len(outputs) != n_outputs:
        raise OpforgeError(
            f"{c!r} takes {n_inputs} inputs and {n_outputs} outputs, got {len(inputs)} and "
            f"{len(outputs)}"
        )
    return 0


cdef int expect_like(Computation c, str name, Array a, Array model) except -1:
    """Check that `a` has the shape and type of `model`."""
    if a.shape is not model.shape and a.shape != model.shape:
        raise ShapeError(f"{c!r}: '{name}' has shape {a.shape}, expected {model.shape}")
    if a.code != model.code:
        raise DTypeError(
            f"{c!r}: '{name}' has dtype {NAMES[a.code]}, expected {NAMES[model.code]}"
        )
    return 0

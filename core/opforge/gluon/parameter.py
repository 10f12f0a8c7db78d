"""`Parameter`: a named array with its gradient, one copy per context.

A parameter is in one of three states: uninitialized, deferred (initialization was requested, but
dimensions are unknown) and initialized. `parameter_copies` implements the initialized state.
"""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import autograd, initializer
from .. import ndarray as nd
from .. import symbol as sym
from ..base.context import Context, cpu
from ..base.dtypes import code_of
from ..base.errors import DTypeError
from ..base.familiar_names import PARAMETER_NAMES
from ..base.initialization_lock import initializing
from ..base.integers import as_integers
from ..base.module_aliases import add_aliases as _add_aliases
from ..base.name_hints import add_hints
from ..base.numpy_semantics import is_np_shape
from ..base.storage_types import STORAGE_TYPES
from ..ndarray import NDArray
from ..ndarray.array_classes import as_requested
from .parameter_copies import contexts_of
from .row_sparse_copies import RowSparseCopies

__all__ = ["Parameter", "is_known"]

_GRAD_REQS = ("write", "add", "null")


def is_known(shape: Sequence[int] | None) -> bool:
    """Return whether every dimension of `shape` is known, that is, positive."""
    return shape is not None and all(dim > 0 for dim in shape)


def _checked_shape(shape: Any, name: str) -> tuple[int, ...]:
    sizes = shape if hasattr(shape, "__len__") else [shape]
    return as_integers(sizes, f"shape of Parameter '{name}'")


@add_hints(PARAMETER_NAMES, read_only=True)
class Parameter(RowSparseCopies):
    """A weight of a block: value, gradient, initialization and updates.

    Parameters
    ----------
    name : str
    grad_req : {"write", "add", "null"}, default "write"
        Whether backward overwrites the gradient, accumulates it, or computes none.
    shape : int or tuple of int, optional
        A dimension of 0 or -1 is inferred in the first forward pass.
    dtype : dtype, default float32
    lr_mult, wd_mult : float, default 1.0
        Multipliers of the optimizer's learning rate and weight decay.
    init : Initializer or str, optional
        Takes precedence over the initializer of the network.
    allow_deferred_init : bool, default False
        Allow `initialize` with unknown dimensions in the shape.
    differentiable : bool, default True
        False forces ``grad_req="null"``.
    stype : {"default", "row_sparse", "csr"}
        Storage type of the value. A row_sparse one is kept in the store of its `Trainer`, and
        `row_sparse_data` fetches the rows that a batch needs.
    grad_stype : {"default", "row_sparse", "csr"}
        Storage type of the gradient. A row_sparse one has only the rows that were used, and
        optimizers with `lazy_update` skip the other rows.

    Examples
    --------
    >>> weight = Parameter("weight", shape=(2, 3))
    >>> weight
    Parameter weight (shape=(2, 3), dtype=<class 'numpy.float32'>)
    >>> weight.initialize(init="ones")
    >>> weight.data().shape, weight.grad().shape
    ((2, 3), (2, 3))
    """

    #: Method that sets the value to a saved array, for programs for MXNet; `parameter_loading`,
    #: which needs this class, provides it.
    _load_init: Any

    def __init__(
        self,
        name: str,
        grad_req: str = "write",
        shape: int | Sequence[int] | None = None,
        dtype: Any = np.float32,
        lr_mult: float = 1.0,
        wd_mult: float = 1.0,
        init: Any = None,
        allow_deferred_init: bool = False,
        differentiable: bool = True,
        stype: str = "default",
        grad_stype: str = "default",
    ) -> None:
        for label, kind in (("stype", stype), ("grad_stype", grad_stype)):
            assert kind in STORAGE_TYPES, (
                f"{label} for Parameter '{name}' must be one of 'default', 'row_sparse', or 'csr', "
                f"but got '{kind}'"
            )
        super().__init__(name)
        self._stype, self._grad_stype = stype, grad_stype
        self._var: Any = None
        self._differentiable = differentiable
        self._allow_deferred_init = allow_deferred_init
        self._shape = None if shape is None else _checked_shape(shape, name)
        self._expect_dtype(dtype)
        self._dtype = dtype
        self.lr_mult = lr_mult
        self.wd_mult = wd_mult
        self.grad_req = grad_req
        self.init = init

    def __repr__(self) -> str:
        return f"{type(self).__name__} {self.name} (shape={self.shape}, dtype={self.dtype})"

    def _expect_dtype(self, dtype: Any) -> None:
        try:
            code_of(dtype)
        except DTypeError as error:
            raise DTypeError(f"Parameter '{self.name}': {error}") from None

    # -- properties ---------------------------------------------------------------------------

    @property
    def grad_req(self) -> str:
        """Request for the gradient in backward: ``"write"``, ``"add"`` or ``"null"``."""
        return self._grad_req

    @grad_req.setter
    def grad_req(self, req: str) -> None:
        assert req in _GRAD_REQS, (
            f"grad_req must be one of 'write', 'add', or 'null', but got '{req}'"
        )
        if not self._differentiable:
            req = "null"
        if req == self._grad_req:
            return
        self._grad_req = req
        if self._data is None:
            return
        if req == "null":
            self._grads = None
            self._keep([value.detach() for value in self._data])
        else:
            self._make_grad(self._data)

    @property
    def shape(self) -> tuple[int, ...] | None:
        """Shape; a dimension of 0, or -1 with NumPy's shapes, is unknown and may be set."""
        if self._shape is None or not is_np_shape():
            return self._shape
        return tuple(size or -1 for size in self._shape)

    @shape.setter
    def shape(self, new_shape: Sequence[int]) -> None:
        old = self._shape
        fits = old is None or (
            len(old) == len(new_shape)
            and all(j in (-1, 0, i) for i, j in zip(new_shape, old, strict=True))
        )
        assert fits, (
            f"Expected shape {new_shape} is incompatible with given shape {self._shape} "
            f"of Parameter '{self.name}'."
        )
        self._shape = tuple(new_shape)

    @property
    def _sizes(self) -> tuple[int, ...]:
        """Shape with 0 for unknown dimensions, or () if it is unknown."""
        return tuple(max(size, 0) for size in self._shape or ())

    @property
    def dtype(self) -> Any:
        """Element type as given; setting it casts the value."""
        return self._dtype

    @dtype.setter
    def dtype(self, dtype: Any) -> None:
        self.cast(dtype)

    # -- initialization -----------------------------------------------------------------------

    def initialize(
        self,
        init: Any = None,
        ctx: Context | Sequence[Context] | None = None,
        default_init: Any = None,
        force_reinit: bool = False,
    ) -> None:
        """Create value and gradient, now or, with unknown dimensions, in the first forward pass.

        Parameters
        ----------
        init : Initializer or str, optional
            Takes precedence over `Parameter.init` and `default_init`.
        ctx : Context or list of Context, optional
            One copy is created on each; default: the current context.
        default_init : Initializer or str, default Uniform(0.07)
            Used if neither `init` nor `Parameter.init` is given.
        force_reinit : bool, default False
            Replace an existing value; by default, it is kept with a warning.

        Raises
        ------
        ValueError
            The shape has unknown dimensions and `allow_deferred_init` is False.
        """
        if self._data is not None and not force_reinit:
            warnings.warn(
                f"Parameter '{self.name}' is already initialized, ignoring. "
                "Set force_reinit=True to re-initialize.",
                stacklevel=2,
            )
            return
        self._forget()
        default_init = initializer.Uniform() if default_init is None else default_init
        if init is None:
            init = default_init if self.init is None else self.init
        self._deferred_init = (init, contexts_of(ctx), default_init, None)
        if is_known(self._shape):
            self._finish_deferred_init()
        elif not self._allow_deferred_init:
            self._deferred_init = ()
            raise ValueError(
                f"Cannot initialize Parameter '{self.name}' because it has invalid shape: "
                f"{self.shape}. Pass the complete shape, or allow_deferred_init=True."
            )

    def _finish_deferred_init(self) -> None:
        """Create value and gradient of a deferred parameter, whose shape must be known.

        If it is interrupted, by Ctrl-C or a lack of memory, the parameter remains deferred. Of
        several threads, the first one creates them.
        """
        with initializing():
            is_first = self._create_deferred()
        if not is_first:
            return
        self._run_init_hooks()
        trainer = self._trainer
        if trainer is not None and trainer._kv_initialized:
            if self._stype != "default":
                trainer._value_was_set(self)
            trainer._init_params()  # all workers start with the same values, before computing

    def _create_deferred(self) -> bool:
        """Create value and gradient if they are deferred; return whether they were."""
        if self._data is not None:  # interrupted between the value and the next line
            self._deferred_init = ()
        if not self._deferred_init:
            return False
        assert is_known(self._shape), (
            f"Cannot initialize Parameter '{self.name}' because it has invalid shape: "
            f"{self.shape}. Please specify in_units, in_channels, etc for `Block`s."
        )
        init, contexts, default_init, data = self._deferred_init
        try:
            with autograd.pause():
                if data is None:
                    data = as_requested(nd.zeros(self.shape, dtype=self.dtype, ctx=cpu()))
                    described = initializer.InitDesc(self.name, {"__init__": init})
                    initializer.create(default_init)(described, data)
                self._fill(data, contexts, takes=True)
        except BaseException:
            self._forget()
            raise
        self._deferred_init = ()
        return True

    def _complete(self, shape: Sequence[int], ctx: Context | None = None) -> NDArray:
        """Finish a deferred parameter with the shape an operator inferred; return the value.

        Called by dispatch for the placeholder of this parameter in a forward pass.
        """
        self.shape = tuple(shape)
        self._finish_deferred_init()
        return self.data(ctx)

    def var(self) -> Any:
        """Return the variable that represents the parameter in graphs.

        Examples
        --------
        >>> Parameter("weight", shape=(2, 3)).var()
        <Symbol weight>
        """
        if self._var is None:
            self._var = sym.var(
                self.name,
                shape=self.shape,
                dtype=self.dtype,
                lr_mult=self.lr_mult,
                wd_mult=self.wd_mult,
                init=self.init,
                stype=None if self._stype == "default" else self._stype,
            )
        return self._var

    # -- value and gradient -------------------------------------------------------------------

    def set_data(self, data: NDArray) -> None:
        """Write `data` to every copy; this completes a deferred initialization.

        Raises
        ------
        AssertionError
            The shapes differ, or the parameter is not initialized.
        """
        self.shape = data.shape
        if self._data is None:
            assert self._deferred_init, f"Parameter '{self.name}' has not been initialized"
            self._deferred_init = (*self._deferred_init[:3], data.astype(self.dtype))
            self._finish_deferred_init()
            return
        with autograd.pause():
            for copy in self._data:
                copy[:] = data
        trainer = self._trainer
        if trainer is not None:
            trainer._value_was_set(self)

    def reset_ctx(self, ctx: Context | Sequence[Context] | None) -> None:
        """Move the parameter: keep one copy on each context of `ctx`.

        Raises
        ------
        ValueError
            The parameter is not initialized.
        """
        contexts = contexts_of(ctx)
        if self._data is not None:
            with autograd.pause():
                self._fill(self._reduce(), contexts)
        elif self._deferred_init:
            init, _, default_init, data = self._deferred_init
            self._deferred_init = (init, contexts, default_init, data)
        else:
            raise ValueError(
                f"Cannot reset context for Parameter '{self.name}' because it has not been "
                "initialized."
            )

    def cast(self, dtype: Any) -> None:
        """Convert value and gradient to `dtype`.

        Raises
        ------
        DTypeError
            `dtype` is not an element type; the parameter is unchanged.
        """
        self._expect_dtype(dtype)
        self._dtype = dtype
        self._var = None  # the variable has the old type
        if self._data is None:
            return
        with autograd.pause():
            gradients = self._grad if self._has_made_grad() else None
            self._keep([copy.astype(dtype) for copy in self._data])
            if gradients is None:
                self._make_grad(self._data)
            else:
                self._mark(self._data, [gradient.astype(dtype) for gradient in gradients])


_add_aliases(__name__)

"""`ParameterCopies`: value and gradient of a parameter, with one copy per context.

They are stored in `_data` and `_grad`, lists parallel to `_ctx_list`. `data` runs for each layer in
each step, so the case of a single copy takes two comparisons.
"""

import weakref
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from .. import autograd
from .. import ndarray as nd
from ..base.context import Context, current_context
from ..base.errors import DeferredInitializationError, DTypeError, ShapeError
from ..native.dispatch import tape
from ..ndarray import NDArray
from ..ndarray.array_classes import as_requested
from .hooks import HookHandle

__all__ = ["ParameterCopies", "contexts_of"]


def contexts_of(ctx: Context | Sequence[Context] | None) -> list[Context]:
    """Return `ctx` as a list; None is the current context of the thread."""
    if ctx is None:
        return [current_context()]
    return [ctx] if isinstance(ctx, Context) else list(ctx)


class _Copies(list[NDArray]):
    """Copies of a parameter; programs for MXNet replace one by a computed array."""

    __slots__ = ("_parameter",)

    def __init__(self, values: Iterable[NDArray], parameter: "ParameterCopies") -> None:
        super().__init__(values)
        self._parameter = weakref.ref(parameter)

    def __setitem__(self, index: Any, value: Any) -> None:
        super().__setitem__(index, value)
        parameter = self._parameter()
        if parameter is not None and parameter._data is self:
            parameter._note_single()

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (list(self),)


class _ContextMap:
    """Indices of the copies by the parity of the device's type and its number, as in MXNet.

    Subclasses written for MXNet, such as GluonNLP's WeightDropParameter, assign those of others.
    """

    def __get__(self, parameter: Any, kind: Any) -> list[list[int | None]]:
        found: list[list[int | None]] = [[], []]
        contexts = () if parameter is None else parameter._ctx_list or ()
        for index, ctx in enumerate(contexts):
            row = found[ctx.device_typeid & 1]
            row += [None] * (ctx.device_id + 1 - len(row))
            row[ctx.device_id] = index
        return found


class ParameterCopies:
    """Arrays of a parameter on one or more contexts, or their deferred initialization.

    Parameters
    ----------
    name : str
        Name of the parameter, for errors.
    """

    _ctx_map = _ContextMap()
    _trainer_ref: "weakref.ref[Any] | None" = None
    _stype = _grad_stype = "default"
    _grad_hooks: dict[int, Callable[[NDArray], Any]] | None = None
    _init_hooks: tuple[Callable[[Any], Any], ...] = ()

    def __init__(self, name: str) -> None:
        self.name = name
        self._data: list[NDArray] | None = None
        self._grads: list[NDArray] | None = None  # None: none, or not allocated yet; see `_grad`
        self._grad_req = ""
        self._ctx_list: list[Context] | None = None
        self._single: NDArray | None = None  # the value if there is exactly one copy
        self._single_ctx: Context | None = None
        self._deferred_init: tuple[Any, ...] = ()  # (init, contexts, default_init, data)

    def __getstate__(self) -> dict[str, Any]:
        # A copied or unpickled parameter has no trainer yet.
        left = {"_trainer_ref", "_grad_hooks", "_init_hooks"}
        state = {name: value for name, value in self.__dict__.items() if name not in left}
        state["_fresh"] = [tape.is_fresh(value) for value in self._data or ()]
        state["_grads"] = self._grad if self._has_made_grad() else None
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the state of a copy, and attach its gradients to its values."""
        fresh = state.pop("_fresh", ())
        self.__dict__.update(state)
        if self._data is None:
            return
        self._keep(self._data)
        # A shallow copy shares the values of the original, including gradients and hooks.
        if self._grads is None:
            if any(tape.request_of(value) is None for value in self._data):
                self._make_grad(self._data)
            return
        pairs = zip(self._data, self._grads, strict=False)
        if any(tape.made_grad_of(value) is not gradient for value, gradient in pairs):
            self._mark(self._data, self._grads)
            for value, is_fresh in zip(self._data, fresh, strict=False):
                tape.set_fresh(value, is_fresh)

    # -- trainer ------------------------------------------------------------------------------

    @property
    def _trainer(self) -> Any:
        """Last trainer that got the parameter, while it is alive."""
        return None if self._trainer_ref is None else self._trainer_ref()

    @_trainer.setter
    def _trainer(self, trainer: Any) -> None:
        self._trainer_ref = None if trainer is None else weakref.ref(trainer)

    def _set_trainer(self, trainer: Any) -> None:
        self._trainer = trainer

    # -- value and gradient -------------------------------------------------------------------

    def data(self, ctx: Context | None = None) -> NDArray:
        """Return the copy on `ctx`; by default the only one, or that on the current context.

        Raises
        ------
        DeferredInitializationError
            The shape is unknown until the first forward pass.
        RuntimeError
            The parameter is not initialized, or not on `ctx`, or its value is sparse.
        """
        single = self._single
        if single is not None and (ctx is None or ctx is self._single_ctx):
            return single
        self._expect_dense("data")
        return self._check_and_get(self._data, ctx)

    def list_data(self) -> list[NDArray]:
        """Return the copies on all contexts, in the order of `list_ctx`."""
        self._expect_dense("list_data")
        return self._values()

    def grad(self, ctx: Context | None = None) -> NDArray:
        """Return the gradient of the copy on `ctx`; see `data`.

        Raises
        ------
        RuntimeError
            ``grad_req`` is ``"null"``, or as for `data`.
        """
        self._check_has_grad()
        return self._check_and_get(self._grads or self._grad, ctx)

    def list_grad(self) -> list[NDArray]:
        """Return the gradients on all contexts, in the order of `list_ctx`."""
        self._check_has_grad()
        return self._all(self._grads or self._grad)

    def list_ctx(self) -> list[Context]:
        """Return the contexts of the copies, including those of a deferred initialization."""
        if self._ctx_list is not None:
            return self._ctx_list
        if self._deferred_init:
            contexts: list[Context] = self._deferred_init[1]
            return contexts
        raise self._missing()

    def zero_grad(self) -> None:
        """Fill the gradients with 0, if there are any."""
        if self._has_made_grad():
            for gradient in self._grad or ():
                gradient[:] = 0

    def use_grads(self, gradients: Sequence[NDArray]) -> None:
        """Make backward passes write the gradients to arrays of the caller.

        This allows gradients to be written directly to buffers for communication. Changing
        `grad_req`, `cast`, `reset_ctx` and `initialize` allocate new arrays.

        Parameters
        ----------
        gradients : list of NDArray
            One per context, of the parameter's shape and type.

        Raises
        ------
        ShapeError, DTypeError
            The shape or type of an array does not match the value.
        RuntimeError
            ``grad_req`` is ``"null"``, or the parameter has no value yet.

        Examples
        --------
        >>> from opforge.gluon import Parameter
        >>> weight = Parameter("weight", shape=(2,), init="ones")
        >>> weight.initialize()
        >>> mine = nd.zeros(2)
        >>> weight.use_grads([mine])
        >>> weight.grad() is mine
        True
        """
        self._check_has_grad()
        values = self._values()
        if len(gradients) != len(values):
            raise ShapeError(
                f"Parameter '{self.name}': use_grads got {len(gradients)} gradients, expected one "
                f"per context, {len(values)}"
            )
        for value, gradient in zip(values, gradients, strict=True):
            if gradient.shape != value.shape:
                raise ShapeError(
                    f"Parameter '{self.name}': use_grads got a gradient of shape "
                    f"{gradient.shape}, expected the shape of the value, {value.shape}"
                )
            if gradient.dtype != value.dtype:
                raise DTypeError(
                    f"Parameter '{self.name}': use_grads got a gradient of type "
                    f"{gradient.dtype.__name__}, expected the type of the value, "
                    f"{value.dtype.__name__}"
                )
        fresh = [tape.is_fresh(value) for value in values]
        self._mark(values, list(gradients))
        for value, is_fresh in zip(values, fresh, strict=True):
            tape.set_fresh(value, is_fresh)

    def register_init_hook(self, hook: Callable[[Any], Any]) -> None:
        """Call a function once when the parameter gets its first values, before they are used.

        If the shape is inferred in the first forward pass, the hook runs during that pass.

        Parameters
        ----------
        hook : callable
            Called as ``hook(parameter)``; it may change the values.

        Examples
        --------
        >>> from opforge.gluon import Parameter
        >>> weight = Parameter("weight", shape=(2,))
        >>> weight.register_init_hook(lambda first: print(first.shape))
        >>> weight.initialize()
        (2,)
        """
        self._init_hooks += (hook,)

    def _run_init_hooks(self) -> None:
        hooks, self._init_hooks = self._init_hooks, ()
        for hook in hooks:
            hook(self)

    def register_grad_hook(self, hook: Callable[[NDArray], Any]) -> HookHandle:
        """Call a function with each gradient as soon as a backward pass has completed it.

        The hook runs during the pass, on its thread, after the last contribution to the gradient,
        also for hybridized blocks. Gradients of the last layers come first. Hooks may be registered
        before initialization, and persist through `cast`, `reset_ctx` and changes of `grad_req`.
        ``autograd.grad`` calls no hooks, because it does not change gradients.

        Parameters
        ----------
        hook : callable
            Called as ``hook(gradient)``; the gradient's context identifies the copy. An exception
            ends the pass and is raised by `backward`; it is unspecified which other gradients have
            been written by then.

        Returns
        -------
        HookHandle
            Its `detach` removes the hook.

        Examples
        --------
        >>> from opforge import autograd
        >>> from opforge.gluon import Parameter
        >>> weight = Parameter("weight", shape=(2,), init="ones")
        >>> weight.initialize()
        >>> with weight.register_grad_hook(lambda gradient: print(gradient.asnumpy())):
        ...     with autograd.record():
        ...         loss = weight.data() * weight.data()
        ...     loss.backward()
        [2. 2.]
        """
        if self._grad_hooks is None:
            self._grad_hooks = {}
            self._attach_hooks(self._data or [])
        return HookHandle(self._grad_hooks, hook)

    # -- storage --------------------------------------------------------------------------------

    @property
    def _grad(self) -> list[NDArray] | None:
        """Gradients, which are allocated on first use; None if there are none."""
        if self._grads is None and self._data is not None and self._grad_req != "null":
            self._grads = as_requested([tape.grad_of(value) for value in self._data])
        return self._grads

    @_grad.setter
    def _grad(self, gradients: list[NDArray] | None) -> None:
        self._grads = gradients

    def _has_made_grad(self) -> bool:
        """Return whether a gradient has been allocated."""
        if self._grads is not None:
            return True
        return any(tape.made_grad_of(value) is not None for value in self._data or ())

    def _fill(self, data: NDArray, contexts: Sequence[Context], takes: bool = False) -> None:
        """Copy `data` to each context, and set up the gradients.

        With `takes`, the copy on the context of `data` is `data` itself, which has no other user.
        """
        self._ctx_list = list(contexts)
        if data.stype != self._stype:
            data, takes = data.tostype("default").tostype(self._stype), True
        first = next((i for i, ctx in enumerate(contexts) if takes and ctx == data.context), -1)
        copies = [data if i == first else data.copyto(c) for i, c in enumerate(contexts)]
        self._make_grad(copies)  # first: other threads compute with values as soon as they are kept
        self._keep(copies)

    def _keep(self, copies: list[NDArray]) -> None:
        self._data = _Copies(as_requested(copies), self)
        self._note_single()

    def _note_single(self) -> None:
        copies = self._data or []
        # Not if a subclass overrides `data`: callers read `_single` before they call it.
        one = (
            len(copies) == 1
            and type(self).data is ParameterCopies.data
            and self._stype == "default"
        )
        self._single = copies[0] if one else None
        self._single_ctx = copies[0].context if one else None

    def _forget(self) -> None:
        self._data = self._grads = self._ctx_list = self._single = self._single_ctx = None

    def _make_grad(self, values: list[NDArray]) -> None:
        """Attach zero gradients to values; dense ones are allocated on first use."""
        self._grads = None
        if self._grad_req == "null":
            return
        if self._grad_stype == self._stype == "default":
            for value in values:
                tape.mark_lazily(value, self._grad_req)
            self._attach_hooks(values)
            return
        zeros = [nd.zeros(x.shape, x.context, x.dtype, self._grad_stype) for x in values]
        self._mark(values, zeros)

    def _mark(self, values: list[NDArray], gradients: list[NDArray]) -> None:
        self._grads = gradients
        autograd.mark_variables(values, gradients, self._grad_req)
        self._attach_hooks(values)

    def _attach_hooks(self, values: list[NDArray]) -> None:
        """Register the hooks with the tape."""
        if self._grad_hooks is not None:
            for value in values:
                tape.set_hooks(value, self._grad_hooks)

    def _values(self) -> list[NDArray]:
        """Return the copies on all contexts, of any storage type."""
        return self._all(self._data)

    def _expect_dense(self, method: str) -> None:
        if self._stype != "default":
            raise RuntimeError(
                f"Cannot return a copy of Parameter '{self.name}' via {method}() because its "
                f"storage type is {self._stype}. Please use row_sparse_data() instead."
            )

    def _all(self, copies: list[NDArray] | None) -> list[NDArray]:
        if copies is None:
            raise self._missing()
        return copies

    def _check_and_get(self, copies: list[NDArray] | None, ctx: Context | None) -> NDArray:
        copies = self._all(copies)
        if ctx is None:
            if len(copies) == 1:
                return copies[0]
            ctx = current_context()
        assert self._ctx_list is not None
        for known, copy in zip(self._ctx_list, copies, strict=True):
            if known == ctx:
                return copy
        raise RuntimeError(
            f"Parameter '{self.name}' was not initialized on context {ctx}. "
            f"It was only initialized on {self._ctx_list}."
        )

    def _check_has_grad(self) -> None:
        if self._data is not None and self._grads is None and self._grad_req == "null":
            raise RuntimeError(
                f"Cannot get gradient array for Parameter '{self.name}' because grad_req='null'"
            )

    def _missing(self) -> RuntimeError:
        if self._deferred_init:
            return DeferredInitializationError(
                f"Parameter '{self.name}' has not been initialized yet because initialization "
                "was deferred. Actual initialization happens during the first forward pass. "
                "Please pass one batch of data through the network before accessing Parameters. "
                "You can also avoid deferred initialization by specifying in_units, "
                "num_features, etc., for network layers."
            )
        return RuntimeError(
            f"Parameter '{self.name}' has not been initialized. Call net.initialize() before the "
            "first call of the network, and pass net.collect_params() to the Trainer: net.params "
            "lacks the parameters of child blocks"
        )

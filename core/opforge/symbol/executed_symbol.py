"""Methods of symbols that bind them to arrays.

Executors import everything that defines symbols, so the binding functions live in a layer above
`Symbol` and register themselves here.
"""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple

__all__ = ["Binder", "ExecutedSymbol", "register_binder"]


class Binder(NamedTuple):
    """Implementations of the binding methods of the same names."""

    bind: Callable[..., Any]
    simple_bind: Callable[..., Any]
    eval: Callable[..., Any]


def register_binder(binder: Binder) -> None:
    """Make all symbols bind with the functions of `binder`."""
    ExecutedSymbol._binder = binder


class ExecutedSymbol:
    """Methods of symbols that bind them to arrays."""

    __slots__ = ()

    _binder: ClassVar[Binder]

    def bind(
        self,
        ctx: Any,
        args: Any,
        args_grad: Any = None,
        grad_req: Any = "write",
        aux_states: Any = None,
        **kwargs: Any,
    ) -> Any:
        """Bind the graph to arrays.

        Parameters
        ----------
        ctx : Context or None
            Default (None): the current one.
        args : list or dict of NDArray
            The arguments, in the order of `list_arguments` or by name.
        args_grad : list or dict of NDArray, optional
            Arrays to which the gradients are written.
        grad_req : {"write", "add", "null"}, or a list or dict of them
        aux_states : list or dict of NDArray, optional
        **kwargs
            `shared_exec`, an executor whose memory for intermediate results may be reused;
            `group2ctx`, a dict of str to Context, which allows arrays on other contexts than `ctx`.

        Returns
        -------
        Executor

        Raises
        ------
        ContextError
            An array is on another context, and no `group2ctx` was passed.

        Examples
        --------
        >>> from opforge import cpu, nd, sym
        >>> y = sym.var("a") * 2
        >>> executor = y.bind(cpu(), {"a": nd.array([1, 2])})
        >>> executor.forward()[0].asnumpy().tolist()
        [2.0, 4.0]
        """
        _expect_known("bind", kwargs, ("group2ctx", "shared_exec"))
        shared = kwargs.get("shared_exec")
        grouped = bool(kwargs.get("group2ctx"))
        return self._binder.bind(self, ctx, args, args_grad, grad_req, aux_states, shared, grouped)

    def simple_bind(
        self,
        ctx: Any,
        grad_req: Any = "write",
        type_dict: Any = None,
        stype_dict: Any = None,
        group2ctx: Any = None,
        shared_arg_names: Any = None,
        shared_exec: Any = None,
        shared_buffer: Any = None,
        **kwargs: Any,
    ) -> Any:
        """Bind the graph to new arrays, whose shapes are inferred.

        Parameters
        ----------
        ctx : Context or None
            Default (None): the current one.
        grad_req : {"write", "add", "null"}, or a list or dict of them
        type_dict : dict, optional
            Element types by argument name.
        shared_exec : Executor, optional
            Executor whose memory for intermediate results may be reused, and whose auxiliary states
            are shared.
        shared_arg_names : list of str, optional
            Arguments whose arrays are taken from `shared_exec`, together with their gradients.
        group2ctx : dict of str to Context, optional
            Contexts of arrays whose variables have the attribute ``ctx_group``.
        stype_dict : dict of str to str, optional
            Storage types by argument name; by default the declared ones.
        shared_buffer
            Ignored; accepted for compatibility with MXNet.
        **kwargs : tuple of int
            Shapes by argument name.

        Returns
        -------
        Executor
        """
        return self._binder.simple_bind(
            self,
            ctx,
            grad_req,
            type_dict,
            kwargs,
            shared_exec,
            shared_arg_names or (),
            group2ctx,
            stype_dict,
        )

    def eval(self, ctx: Any = None, **kwargs: Any) -> Any:
        """Compute the outputs from arrays passed by name.

        Examples
        --------
        >>> from opforge import nd, sym
        >>> (sym.var("a") + sym.var("b")).eval(a=nd.ones(2), b=nd.ones(2))[0].asnumpy().tolist()
        [2.0, 2.0]
        """
        return self._binder.eval(self, ctx, kwargs)


def _expect_known(method: str, given: dict[str, Any], known: Sequence[str]) -> None:
    unknown = sorted(set(given) - set(known))
    if unknown:
        raise TypeError(f"Symbol.{method} got unknown arguments {', '.join(unknown)}")

"""Methods of symbols that optimize them with subgraph backends."""

import warnings
from typing import Any

from ...base.dtypes import code_of
from ...base.errors import OpforgeError
from ...native.array import Array, StoredArray
from .._namespace import operators

__all__ = ["OptimizedSymbol"]


class OptimizedSymbol:
    """Methods of symbols that replace what a subgraph backend supports."""

    __slots__ = ()

    def optimize_for(
        self,
        backend: Any,
        args: dict[str, Any] | None = None,
        aux: dict[str, Any] | None = None,
        ctx: Any = None,
        shape_dict: dict[str, Any] | None = None,
        type_dict: dict[str, Any] | None = None,
        stype_dict: dict[str, str] | None = None,
        skip_infer: bool = False,
        dedup_subgraph: bool = False,
        **kwargs: Any,
    ) -> Any:
        """Return the graph with the parts replaced that a subgraph backend supports.

        Names of outputs, arguments and auxiliary states stay, except for those of outputs of
        replaced nodes with several outputs.

        Parameters
        ----------
        backend : str
            Name of a backend that a plugin provides or the program has registered.
        args, aux : dict of str to NDArray, optional
            Values by name, from which shapes and types are inferred, and which the backend may
            use. Parameters that it adds are added to them; unused ones are removed.
        shape_dict, type_dict : dict, optional
            Shapes and types of arguments that are not in `args`.
        skip_infer : bool, default False
            Do not infer shapes and types.
        ctx, stype_dict, dedup_subgraph
            Accepted for compatibility with MXNet; without effect.
        **kwargs
            Options of the backend.

        Raises
        ------
        OpforgeError
            No backend has this name, its replacement does not fit, or it adds parameters and no
            dict was passed for them.
        TypeError
            The backend does not have such an option.

        Examples
        --------
        >>> from opforge import subgraph, sym
        >>> @subgraph.register
        ... class Nothing(subgraph.SubgraphBackend):
        ...     '''Replaces nothing.'''
        >>> sym.exp(sym.var("x"), name="y").optimize_for("nothing").list_outputs()
        ['y_output']
        """
        for name, given in (("args", args), ("aux", aux)):
            if not (given is None or isinstance(given, dict)):
                raise TypeError(
                    f"optimize_for: {name} must be a dict of NDArray by name, got "
                    f"{type(given).__name__}"
                )
            for key, value in (given or {}).items():
                if not isinstance(value, Array | StoredArray):
                    raise TypeError(
                        f"optimize_for: {key!r} of {name} must be an NDArray, got "
                        f"{type(value).__name__}"
                    )
        for key, shape in (shape_dict or {}).items():
            if not isinstance(shape, tuple | list):
                raise ValueError(
                    f"optimize_for: shape_dict has {shape!r:.60} for {key!r}; it has "
                    "to be a tuple or list"
                )
        optimizing = operators()._optimizing
        result, added = optimizing.optimize(
            self,
            backend,
            kwargs,
            optimizing.Given(
                args or {},
                aux or {},
                shape_dict or {},
                {name: code_of(dtype) for name, dtype in (type_dict or {}).items()},
                not skip_infer,
            ),
        )
        _update(self, result, added, args, aux)
        return result

    def get_backend_symbol(self, backend: str) -> Any:
        """Return the graph with the parts replaced that a subgraph backend supports.

        See `optimize_for`.
        """
        return self.optimize_for(backend)


def _update(
    symbol: Any,
    result: Any,
    added: dict[str, Any],
    args: dict[str, Any] | None,
    aux: dict[str, Any] | None,
) -> None:
    """Add new parameters to the caller's dicts and remove those that are no longer used."""
    arrays = {**(args or {}), **(aux or {}), **added}
    new = {"args": result.list_arguments(), "aux": result.list_auxiliary_states()}
    old = {"args": symbol.list_arguments(), "aux": symbol.list_auxiliary_states()}
    for kind, given in (("args", args), ("aux", aux)):
        missing = [name for name in new[kind] if name in added]
        if given is None and missing:
            raise OpforgeError(
                f"Cannot add new {kind} in optimize_for since {kind} is None: the backend adds "
                f"{', '.join(missing)}. Provide a dictionary to the {kind} argument to optimize_for"
            )
        removed = set(old[kind]) - set(new[kind])
        if given is None and removed:
            warnings.warn(
                f"A param was deleted during optimization, but no {kind} dictionary was provided: "
                f"{', '.join(sorted(removed))}. Please ensure that your model weights match the "
                "newly optimized model.",
                stacklevel=3,
            )
    for kind, given in (("args", args), ("aux", aux)):
        if given is None:
            continue
        for name in set(old[kind]) - set(new[kind]):
            given.pop(name, None)
        given.update({name: arrays[name] for name in new[kind] if name in arrays})

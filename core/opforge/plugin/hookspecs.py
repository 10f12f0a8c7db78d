"""The hooks that a plugin may implement, and the marker for its implementations.

A hook is a function in the module that the entry point group ``opforge`` names, marked with
``hookimpl``. opforge calls each once, when one of the plugin's names is first used; no call of an
operator ever goes through a hook. Everything that the hooks of a distribution return goes into the
registry, or nothing of it.
"""

from collections.abc import Iterable, Mapping

import pluggy

__all__ = ["hookimpl", "hookspec", "opforge_layers", "opforge_operators", "opforge_things"]

hookspec = pluggy.HookspecMarker("opforge")
hookimpl = pluggy.HookimplMarker("opforge")


@hookspec
def opforge_operators() -> Iterable[type]:  # type: ignore[empty-body]
    """Return the operator declarations of this plugin.

    Each has its line in the entry point group ``opforge.ops``, by which it is found before anything
    is imported; its ``name`` and ``aliases`` are the names of these lines. Several versions of an
    operator are several classes of one name.

    Returns
    -------
    iterable of type
        Classes derived from ``OperatorProp``, each with a ``name``.

    Examples
    --------
    >>> @hookimpl
    ... def opforge_operators():
    ...     from .operators import Silu
    ...
    ...     return [Silu]
    """


@hookspec
def opforge_layers() -> Iterable[type]:  # type: ignore[empty-body]
    """Return the layer classes of this plugin.

    Each has its line in the entry point group ``opforge.layers`` and becomes ``gluon.nn.<name>``,
    under the name of the class.

    Returns
    -------
    iterable of type
        Classes derived from ``Block`` or ``HybridBlock``.

    Examples
    --------
    >>> @hookimpl
    ... def opforge_layers():
    ...     from .layers import Silu
    ...
    ...     return [Silu]
    """


@hookspec
def opforge_things() -> Mapping[str, Mapping[str, object]]:  # type: ignore[empty-body]
    """Return what this plugin has besides operators and layers, by kind and name.

    Each has its line in the entry point group of its kind, under the same name: `optimizer` in
    ``opforge.optimizers``, and likewise `initializer`, `metric`, `loss`, `scheduler`, `iterator`,
    `dataset`, `kvstore`, `exporter`, `model` and `module`.

    Returns
    -------
    mapping of str to mapping of str to object
        Kind -> name -> a class derived from the kind's base class; of models any callable that
        returns one, of modules the module or its import path, by which it is imported when a
        program uses it.

    Examples
    --------
    >>> @hookimpl
    ... def opforge_things():
    ...     from .optimizers import AdaBelief
    ...
    ...     return {"optimizer": {"AdaBelief": AdaBelief}}
    """

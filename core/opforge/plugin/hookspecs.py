"""The hooks that a plugin may implement, and the marker for its implementations.

Entry points register what a plugin provides, and most plugins need no hook. Hooks are for what
entry points cannot express: several versions of an operator, and contributions that code computes.

A hook is a function in the module that the entry point group ``opforge`` names, marked with
``hookimpl``. opforge calls each hook once, when one of the plugin's names is first used; operator
calls never go through a hook. Either everything that the hooks of a distribution return is
registered, or none of it. A name that hooks do not return is registered by its entry point.
"""

from collections.abc import Iterable, Mapping

import pluggy

__all__ = ["hookimpl", "hookspec", "opforge_contributions", "opforge_layers", "opforge_operators"]

hookspec = pluggy.HookspecMarker("opforge")
hookimpl = pluggy.HookimplMarker("opforge")


@hookspec
def opforge_operators() -> Iterable[type]:  # type: ignore[empty-body]
    """Return the operator declarations of this plugin.

    Each needs an entry point in the group ``opforge.ops`` for its ``name`` and for each of its
    ``aliases``, by which opforge finds it without an import. Versions of an operator are separate
    classes with the same name.

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

    Each needs an entry point with the name of the class in the group ``opforge.layers``, and is
    available as ``gluon.nn.<name>``.

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
def opforge_contributions() -> Mapping[str, Mapping[str, object]]:  # type: ignore[empty-body]
    """Return the contributions other than operators and layers, by kind and name.

    Each needs an entry point with the same name in the group of its kind: an `optimizer` in
    ``opforge.optimizers``, and likewise for `initializer`, `metric`, `loss`, `scheduler`,
    `iterator`, `dataset`, `kvstore`, `exporter`, `model`, `rule` and `module`, and a `backend` in
    ``opforge.subgraph_backends``.

    Returns
    -------
    mapping of str to mapping of str to object
        Kind -> name -> class derived from the kind's base class. A model is any callable that
        returns one; a rule is a function, whose name is ``KIND:OPERATOR``; a module is the module
        itself, or its import path, which is imported on first use.

    Examples
    --------
    >>> @hookimpl
    ... def opforge_contributions():
    ...     from .optimizers import AdaBelief
    ...
    ...     return {"optimizer": {"AdaBelief": AdaBelief}}
    """

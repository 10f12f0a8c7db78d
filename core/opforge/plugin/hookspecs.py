"""The hooks that a plugin may implement, and the marker for its implementations."""

from collections.abc import Iterable

import pluggy

__all__ = ["hookimpl", "hookspec", "opforge_layers", "opforge_operators"]

hookspec = pluggy.HookspecMarker("opforge")
hookimpl = pluggy.HookimplMarker("opforge")


@hookspec
def opforge_operators() -> Iterable[type]:  # type: ignore[empty-body]
    """Return the operator declarations of this plugin, classes derived from `OperatorProp`."""


@hookspec
def opforge_layers() -> Iterable[type]:  # type: ignore[empty-body]
    """Return the layer classes of this plugin, derived from `gluon.Block`."""

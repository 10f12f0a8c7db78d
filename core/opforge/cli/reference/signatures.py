"""Signatures of classes as text, without annotations: of loaded ones, and from source text."""

import ast
import copy
import inspect
from typing import Any

from ...plugin.source import SourceClass, find_class

__all__ = ["constructor_arguments", "loaded_signature", "source_signature"]


def loaded_signature(contribution: Any) -> str:
    """Return the signature of a class or function; empty if Python does not know it.

    Examples
    --------
    >>> def halve(value: float, times: int = 1) -> float: ...
    >>> loaded_signature(halve)
    '(value, times=1)'
    """
    try:
        found = inspect.signature(contribution)
    except (TypeError, ValueError):
        return ""
    bare = [each.replace(annotation=each.empty) for each in found.parameters.values()]
    return str(found.replace(parameters=bare, return_annotation=found.empty))


def source_signature(value: str, name: str) -> str:
    """Return the signature of the class that an entry point names; empty if it defines none.

    Parameters
    ----------
    value : str
        ``module:class``.
    name : str
        Registered name.
    """
    try:
        found = constructor_arguments(find_class(value, name))
    except LookupError:  # a function, or unreadable: `read_contribution` reports the reason
        return ""
    if found is None:
        return ""
    bare = copy.deepcopy(found)
    del (bare.posonlyargs or bare.args)[0]  # self
    for node in ast.walk(bare):
        if isinstance(node, ast.arg):
            node.annotation = None
    return f"({ast.unparse(bare)})"


def constructor_arguments(found: SourceClass) -> ast.arguments | None:
    """Return the arguments of a class's constructor, including ``self``, or None."""
    makers = (
        statement.args
        for owner in found.lineage
        for statement in owner.body
        if isinstance(statement, ast.FunctionDef) and statement.name == "__init__"
    )
    return next(makers, None)

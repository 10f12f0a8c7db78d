"""Errors for names that users of other frameworks expect, with the code to write instead."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from .familiar_names import ARGUMENT_NAMES, MODULE_NAMES, NOT_NEEDED

__all__ = [
    "add_hints",
    "argument_hint",
    "hint",
    "hint_for_name",
    "missing_name",
    "unexpected_arguments",
]

Class = TypeVar("Class", bound=type)


class _Hint:
    """Descriptor of a missing attribute; access raises an error that suggests a replacement."""

    def __init__(self, name: str, remedy: str) -> None:
        self._name = name
        self._remedy = remedy

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            raise AttributeError(f"type object {owner.__name__!r} has no attribute {self._name!r}")
        remedy = self._remedy if self._remedy.startswith(NOT_NEEDED) else f"use {self._remedy}"
        raise AttributeError(f"{owner.__name__!r} object has no attribute {self._name!r}; {remedy}")


class _ReadOnlyHint(_Hint):
    """Hint of a class whose instances must not get an attribute of this name either."""

    def __set__(self, instance: Any, value: Any) -> None:
        self.__get__(instance, type(instance))


def _existing(instance: Any) -> list[str]:
    """Return the attributes of an instance without the missing ones, which programs read."""
    kind = type(instance)
    return [
        name
        for name in object.__dir__(instance)
        if not isinstance(inspect.getattr_static(kind, name, None), _Hint)
        or name in getattr(instance, "__dict__", ())
    ]


def add_hints(hints: Mapping[str, str], read_only: bool = False) -> Callable[[Class], Class]:
    """Return a class decorator that adds suggestions to the errors for missing attributes.

    Unlike ``__getattr__``, it does not slow down other attributes of the class. Instances may have
    attributes of these names, unless they are `read_only`, and subclasses may define them.

    Parameters
    ----------
    hints : mapping of str to str
    read_only : bool, default False
        Raise the same error if a program sets the attribute, which would have no effect.

    Examples
    --------
    >>> @add_hints({"numpy": "x.asnumpy()"})
    ... class Mine: pass
    >>> Mine().numpy
    Traceback (most recent call last):
    AttributeError: 'Mine' object has no attribute 'numpy'; use x.asnumpy()
    >>> hasattr(Mine(), "numpy"), hasattr(Mine, "numpy")
    (False, False)
    """

    def decorate(cls: Class) -> Class:
        for name, remedy in hints.items():
            if not hasattr(cls, name):
                setattr(cls, name, (_ReadOnlyHint if read_only else _Hint)(name, remedy))
        cls.__dir__ = _existing  # type: ignore[assignment, method-assign]
        return cls

    return decorate


def hint_for_name(name: str) -> str:
    """Return a sentence about a name of another framework; empty for other names.

    Examples
    --------
    >>> hint_for_name("Linear")
    "PyTorch's Linear is nn.Dense(units) here"
    """
    for framework, names in MODULE_NAMES.items():
        if name in names:
            return hint(framework, name, names[name])
    return ""


def hint(framework: str, name: str, remedy: str) -> str:
    """Return a sentence about a name of a framework.

    Examples
    --------
    >>> hint("PyTorch", "cat", "nd.concat(x, y, dim=axis)")
    "PyTorch's cat is nd.concat(x, y, dim=axis) here"
    """
    end = "" if remedy.startswith(NOT_NEEDED) else " here"
    return f"{framework}'s {name} is {remedy}{end}"


def argument_hint(name: str, known: Iterable[str]) -> str:
    """Return the name of an argument of another framework here, in parentheses; empty if unknown.

    Examples
    --------
    >>> argument_hint("keepdim", ["axis", "keepdims"])
    ' (it is called keepdims here)'
    >>> argument_hint("keepdim", ["axis"])
    ''
    """
    parameters = {"x", *known}
    for remedy in ARGUMENT_NAMES.get(name, ()):
        if remedy.replace("=", ".").partition(".")[0] in parameters:
            return (
                f" (it is called {remedy} here)" if remedy.isidentifier() else f" (write {remedy})"
            )
    return ""


def unexpected_arguments(kind: type, given: Iterable[str]) -> TypeError:
    """Return the error for keyword arguments that no constructor of a class has.

    Parameters
    ----------
    kind : type
    given : iterable of str
        The unknown keywords; the message names the first.
    """
    name = next(iter(given))
    known = {
        parameter
        for cls in kind.__mro__
        if "__init__" in vars(cls)
        for parameter in inspect.signature(vars(cls)["__init__"]).parameters
    }
    hinted = argument_hint(name, known)
    return TypeError(f"{kind.__name__}() got an unexpected keyword argument {name!r}{hinted}")


def missing_name(module: str, name: str) -> AttributeError:
    """Return the error for a name that a module lacks.

    Examples
    --------
    >>> print(missing_name("opforge.autograd", "no_grad"))
    module 'opforge.autograd' has no attribute 'no_grad'; PyTorch's no_grad is autograd.pause() here
    """
    text = f"module {module!r} has no attribute {name!r}"
    return AttributeError("; ".join(filter(None, (text, hint_for_name(name)))))

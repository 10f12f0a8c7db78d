"""Which exporters can write calls of an operator."""

from typing import Any

from ... import exporter
from ...op.rules import providers

__all__ = ["exports_of"]


def exports_of(declaration: Any) -> dict[str, str]:
    """Return by what each installed exporter writes an operator; an empty text if it cannot.

    Parameters
    ----------
    declaration : type
        Class derived from `OperatorProp`. Only one that is an elementwise kernel makes this import
        the exporters.

    Returns
    -------
    dict of str to str
        Name of an exporter -> "rule", "composition" or "".
    """
    rules = providers(declaration.name)
    found = {}
    for name in exporter.names():
        found[name] = "composition" if getattr(declaration, "compose", None) is not None else ""
        if name in rules or _has_kernel(name, getattr(declaration, "elementwise_kernel", None)):
            found[name] = "rule"
    return found


def _has_kernel(name: str, kernel: Any) -> bool:
    return kernel is not None and kernel in exporter.create(name).elementwise_kernels()

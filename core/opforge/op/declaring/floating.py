"""`Floating`: mixin for declarations of operators on floating-point types only."""

__all__ = ["Floating"]


class Floating:
    """Mixin that rejects integer inputs, whose results would be truncated.

    It sets ``dtypes = ("floating",)``. List it before the base class: ``class Mean(Floating,
    OperatorProp)``.

    Examples
    --------
    >>> from opforge.plugin_api import OperatorProp
    >>> class Half(Floating, OperatorProp):
    ...     "Divide by two."
    ...     name = "half"
    ...     def compose(self, F, data):
    ...         return data / 2
    >>> Half.dtypes
    ('floating',)
    """

    dtypes = ("floating",)

"""`Rules`: dtype of the computation of each operator in a graph."""

from collections.abc import Collection, Sequence
from typing import Any

from opforge.op.registry.catalogue import first_party
from opforge.op.registry.registry import names
from opforge.symbol.node import Node

from . import listing

__all__ = ["FP32", "WIDEST", "Condition", "Rules"]

FP32, WIDEST = "float32", "widest"

#: An operator, one of its attributes, and the values that require float32.
Condition = tuple[str, str, list[str]]


class Rules:
    """Rules for operators from the lists.

    Parameters
    ----------
    target_dtype_ops, fp32_ops : list of str, optional
        Operators that compute in the target dtype and in float32; None: the default lists.
    conditional_fp32_ops : list of (str, str, list of str), optional
    excluded_sym_names : list of str, optional
        Nodes that are left unchanged.
    target_dtype : {"float16", "bfloat16"}

    Raises
    ------
    AssertionError
        An argument is not a list, an operator does not exist, or is in two lists.
    """

    def __init__(
        self,
        target_dtype_ops: Sequence[str] | None,
        fp32_ops: Sequence[str] | None,
        conditional_fp32_ops: Sequence[Condition] | None,
        excluded_sym_names: Sequence[str] | None,
        target_dtype: str = "float16",
    ) -> None:
        self.target_dtype = target_dtype
        conditions = _list_or_default(
            "conditional_fp32_ops",
            conditional_fp32_ops,
            listing.list_conditional_fp32_ops(target_dtype),
        )
        self._conditions = {name: (attribute, values) for name, attribute, values in conditions}
        self._narrow = set(
            _list_or_default(
                "target_dtype_ops", target_dtype_ops, listing.list_lp16_ops(target_dtype)
            )
        )
        self._wide = set(
            _list_or_default("fp32_ops", fp32_ops, listing.list_fp32_ops(target_dtype))
        )
        self._excluded = set(_list_or_default("excluded_sym_names", excluded_sym_names, []))
        self._widest = set(listing.list_widest_type_cast(target_dtype))
        self._expect_lists_apart()

    def _expect_lists_apart(self) -> None:
        lists: dict[str, Collection[str]] = {
            "target_dtype_ops": self._narrow,
            "fp32_ops": self._wide,
            "conditional_fp32_ops": self._conditions,
        }
        seen: dict[str, str] = {}
        # The lists include operators of plugins, which may not be installed.
        known = {*names(), *first_party("operator"), "Custom"}
        for what, some in lists.items():
            for name in sorted(some):
                assert name in known, f"{what} has {name!r}, which is not an operator"
                assert name not in seen, (
                    f"Ops cannot be in two or more lists. {name!r} is in {seen[name]} and {what}"
                )
                seen[name] = what

    def of(self, node: Node) -> str | None:
        """Return the dtype in which a node computes; None: that of its inputs."""
        assert node.operation is not None
        name = (
            node.operation.name
        )  # the operator's name as stored in files; the lists include aliases
        if node.name in self._excluded:
            return None
        if name in self._wide or self._meets_condition(node, name):
            return FP32
        if name in self._narrow:
            return self.target_dtype
        return WIDEST if name in self._widest else None

    def _meets_condition(self, node: Node, name: str) -> bool:
        attribute, values = self._conditions.get(name, ("", []))
        assert node.operation is not None
        return bool(attribute) and str(getattr(node.operation.prop, attribute, "")) in values


def _list_or_default(what: str, given: Any, default: Sequence[Any]) -> Sequence[Any]:
    assert given is None or isinstance(given, list), f"{what} should be a list, got {given!r:.60}"
    return default if given is None else given

"""`Rules`: in which type each operator of a graph is to compute."""

from collections.abc import Collection, Sequence
from typing import Any

from opforge.op.registry.catalogue import FIRST_PARTY
from opforge.op.registry.registry import names
from opforge.symbol.node import Node

from . import listing

__all__ = ["FP16", "FP32", "WIDEST", "Condition", "Rules"]

FP16, FP32, WIDEST = "float16", "float32", "widest"

#: An operator, an attribute of it, and the values that ask for float32.
Condition = tuple[str, str, list[str]]


class Rules:
    """Rules for operators from the lists.

    Parameters
    ----------
    target_dtype_ops, fp32_ops : list of str, optional
        Operators that compute in float16, and in float32; None: those of the lists.
    conditional_fp32_ops : list of (str, str, list of str), optional
    excluded_sym_names : list of str, optional
        Nodes that are left as they are.

    Raises
    ------
    AssertionError
        Something is no list, an operator does not exist, or is in two lists.
    """

    def __init__(
        self,
        target_dtype_ops: Sequence[str] | None,
        fp32_ops: Sequence[str] | None,
        conditional_fp32_ops: Sequence[Condition] | None,
        excluded_sym_names: Sequence[str] | None,
    ) -> None:
        conditions = _listed(
            "conditional_fp32_ops", conditional_fp32_ops, listing.list_conditional_fp32_ops(FP16)
        )
        self._conditions = {name: (attribute, values) for name, attribute, values in conditions}
        self._narrow = set(
            _listed("target_dtype_ops", target_dtype_ops, listing.list_lp16_ops(FP16))
        )
        self._wide = set(_listed("fp32_ops", fp32_ops, listing.list_fp32_ops(FP16)))
        self._excluded = set(_listed("excluded_sym_names", excluded_sym_names, []))
        self._widest = set(listing.list_widest_type_cast(FP16))
        self._expect_lists_apart()

    def _expect_lists_apart(self) -> None:
        lists: dict[str, Collection[str]] = {
            "target_dtype_ops": self._narrow,
            "fp32_ops": self._wide,
            "conditional_fp32_ops": self._conditions,
        }
        seen: dict[str, str] = {}
        # The lists name operators of plugins too, which need not all be here.
        known = {*names(), *FIRST_PARTY["operator"], "Custom"}
        for what, some in lists.items():
            for name in sorted(some):
                assert name in known, f"{what} has {name!r}, which is no operator"
                assert name not in seen, (
                    f"Ops cannot be in two or more lists. {name!r} is in {seen[name]} and {what}"
                )
                seen[name] = what

    def of(self, node: Node) -> str | None:
        """Return in which type a node computes; None: in the one that comes."""
        assert node.operation is not None
        name = node.operation.name  # as files have it: the operator's, where aliases are listed too
        if node.name in self._excluded:
            return None
        if name in self._wide or self._meets_condition(node, name):
            return FP32
        if name in self._narrow:
            return FP16
        return WIDEST if name in self._widest else None

    def _meets_condition(self, node: Node, name: str) -> bool:
        attribute, values = self._conditions.get(name, ("", []))
        assert node.operation is not None
        return bool(attribute) and str(getattr(node.operation.prop, attribute, "")) in values


def _listed(what: str, given: Any, default: Sequence[Any]) -> Sequence[Any]:
    assert given is None or isinstance(given, list), f"{what} should be a list, got {given!r:.60}"
    return default if given is None else given

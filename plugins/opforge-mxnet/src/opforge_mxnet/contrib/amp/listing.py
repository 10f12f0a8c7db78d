"""Lists of operators by the dtype that a graph is converted to."""

from typing import Any

from opforge.base.dtypes import element_type
from opforge.base.errors import DTypeError

from .lists import symbol_fp16

__all__ = [
    "list_conditional_fp32_ops",
    "list_fp32_ops",
    "list_loss_output_functions",
    "list_lp16_fp32_ops",
    "list_lp16_ops",
    "list_lp16_use_fp32_params",
    "list_widest_type_cast",
]


def narrow_dtype(function: str, target_dtype: Any) -> str:
    """Return the name of the target dtype, which must be float16 or bfloat16.

    Raises
    ------
    ValueError
        It is another dtype.
    """
    try:
        row = element_type(target_dtype)
    except DTypeError:
        row = None
    if row is None or not row.is_half:
        raise ValueError(
            f"amp.{function}: target_dtype is {target_dtype!r}, expected 'float16' or 'bfloat16'"
        )
    return row.name


def list_lp16_ops(target_dtype: Any) -> list[str]:
    """Return the operators that compute in float16 or bfloat16."""
    narrow_dtype("list_lp16_ops", target_dtype)
    return symbol_fp16.FP16_FUNCS


def list_fp32_ops(target_dtype: Any) -> list[str]:
    """Return the operators that compute in float32."""
    narrow_dtype("list_fp32_ops", target_dtype)
    return symbol_fp16.FP32_FUNCS


def list_lp16_fp32_ops(target_dtype: Any) -> list[str]:
    """Return the operators that compute in the dtype of their inputs."""
    narrow_dtype("list_lp16_fp32_ops", target_dtype)
    return symbol_fp16.FP16_FP32_FUNCS


def list_conditional_fp32_ops(target_dtype: Any) -> list[tuple[str, str, list[str]]]:
    """Return operators, an attribute of each, and its values that require float32."""
    narrow_dtype("list_conditional_fp32_ops", target_dtype)
    return symbol_fp16.CONDITIONAL_FP32_FUNCS


def list_widest_type_cast(target_dtype: Any) -> list[str]:
    """Return the operators that compute in the widest type of their inputs."""
    narrow_dtype("list_widest_type_cast", target_dtype)
    return symbol_fp16.WIDEST_TYPE_CASTS


def list_loss_output_functions(target_dtype: Any) -> list[str]:
    """Return the operators that are losses."""
    narrow_dtype("list_loss_output_functions", target_dtype)
    return symbol_fp16.LOSS_OUTPUT_FUNCTIONS


def list_lp16_use_fp32_params(target_dtype: Any) -> None:
    """Return None: no operator requires its parameters in float32."""
    narrow_dtype("list_lp16_use_fp32_params", target_dtype)

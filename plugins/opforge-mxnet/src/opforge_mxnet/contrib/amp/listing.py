"""The lists of operators, by the type that a graph is converted to."""

from typing import Any

import numpy as np

from .lists import symbol_fp16

__all__ = [
    "expect_float16",
    "list_conditional_fp32_ops",
    "list_fp32_ops",
    "list_loss_output_functions",
    "list_lp16_fp32_ops",
    "list_lp16_ops",
    "list_lp16_use_fp32_params",
    "list_widest_type_cast",
]


def expect_float16(function: str, target_dtype: Any) -> None:
    """Refuse other types to convert to than float16.

    Raises
    ------
    ValueError
        It is bfloat16, which opforge does not have, or something else.
    """
    if target_dtype != "float16" and target_dtype is not np.float16:
        raise ValueError(
            f"amp.{function}: target_dtype is {target_dtype!r}, expected 'float16', the only "
            "narrow type of floating point here"
        )


def list_lp16_ops(target_dtype: Any) -> list[str]:
    """Return the operators that compute in float16."""
    expect_float16("list_lp16_ops", target_dtype)
    return symbol_fp16.FP16_FUNCS


def list_fp32_ops(target_dtype: Any) -> list[str]:
    """Return the operators that compute in float32."""
    expect_float16("list_fp32_ops", target_dtype)
    return symbol_fp16.FP32_FUNCS


def list_lp16_fp32_ops(target_dtype: Any) -> list[str]:
    """Return the operators that compute in the type that comes."""
    expect_float16("list_lp16_fp32_ops", target_dtype)
    return symbol_fp16.FP16_FP32_FUNCS


def list_conditional_fp32_ops(target_dtype: Any) -> list[tuple[str, str, list[str]]]:
    """Return operators, an attribute of each, and its values that ask for float32."""
    expect_float16("list_conditional_fp32_ops", target_dtype)
    return symbol_fp16.CONDITIONAL_FP32_FUNCS


def list_widest_type_cast(target_dtype: Any) -> list[str]:
    """Return the operators that compute in the widest type of their inputs."""
    expect_float16("list_widest_type_cast", target_dtype)
    return symbol_fp16.WIDEST_TYPE_CASTS


def list_loss_output_functions(target_dtype: Any) -> list[str]:
    """Return the operators that are losses."""
    expect_float16("list_loss_output_functions", target_dtype)
    return symbol_fp16.LOSS_OUTPUT_FUNCTIONS


def list_lp16_use_fp32_params(target_dtype: Any) -> None:
    """Return None: in float16 no operator keeps parameters in float32, as some do in bfloat16."""
    expect_float16("list_lp16_use_fp32_params", target_dtype)

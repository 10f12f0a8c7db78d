"""Conversion of `BucketingModule` to mixed precision."""

from typing import Any

from ...module.bucketing_module import BucketingModule
from .models import convert_model
from .rules import Condition

__all__ = ["convert_bucketing_module"]


def convert_bucketing_module(
    bucketing_mod: BucketingModule,
    target_dtype: Any = "float16",
    target_dtype_ops: list[str] | None = None,
    fp32_ops: list[str] | None = None,
    conditional_fp32_ops: list[Condition] | None = None,
    excluded_sym_names: list[str] | None = None,
    cast_optional_params: bool = False,
) -> BucketingModule:
    """Return a new module with the symbols of all buckets so far in mixed precision.

    Parameters
    ----------
    bucketing_mod : BucketingModule
        A module with parameters.
    target_dtype, target_dtype_ops, fp32_ops, conditional_fp32_ops, excluded_sym_names
        As for `convert_symbol`.
    cast_optional_params : bool, default False
        As for `convert_model`.

    Returns
    -------
    BucketingModule
        Not bound yet; it has the parameters.

    Raises
    ------
    AssertionError
        `bucketing_mod` is another object, or has no parameters.
    """
    assert isinstance(bucketing_mod, BucketingModule), (
        f"module should be instance of bucketing module, got {type(bucketing_mod).__name__}"
    )
    params = bucketing_mod.get_params()
    default = bucketing_mod._default_bucket_key
    symbols = {}
    # The default bucket comes last, because it has all parameters.
    for key in sorted(bucketing_mod._keys, key=lambda key: bool(key == default)):
        symbols[key], *converted = convert_model(
            *(bucketing_mod._generate(key)[0], *params, target_dtype, target_dtype_ops, fp32_ops),
            *(conditional_fp32_ops, excluded_sym_names, cast_optional_params),
        )
    sym_gen, settings = bucketing_mod._sym_gen, bucketing_mod._settings
    return BucketingModule.load_dict(symbols, sym_gen, default, *converted, **settings)

"""`SavedParameters`: methods of parameter dictionaries that save to and load from files."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from .. import ndarray as nd
from ..base.context import Context
from ..ndarray import NDArray
from ..ndarray.serialization import open_saved
from .named_arrays import named_arrays
from .parameter_loading import brief_list, load_all, load_into

__all__ = ["SavedParameters"]

T = TypeVar("T")


class SavedParameters:
    """Base class for saving parameter dictionaries: values by name."""

    def save(self: Any, filename: str, strip_prefix: str = "") -> None:
        """Save all values to a file.

        Parameters
        ----------
        filename : str
        strip_prefix : str, default ""
            Removed from the names in the file.

        Raises
        ------
        ValueError
            A name does not start with `strip_prefix`.
        """
        arrays = {}
        for param in self.values():
            if not param.name.startswith(strip_prefix):
                raise ValueError(
                    f"Prefix '{strip_prefix}' is to be striped before saving, but Parameter's "
                    f"name '{param.name}' does not start with '{strip_prefix}'. this may be due "
                    "to your Block shares parameters from other Blocks or you forgot to use "
                    "'with name_scope()' when creating child blocks."
                )
            arrays[param.name[len(strip_prefix) :]] = param._reduce()
        nd.save(filename, arrays)

    def load(
        self: Any,
        filename: str,
        ctx: Context | Sequence[Context] | None = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
        restore_prefix: str = "",
        cast_dtype: bool = False,
        dtype_source: str = "current",
    ) -> None:
        """Load values from a file of `save`.

        Parameters
        ----------
        filename : str
        ctx : Context or list of Context, optional
        restore_prefix : str, default ""
            Prefix to prepend to the names in the file.
        allow_missing, ignore_extra, cast_dtype, dtype_source
            As in `Block.load_parameters`.

        Raises
        ------
        AssertionError
            Names, shapes or types do not match.
        """
        for name in self.keys() if restore_prefix else ():
            assert name.startswith(restore_prefix), (
                f"restore_prefix is '{restore_prefix}' but Parameters name '{name}' does not "
                f"start with '{restore_prefix}'"
            )
        where = f"file: {filename}"
        with open_saved(filename) as saved:
            arrays = _with_prefix(named_arrays(saved, where), restore_prefix)
            self._expect_names(arrays, where, allow_missing, ignore_extra, restore_prefix)
            load_all(self._params, arrays, ctx, cast_dtype, dtype_source)

    def load_dict(
        self: Any,
        param_dict: Mapping[str, NDArray],
        ctx: Context | Sequence[Context] | None = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
        restore_prefix: str = "",
        filename: str | None = None,
        cast_dtype: bool = False,
        dtype_source: str = "current",
    ) -> None:
        """Set values from arrays by name; see `load`.

        Parameters
        ----------
        param_dict : mapping of str to NDArray
            Prefixes ``arg:`` and ``aux:`` of names are removed.
        filename : str, optional
            Origin of the arrays, for errors.
        ctx, allow_missing, ignore_extra, restore_prefix, cast_dtype, dtype_source
            As in `load`.
        """
        where = f"file: {filename}" if filename else "param_dict"
        arrays = _with_prefix(named_arrays(param_dict, where), restore_prefix)
        self._expect_names(arrays, where, allow_missing, ignore_extra, restore_prefix)
        for name, array in arrays.items():
            if name in self._params:
                load_into(self._params[name], array, ctx, cast_dtype, dtype_source)

    def _expect_names(
        self: Any,
        arrays: Mapping[str, Any],
        where: str,
        allow_missing: bool,
        ignore_extra: bool,
        restore_prefix: str,
    ) -> None:
        """Check that arrays and parameters have the same names, as far as the flags require."""
        advice = "Please make sure source and target networks have the same prefix."
        for name in () if allow_missing else self.keys():
            assert name in arrays, (
                f"Parameter '{name[len(restore_prefix) :]}' is missing in {where}, "
                f"which contains parameters: {brief_list(arrays)}. {advice}"
            )
        for name in () if ignore_extra else arrays:
            assert name in self._params, (
                f"Parameter '{name[len(restore_prefix) :]}' loaded from {where} is not present "
                f"in ParameterDict, choices are: {brief_list(self._params)}. Set ignore_extra "
                f"to True to ignore. {advice}"
            )


def _with_prefix(loaded: Mapping[str, T], prefix: str) -> dict[str, T]:
    """Return arrays by parameter name."""
    return {
        prefix + name.removeprefix("arg:").removeprefix("aux:"): array
        for name, array in loaded.items()
    }

"""`SavedBlock`: methods of blocks that save to files and load from them."""

import warnings
from collections.abc import Sequence
from typing import Any

from .. import ndarray as nd
from ..base.context import Context
from ..native.array import Var
from ..ndarray.serialization import open_saved
from .model_file import load_model, save_model
from .named_arrays import named_arrays
from .parameter_loading import check_names, load_all

__all__ = ["SavedBlock"]


class SavedBlock:
    """Base class for saving blocks: parameter values, and the names of all blocks."""

    def save_parameters(
        self: Any, filename: str, deduplicate: bool = False, wait: bool = True
    ) -> Var | None:
        """Write all parameters to a file, by structural name.

        Parameters
        ----------
        filename : str
        deduplicate : bool, default False
            Write a parameter that several blocks share only once.
        wait : bool, default True
            False: training may continue while the file is written, see `nd.save`.

        Returns
        -------
        engine.Var or None
            With ``wait=False``, the variable to wait on.
        """
        params = self._collect_params_with_prefix()
        if deduplicate:
            last_name = {id(param): name for name, param in params.items()}
            params = {name: params[name] for name in last_name.values()}
        return nd.save(filename, {name: param._reduce() for name, param in params.items()}, wait)

    def load_parameters(
        self: Any,
        filename: str,
        ctx: Context | Sequence[Context] | None = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
        cast_dtype: bool = False,
        dtype_source: str = "current",
    ) -> None:
        """Read parameters from a file that `save_parameters` (or `ParameterDict.save`) wrote.

        Parameters
        ----------
        filename : str
        ctx : Context or list of Context, optional
            Contexts of parameters that are not initialized yet; default ``cpu(0)``.
        allow_missing : bool, default False
            Ignore parameters that are missing in the file.
        ignore_extra : bool, default False
            Ignore arrays of the file that are not parameters of this block.
        cast_dtype : bool, default False
            Convert element types instead of raising.
        dtype_source : {"current", "saved"}
            Type to use with `cast_dtype`.

        Raises
        ------
        AssertionError
            A parameter is missing in the file, or a shape or type does not match.
        ValueError
            The file has an array that is not a parameter of this block.
        """
        with open_saved(filename) as arrays:
            saved = named_arrays(arrays, f"file {filename!r}")
            params = self._collect_params_with_prefix()
            if not saved and not params:
                return
            if any("." in name for name in saved) or all(name in params for name in saved):
                check_names(filename, saved, params, allow_missing, ignore_extra)
                load_all(params, saved, ctx, cast_dtype, dtype_source)
                return
        # The file was written by ParameterDict.save, or by MXNet before 1.0.
        self.collect_params().load(
            filename, ctx, allow_missing, ignore_extra, self.prefix, cast_dtype, dtype_source
        )

    def save(self: Any, prefix: str) -> None:
        """Save parameters and the names of all blocks, for `load`.

        Parameters
        ----------
        prefix : str
            Prefix of the file names ``prefix-model.json`` and ``prefix-model.params``.
        """
        save_model(self, prefix)

    def load(self: Any, prefix: str) -> None:
        """Load files of `save` into a block with the same children, created in the same order.

        All blocks and parameters get their saved names, and blocks that ran as graphs are
        hybridized.

        Parameters
        ----------
        prefix : str

        Raises
        ------
        OpforgeError
            The file contains other blocks; the message names the first difference.
        """
        load_model(self, prefix)

    def save_params(self: Any, filename: str) -> None:
        """Save parameters by full name. Deprecated: use `save_parameters`."""
        warnings.warn("save_params is deprecated. Please use save_parameters.", stacklevel=2)
        self.collect_params().save(filename, strip_prefix=self.prefix)

    def load_params(self: Any, filename: str, *args: Any, **kwargs: Any) -> None:
        """Load parameters. Deprecated: use `load_parameters`."""
        warnings.warn("load_params is deprecated. Please use load_parameters.", stacklevel=2)
        self.load_parameters(filename, *args, **kwargs)

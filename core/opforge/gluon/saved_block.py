"""`SavedBlock`: the methods of blocks that write to files and read from them."""

import warnings
from collections.abc import Sequence
from typing import Any

from .. import ndarray as nd
from ..base.context import Context
from ..native.array import Var
from .model_file import load_model, save_model
from .named_arrays import named_arrays
from .parameter_file import check_names, load_all

__all__ = ["SavedBlock"]


class SavedBlock:
    """Base class for saving blocks: values of the parameters, and the names of the parts."""

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
            False: training may go on while the file is written, see `nd.save`.

        Returns
        -------
        engine.Var or None
            Where not `wait`, what to wait on.
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
            Where parameters that are not initialised yet go; default ``cpu(0)``.
        allow_missing : bool, default False
            Leave parameters alone that the file lacks.
        ignore_extra : bool, default False
            Skip arrays of the file that this block has no parameter for.
        cast_dtype : bool, default False
            Convert element types instead of raising.
        dtype_source : {"current", "saved"}
            Which type wins with `cast_dtype`.

        Raises
        ------
        AssertionError
            A parameter is missing in the file, or a shape or type does not fit.
        ValueError
            The file has an array that belongs to nothing here.
        """
        loaded = named_arrays(nd.load(filename), f"file {filename!r}")
        params = self._collect_params_with_prefix()
        if not loaded and not params:
            return
        structural = any("." in name for name in loaded) or all(name in params for name in loaded)
        if not structural:  # written by ParameterDict.save, or by MXNet before 1.0
            del loaded  # its memory serves what is read now
            self.collect_params().load(
                filename, ctx, allow_missing, ignore_extra, self.prefix, cast_dtype, dtype_source
            )
            return
        check_names(filename, loaded, params, allow_missing, ignore_extra)
        load_all(params, loaded, ctx, cast_dtype, dtype_source)

    def save(self: Any, prefix: str) -> None:
        """Write parameters and the names of all blocks, for `load`.

        Parameters
        ----------
        prefix : str
            Beginning of the names of the files, ``prefix-model.json`` and ``prefix-model.params``.
        """
        save_model(self, prefix)

    def load(self: Any, prefix: str) -> None:
        """Read what `save` wrote: this block has the same parts, made in the same order.

        All blocks and parameters get the names that they had, and those that ran as graphs are
        hybridized.

        Parameters
        ----------
        prefix : str

        Raises
        ------
        OpforgeError
            The file is of other blocks; the message names the first that differs.
        """
        load_model(self, prefix)

    def save_params(self: Any, filename: str) -> None:
        """Write parameters by full name. Deprecated: use `save_parameters`."""
        warnings.warn("save_params is deprecated. Please use save_parameters.", stacklevel=2)
        self.collect_params().save(filename, strip_prefix=self.prefix)

    def load_params(self: Any, filename: str, *args: Any, **kwargs: Any) -> None:
        """Read parameters. Deprecated: use `load_parameters`."""
        warnings.warn("load_params is deprecated. Please use load_parameters.", stacklevel=2)
        self.load_parameters(filename, *args, **kwargs)

"""`ParameterModule`: parameter handling of `Module`."""

import warnings
from collections.abc import Mapping
from typing import Any

from opforge.base.errors import ShapeError
from opforge.initializer import InitDesc, create
from opforge.ndarray import NDArray

from .base_module import BaseModule
from .executor_group import DataParallelExecutorGroup

__all__ = ["ParameterModule", "Params"]

Params = tuple[dict[str, NDArray], dict[str, NDArray]]


class ParameterModule(BaseModule):
    """A module whose parameters are arguments of a symbol."""

    _exec_group: DataParallelExecutorGroup | None = None
    #: Known parameters and auxiliary states while unbound.
    _held: Params | None = None
    _state_names: list[str]

    @property
    def _binding(self) -> DataParallelExecutorGroup:
        self._require("binded")
        assert self._exec_group is not None
        return self._exec_group

    def hold_params(
        self, arg_params: Mapping[str, NDArray], aux_params: Mapping[str, NDArray]
    ) -> None:
        """Set the parameters of an unbound module.

        Parameters
        ----------
        arg_params, aux_params : dict of str to NDArray
        """
        self._held = (dict(arg_params), dict(aux_params))
        self.params_initialized = True

    def get_params(self) -> Params:
        """Return copies of the parameters and of the auxiliary states by name.

        Those of several devices are averaged.
        """
        self._require("params_initialized")
        if self._exec_group is None:
            assert self._held is not None
            return self._held
        return self._exec_group.mean_params()

    @property
    def _arg_params(self) -> dict[str, NDArray]:
        """Parameters of `get_params`, under the name that MXNet programs use."""
        return self.get_params()[0]

    @_arg_params.setter
    def _arg_params(self, values: Mapping[str, NDArray]) -> None:
        self._held = (dict(values), (self._held or ({}, {}))[1])

    @property
    def _aux_params(self) -> dict[str, NDArray]:
        """Auxiliary states of `get_params`, likewise."""
        return self.get_params()[1]

    @_aux_params.setter
    def _aux_params(self, values: Mapping[str, NDArray]) -> None:
        self._held = ((self._held or ({}, {}))[0], dict(values))

    def _sync_params_from_devices(self) -> None:
        """Do nothing: `_arg_params` and `_aux_params` always have the current values."""

    def _init_params(self, *args: Any) -> None:
        initializer, arg_params, aux_params, allow_missing, force_init, _ = args
        if isinstance(initializer, str):
            initializer = create(initializer)
        if self.params_initialized and not force_init:
            warnings.warn(
                "Parameters already initialized and force_init=False. init_params call ignored.",
                stacklevel=3,
            )
            return
        binding = self._binding
        attributes: dict[str, Any] | None = None  # collected if a parameter is to be initialized
        given = arg_params, aux_params
        for arrays, values in zip(binding.first_params(), given, strict=True):
            for name, array in sorted(arrays.items()):
                if values is not None and name in values:
                    _copy(name, values[name], array)
                elif initializer is None or (values is not None and not allow_missing):
                    raise RuntimeError(
                        f"{name} is not presented: give it a value in arg_params or aux_params, "
                        "or pass an initializer and allow_missing=True"
                    )
                else:
                    if attributes is None:
                        attributes = self._symbol.attr_dict()
                    initializer(InitDesc(name, attributes.get(name)), array)
        binding.spread_params()
        self.params_initialized = True
        self._parameters_were_set()

    def _set_params(self, *args: Any) -> None:
        arg_params, aux_params, allow_missing, force_init, allow_extra = args
        if not allow_missing or (self.params_initialized and not force_init):
            self.init_params(None, arg_params, aux_params, force_init=force_init)
            return
        self._binding.set_params(arg_params, aux_params, allow_extra)
        self.params_initialized = True
        self._parameters_were_set()

    def _parameters_were_set(self) -> None:
        """Notify subclasses that keep copies of the parameters."""

    def get_states(self, merge_multi_context: bool = True) -> list[list[NDArray]]:
        """Return the arrays of `state_names`, each as a list with one array per device.

        Parameters
        ----------
        merge_multi_context : bool
            Must be False.
        """
        super().get_states(merge_multi_context)
        return self._binding.get_states(merge_multi_context)

    def set_states(self, states: Any = None, value: Any = None) -> None:
        """Set the arrays of `state_names`.

        Parameters
        ----------
        states : list of lists of NDArray, optional
            One for each device.
        value : number, optional
            Value for all states; pass exactly one of the two.
        """
        self._require("binded", "params_initialized")
        self._binding.set_states(states, value)


def _copy(name: str, value: NDArray, array: NDArray) -> None:
    if value.shape != array.shape:
        raise ShapeError(
            f"Module: the parameter '{name}' has shape {array.shape}, its value {value.shape}"
        )
    if value is not array:
        array[:] = value

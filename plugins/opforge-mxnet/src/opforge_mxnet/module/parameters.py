"""`ParameterModule`: the part of a `Module` that has to do with the values of its parameters."""

import warnings
from collections.abc import Mapping
from typing import Any

from opforge.base.errors import ShapeError
from opforge.initializer import InitDesc
from opforge.ndarray import NDArray

from .base_module import BaseModule
from .executor_group import DataParallelExecutorGroup
from .loops import DEFAULT_INITIALIZER

__all__ = ["ParameterModule", "Params"]

Params = tuple[dict[str, NDArray], dict[str, NDArray]]


class ParameterModule(BaseModule):
    """A module whose parameters are arguments of a symbol."""

    _exec_group: DataParallelExecutorGroup | None = None
    #: Parameters and auxiliary states while they are known and nothing is bound.
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
        """Initialise the parameters before anything is bound.

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
        """The parameters of `get_params`, under the name that programs read in MXNet's modules."""
        return self.get_params()[0]

    @property
    def _aux_params(self) -> dict[str, NDArray]:
        """The auxiliary states of `get_params` likewise."""
        return self.get_params()[1]

    def init_params(
        self,
        initializer: Any = DEFAULT_INITIALIZER,
        arg_params: Mapping[str, NDArray] | None = None,
        aux_params: Mapping[str, NDArray] | None = None,
        allow_missing: bool = False,
        force_init: bool = False,
        allow_extra: bool = False,
    ) -> None:
        """Initialise the parameters and the auxiliary states.

        Parameters
        ----------
        initializer : Initializer or None, default Uniform(0.01)
            Fills what no value is given for; an ``init`` of a variable overrules it.
        arg_params, aux_params : dict of str to NDArray, optional
            Values.
        allow_missing : bool, default False
            Where values are given, let `initializer` fill what they lack.
        force_init : bool, default False
            Initialise also what is initialised.
        allow_extra : bool, default False
            Accepted; values for which there is no parameter are passed over.

        Raises
        ------
        RuntimeError
            A value is missing and not `allow_missing`.
        ShapeError
            A value has another shape than its parameter.
        """
        if self.params_initialized and not force_init:
            warnings.warn(
                "Parameters already initialized and force_init=False. init_params call ignored.",
                stacklevel=2,
            )
            return
        binding = self._binding
        attributes = self._symbol.attr_dict()
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
                    initializer(InitDesc(name, attributes.get(name)), array)
        binding.spread_params()
        self.params_initialized = True
        self._parameters_were_set()

    def set_params(
        self,
        arg_params: Mapping[str, NDArray],
        aux_params: Mapping[str, NDArray] | None,
        allow_missing: bool = False,
        force_init: bool = True,
        allow_extra: bool = False,
    ) -> None:
        """Set the parameters and the auxiliary states.

        Parameters
        ----------
        arg_params, aux_params : dict of str to NDArray
        allow_missing : bool, default False
            What they lack keeps its value.
        force_init : bool, default True
            If False, do nothing where the parameters are initialised.
        allow_extra : bool, default False
            With `allow_missing`: pass over values for which there is no parameter.

        Raises
        ------
        RuntimeError
            A value is missing and not `allow_missing`.
        ValueError
            With `allow_missing`: there is no parameter of such a name, and not `allow_extra`.
        ShapeError
            A value has another shape than its parameter.
        """
        if not allow_missing or (self.params_initialized and not force_init):
            self.init_params(None, arg_params, aux_params, force_init=force_init)
            return
        self._binding.set_params(arg_params, aux_params, allow_extra)
        self.params_initialized = True
        self._parameters_were_set()

    def _parameters_were_set(self) -> None:
        """Tell whoever keeps values of its own."""

    def get_states(self, merge_multi_context: bool = True) -> list[list[NDArray]]:
        """Return the arrays of `state_names`, each as a list of the devices' ones.

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
            For all; exactly one of the two is given.
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

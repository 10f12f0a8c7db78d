"""`GroupArrays`: array handling of an executor group."""

from collections.abc import Mapping, Sequence
from itertools import compress
from typing import Any

from opforge.base.context import cpu
from opforge.io import DataDesc
from opforge.kvstore.reduction import averaged
from opforge.ndarray import NDArray

from .bound import BoundSymbol

__all__ = ["GroupArrays"]

#: Names of parameters, and the devices' copies of their values and of their gradients.
Trained = tuple[list[str], list[list[NDArray]], list[list[NDArray]]]


class GroupArrays:
    """Arrays of several devices, with access to each copy and to joint values."""

    _parts: list[BoundSymbol]
    param_names: list[str]
    aux_names: list[str]
    state_names: list[str]
    data_shapes: list[DataDesc]
    #: The executors for which `trained` was called last, and its result.
    _trained: tuple[list[Any], Trained] | None = None

    @property
    def execs(self) -> list[Any]:
        """The executors for the current shapes, one for each device."""
        return [bound.executor for bound in self._parts]

    def _copies(self, names: Sequence[str], table: str) -> list[list[Any]]:
        tables = [getattr(one, table) for one in self.execs]
        return [[arrays.get(name) for arrays in tables] for name in names]

    @property
    def param_arrays(self) -> list[list[NDArray]]:
        """Parameters, each as a list of the devices' copies."""
        return self._copies(self.param_names, "arg_dict")

    @property
    def grad_arrays(self) -> list[list[Any]]:
        """Gradients of the parameters likewise; None if missing."""
        return self._copies(self.param_names, "grad_dict")

    @property
    def aux_arrays(self) -> list[list[NDArray]]:
        """The auxiliary states likewise."""
        return self._copies(self.aux_names, "aux_dict")

    @property
    def state_arrays(self) -> list[list[NDArray]]:
        """The arguments of `state_names` likewise."""
        return self._copies(self.state_names, "arg_dict")

    @property
    def input_grad_arrays(self) -> list[list[NDArray]]:
        """Gradients of the data likewise, each for the samples of one device."""
        return self._copies([desc.name for desc in self.data_shapes], "grad_dict")

    @property
    def shared_data_arrays(self) -> list[dict[str, NDArray]]:
        """The inputs of each device by name."""
        return [
            {name: array for name, array in one.arg_dict.items() if name not in self.param_names}
            for one in self.execs
        ]

    @property
    def nbytes(self) -> int:
        """Approximate size of the executors in bytes, excluding parameters."""
        return sum(bound.nbytes for bound in self._parts)

    @property
    def _total_exec_bytes(self) -> int:
        """The same under MXNet's name."""
        return self.nbytes

    def trained(self) -> Trained:
        """Return the parameters that have gradients: names, the devices' values and gradients."""
        executors = self.execs
        if self._trained is None or self._trained[0] != executors:
            grads = self.grad_arrays
            has_grad = [copies[0] is not None for copies in grads]
            self._trained = (
                executors,
                (
                    list(compress(self.param_names, has_grad)),
                    list(compress(self.param_arrays, has_grad)),
                    list(compress(grads, has_grad)),
                ),
            )
        return self._trained[1]

    # -- values of parameters and states ------------------------------------------------------

    def first_params(self) -> tuple[dict[str, NDArray], dict[str, NDArray]]:
        """Return the first device's parameters and auxiliary states for writing."""
        return self._parts[0].params(), self._parts[0].executor.aux_dict

    def spread_params(self) -> None:
        """Copy the first device's parameters and auxiliary states to all devices."""
        params, states = self.first_params()
        for bound in self._parts[1:]:
            bound.executor.copy_params_from(params, states)

    def mean_params(self) -> tuple[dict[str, NDArray], dict[str, NDArray]]:
        """Return the mean of the devices' parameters, and of their auxiliary states, by name."""
        return (
            _averaged_by_name(self.param_names, self.param_arrays),
            _averaged_by_name(self.aux_names, self.aux_arrays),
        )

    def get_params(
        self, arg_params: Mapping[str, NDArray], aux_params: Mapping[str, NDArray]
    ) -> None:
        """Write the mean of the devices' parameters and auxiliary states into arrays.

        Parameters
        ----------
        arg_params, aux_params : dict of str to NDArray
        """
        for means, targets in zip(self.mean_params(), (arg_params, aux_params), strict=True):
            for name, value in means.items():
                targets[name][:] = value

    def set_params(
        self,
        arg_params: Mapping[str, NDArray],
        aux_params: Mapping[str, NDArray] | None,
        allow_extra: bool = False,
    ) -> None:
        """Copy values into the parameters and auxiliary states of all devices.

        Parameters
        ----------
        arg_params, aux_params : dict of str to NDArray
        allow_extra : bool, default False
            Ignore values for unknown arrays.
        """
        for one in self.execs:
            one.copy_params_from(arg_params, aux_params, allow_extra)

    def get_states(self, merge_multi_context: bool = True) -> list[list[NDArray]]:
        """Return `state_arrays`; pass merge_multi_context=False."""
        assert not merge_multi_context, "get_states: pass merge_multi_context=False"
        return self.state_arrays

    def set_states(self, states: Any = None, value: Any = None) -> None:
        """Set the arrays of `state_names`; see `Module.set_states`."""
        assert (states is None) != (value is None), (
            "set_states: exactly one of states and value must be given"
        )
        for place, arrays in enumerate(self.state_arrays):
            for device, array in enumerate(arrays):
                array[:] = value if states is None else states[place][device]


def _averaged_by_name(
    names: Sequence[str], arrays: Sequence[Sequence[NDArray]]
) -> dict[str, NDArray]:
    return {name: averaged(copies, cpu()) for name, copies in zip(names, arrays, strict=True)}

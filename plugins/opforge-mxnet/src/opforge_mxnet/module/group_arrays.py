"""`GroupArrays`: the part of an executor group that has to do with its arrays."""

from collections.abc import Mapping, Sequence
from typing import Any

from opforge.base.context import cpu
from opforge.io import DataDesc
from opforge.kvstore.summing import averaged
from opforge.ndarray import NDArray

from .bound import BoundSymbol

__all__ = ["GroupArrays"]


class GroupArrays:
    """The arrays of several devices: lists of the devices' copies, and values for all of them."""

    _parts: list[BoundSymbol]
    param_names: list[str]
    aux_names: list[str]
    state_names: list[str]
    data_shapes: list[DataDesc]

    @property
    def execs(self) -> list[Any]:
        """The executors for the current shapes, one for each device."""
        return [bound.executor for bound in self._parts]

    def _copies(self, names: Sequence[str], table: str) -> list[list[Any]]:
        return [[getattr(one, table).get(name) for one in self.execs] for name in names]

    @property
    def param_arrays(self) -> list[list[NDArray]]:
        """The parameters, a list of the devices' copies for each."""
        return self._copies(self.param_names, "arg_dict")

    @property
    def grad_arrays(self) -> list[list[Any]]:
        """The gradients of the parameters likewise; None where there are none."""
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
        """The gradients of the data likewise, each of a device's own samples."""
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
        """Approximate bytes of the executors besides parameters."""
        return sum(bound.nbytes for bound in self._parts)

    def trained(self) -> list[tuple[str, list[NDArray], list[NDArray]]]:
        """Return the parameters that have gradients: names, the devices' values and gradients."""
        copies = zip(self.param_names, self.param_arrays, self.grad_arrays, strict=True)
        return [(name, values, grads) for name, values, grads in copies if grads[0] is not None]

    # -- values of parameters and states ------------------------------------------------------

    def first_params(self) -> tuple[dict[str, NDArray], dict[str, NDArray]]:
        """Return the first device's parameters and auxiliary states, to be written to."""
        return self._parts[0].params(), self.execs[0].aux_dict

    def spread_params(self) -> None:
        """Give the first device's parameters and auxiliary states to all."""
        for first, *others in [*self.param_arrays, *self.aux_arrays]:
            for other in others:
                first.copyto(other)

    def mean_params(self) -> tuple[dict[str, NDArray], dict[str, NDArray]]:
        """Return the mean of the devices' parameters, and of their auxiliary states, by name."""
        tables = (self.param_names, self.param_arrays), (self.aux_names, self.aux_arrays)
        args, states = (
            {name: averaged(copies, cpu()) for name, copies in zip(*table, strict=True)}
            for table in tables
        )
        return args, states

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
            Pass over values for which there is no array.
        """
        for one in self.execs:
            one.copy_params_from(arg_params, aux_params, allow_extra)

    def get_states(self, merge_multi_context: bool = True) -> list[list[NDArray]]:
        """Return `state_arrays`; pass merge_multi_context=False."""
        assert not merge_multi_context, "get_states: pass merge_multi_context=False"
        return self.state_arrays

    def set_states(self, states: Any = None, value: Any = None) -> None:
        """Set the arrays of `state_names`.

        Parameters
        ----------
        states : list of lists of NDArray, optional
            One for each device.
        value : number, optional
            For all; exactly one of the two is given.
        """
        assert (states is None) != (value is None), (
            "set_states: exactly one of states and value must be given"
        )
        for place, arrays in enumerate(self.state_arrays):
            for device, array in enumerate(arrays):
                array[:] = value if states is None else states[place][device]

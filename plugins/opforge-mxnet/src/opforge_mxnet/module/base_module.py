"""`BaseModule`: what every module can do, and what it must define for that."""

import logging
import warnings
from collections.abc import Mapping
from typing import Any

from opforge.base.mxnet_names import add_mxnet_names as _add_mxnet_names
from opforge.base.value_kinds import as_list as _as_list  # noqa: F401  programs take it from here
from opforge.checkpoint import read_params, write_params
from opforge.ndarray import NDArray

from .inputs import check_inputs_exist as _check_input_names  # noqa: F401  as well
from .inputs import describe_inputs as _parse_data_desc  # noqa: F401  as well
from .loops import DEFAULT_INITIALIZER, Loops

__all__ = ["BaseModule"]

_Params = tuple[dict[str, NDArray], dict[str, NDArray]]

#: A fact that a method counts on, and what makes it true.
_REMEDIES = {
    "binded": "call bind first",
    "params_initialized": "call init_params or set_params first",
    "optimizer_initialized": "call init_optimizer first",
    "inputs_need_grad": "bind with inputs_need_grad=True",
    "for_training": "re-bind with for_training=True to run backward",
}


class BaseModule(Loops):
    """Base of all modules: something that computes outputs, gradients and updates.

    A subclass defines `bind`, `init_params`, `init_optimizer`, `get_params`, `forward`, `backward`,
    `update`, `update_metric`, `get_outputs`, `get_input_grads`, `install_monitor` and the
    properties; `fit`, `score` and `predict` are written in terms of them.

    Parameters
    ----------
    logger : logging.Logger or module logging
        What `fit` logs to.

    Attributes
    ----------
    binded : bool
        Shapes are known and memory is there.
    for_training, inputs_need_grad : bool
        How it was bound.
    params_initialized, optimizer_initialized : bool
    """

    def __init__(self, logger: Any = logging) -> None:
        self.logger = logger
        self.binded = False
        self.for_training = False
        self.inputs_need_grad = False
        self.params_initialized = False
        self.optimizer_initialized = False
        self._symbol: Any = None

    def _require(self, *facts: str) -> None:
        for fact in facts:
            assert getattr(self, fact), f"{type(self).__name__}: {_REMEDIES[fact]}"

    def _undefined(self, name: str) -> NotImplementedError:
        return NotImplementedError(f"{type(self).__name__} must define {name}")

    # -- names and shapes ---------------------------------------------------------------------

    @property
    def symbol(self) -> Any:
        """The symbol, where there is one."""
        return self._symbol

    @property
    def data_names(self) -> list[str]:
        """Names of the data."""
        raise self._undefined("data_names")

    @property
    def output_names(self) -> list[str]:
        """Names of the outputs."""
        raise self._undefined("output_names")

    @property
    def data_shapes(self) -> Any:
        """Names and shapes of the data."""
        raise self._undefined("data_shapes")

    @property
    def label_shapes(self) -> Any:
        """Names and shapes of the labels."""
        raise self._undefined("label_shapes")

    @property
    def output_shapes(self) -> Any:
        """Names and shapes of the outputs."""
        raise self._undefined("output_shapes")

    # -- parameters ---------------------------------------------------------------------------

    def get_params(self) -> _Params:
        """Return the parameters and the auxiliary states by name."""
        raise self._undefined("get_params()")

    def init_params(
        self,
        initializer: Any = DEFAULT_INITIALIZER,
        arg_params: Mapping[str, NDArray] | None = None,
        aux_params: Mapping[str, NDArray] | None = None,
        allow_missing: bool = False,
        force_init: bool = False,
        allow_extra: bool = False,
    ) -> None:
        """Initialise the parameters; see `Module.init_params`."""
        raise self._undefined("init_params()")

    def set_params(
        self,
        arg_params: Mapping[str, NDArray],
        aux_params: Mapping[str, NDArray] | None,
        allow_missing: bool = False,
        force_init: bool = True,
        allow_extra: bool = False,
    ) -> None:
        """Set the parameters; see `Module.set_params`."""
        self.init_params(None, arg_params, aux_params, allow_missing, force_init, allow_extra)

    def save_params(self, fname: str) -> None:
        """Write the parameters to a file, as `model.save_checkpoint` does."""
        write_params(fname, *self.get_params())

    def load_params(self, fname: str) -> None:
        """Set the parameters to those of a file that `save_params` wrote.

        Raises
        ------
        OpforgeError
            The file is none.
        """
        self.set_params(*read_params(fname))

    # -- states that live from batch to batch -------------------------------------------------

    def get_states(self, merge_multi_context: bool = True) -> list[list[NDArray]]:
        """Return the arrays of the states, each in a list."""
        self._require("binded", "params_initialized")
        assert not merge_multi_context, "get_states: pass merge_multi_context=False"
        return []

    def set_states(self, states: Any = None, value: Any = None) -> None:
        """Set the states to arrays or to one number."""
        self._require("binded", "params_initialized")
        assert not states and not value, f"{type(self).__name__} has no states"

    # -- setting up ---------------------------------------------------------------------------

    def bind(
        self,
        data_shapes: Any,
        label_shapes: Any = None,
        for_training: bool = True,
        inputs_need_grad: bool = False,
        force_rebind: bool = False,
        shared_module: "BaseModule | None" = None,
        grad_req: Any = "write",
    ) -> None:
        """Provide memory for these shapes; see `Module.bind`."""
        raise self._undefined("bind()")

    def init_optimizer(
        self,
        kvstore: Any = "local",
        optimizer: Any = "sgd",
        optimizer_params: Any = (("learning_rate", 0.01),),
        force_init: bool = False,
    ) -> None:
        """Install an optimizer; see `Module.init_optimizer`."""
        raise self._undefined("init_optimizer()")

    def install_monitor(self, mon: Any) -> None:
        """Let a `Monitor` look into the executors."""
        raise self._undefined("install_monitor()")

    def prepare(self, data_batch: Any, sparse_row_id_fn: Any = None) -> None:
        """Prepare for a batch before it is its turn; see `Module.prepare`."""
        if sparse_row_id_fn is not None:
            warnings.warn(
                "Parameters are not updated in the KVStore. No need to call sparse_row_id_fn.",
                stacklevel=2,
            )

    # -- computing ----------------------------------------------------------------------------

    def forward(self, data_batch: Any, is_train: bool | None = None) -> None:
        """Compute the outputs for a batch; see `Module.forward`."""
        raise self._undefined("forward()")

    def backward(self, out_grads: Any = None) -> None:
        """Compute the gradients for the last batch; see `Module.backward`."""
        raise self._undefined("backward()")

    def update(self) -> None:
        """Update the parameters from their gradients."""
        raise self._undefined("update()")

    def update_metric(self, eval_metric: Any, labels: Any, pre_sliced: bool = False) -> None:
        """Let a metric take in the last outputs; see `Module.update_metric`."""
        raise self._undefined("update_metric()")

    def get_outputs(self, merge_multi_context: bool = True) -> Any:
        """Return the outputs for the last batch."""
        raise self._undefined("get_outputs()")

    def get_input_grads(self, merge_multi_context: bool = True) -> Any:
        """Return the gradients of the data of the last batch."""
        raise self._undefined("get_input_grads()")


_add_mxnet_names(__name__)

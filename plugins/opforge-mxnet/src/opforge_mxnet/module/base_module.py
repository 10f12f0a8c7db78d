"""`BaseModule`: interface of all modules."""

import logging
import warnings
from collections.abc import Mapping
from typing import Any

from opforge.base.initialization_lock import initializing
from opforge.checkpoint import read_params, write_params
from opforge.ndarray import NDArray

from ..base.value_kinds import as_list as _as_list  # noqa: F401  programs take it from here
from ..names import add_names as _add_names
from .inputs import check_inputs_exist as _check_input_names  # noqa: F401  as well
from .inputs import describe_inputs as _parse_data_desc  # noqa: F401  as well
from .loops import DEFAULT_INITIALIZER, Loops

__all__ = ["BaseModule"]

_Params = tuple[dict[str, NDArray], dict[str, NDArray]]

#: Precondition of methods, and how to satisfy it.
_REMEDIES = {
    "binded": "call bind first",
    "params_initialized": "call init_params or set_params first",
    "optimizer_initialized": "call init_optimizer first",
    "inputs_need_grad": "bind with inputs_need_grad=True",
    "for_training": "re-bind with for_training=True to run backward",
}


class BaseModule(Loops):
    """Base class of modules, which compute outputs, gradients and updates.

    A subclass defines `bind`, `init_params`, `init_optimizer`, `get_params`, `forward`, `backward`,
    `update`, `update_metric`, `get_outputs`, `get_input_grads`, `install_monitor` and the
    properties; `fit`, `score` and `predict` are written in terms of them.

    Parameters
    ----------
    logger : logging.Logger or module logging
        Logger of `fit`.

    Attributes
    ----------
    binded : bool
        Whether shapes are known and memory is allocated.
    for_training, inputs_need_grad : bool
        Arguments of `bind`.
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
        """Symbol of the module, or None."""
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
        """Initialize the parameters and the auxiliary states.

        Parameters
        ----------
        initializer : Initializer, str or None, default Uniform(0.01)
            Initializer of parameters without a value; a variable's ``init`` takes precedence.
        arg_params, aux_params : dict of str to NDArray, optional
            Values.
        allow_missing : bool, default False
            Whether `initializer` fills parameters that are missing from the values.
        force_init : bool, default False
            Whether to reinitialize.
        allow_extra : bool, default False
            Accepted; values without a parameter are ignored.

        Raises
        ------
        RuntimeError
            A value is missing and not `allow_missing`.
        ShapeError
            A value does not have the shape of its parameter.
        """
        self._init_params(
            initializer, arg_params, aux_params, allow_missing, force_init, allow_extra
        )

    def _init_params(self, *args: Any) -> None:
        """Initialize the parameters; `args` are those of `init_params`."""
        raise self._undefined("init_params()")

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
            Whether missing parameters keep their values.
        force_init : bool, default True
            If False, do nothing if the parameters are initialized.
        allow_extra : bool, default False
            With `allow_missing`: ignore values without a parameter.

        Raises
        ------
        RuntimeError
            A value is missing and not `allow_missing`.
        ValueError
            With `allow_missing`: a name is unknown, and not `allow_extra`.
        ShapeError
            A value does not have the shape of its parameter.
        """
        self._set_params(arg_params, aux_params, allow_missing, force_init, allow_extra)

    def _set_params(self, *args: Any) -> None:
        """Set the parameters; `args` are those of `set_params`."""
        self.init_params(None, *args)

    def save_params(self, fname: str) -> None:
        """Write the parameters to a file, as `model.save_checkpoint` does."""
        write_params(fname, *self.get_params())

    def load_params(self, fname: str) -> None:
        """Set the parameters to those of a file that `save_params` wrote.

        Raises
        ------
        OpforgeError
            The file is not a parameter file.
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
        """Allocate memory and create executors for these shapes.

        Parameters
        ----------
        data_shapes : list of DataDesc or of (name, shape)
            For instance ``train_data.provide_data``.
        label_shapes : list of DataDesc or of (name, shape), optional
        for_training : bool, default True
            Whether to compute gradients.
        inputs_need_grad : bool, default False
            Whether to compute gradients of the data.
        force_rebind : bool, default False
            Rebind a bound module; parameters keep their values.
        shared_module : Module, optional
            Module whose parameters and optimizer are shared.
        grad_req : {"write", "add", "null"}, or a list or dict of them
            What to do with gradients; a list has one for each argument of the symbol.

        Raises
        ------
        ValueError
            The names of the data differ from those of the module.
        AssertionError
            Batch sizes differ, or gradients of data are requested without training.
        """
        with initializing():  # of several threads, one binds
            if self.binded and not force_rebind:
                self.logger.warning("Already bound, ignoring bind()")
                return
            self.for_training, self.inputs_need_grad = for_training, inputs_need_grad
            self._bind(data_shapes, label_shapes, force_rebind, shared_module, grad_req)

    def _bind(
        self, data_shapes: Any, label_shapes: Any, rebinds: bool, shared_module: Any, grad_req: Any
    ) -> None:
        """Bind and set `binded`; `for_training` and `inputs_need_grad` are set already."""
        raise self._undefined("bind()")

    def init_optimizer(
        self,
        kvstore: Any = "local",
        optimizer: Any = "sgd",
        optimizer_params: Any = (("learning_rate", 0.01),),
        force_init: bool = False,
    ) -> None:
        """Install an optimizer.

        Parameters
        ----------
        kvstore : str, KVStoreBase or None
            Store that sums gradients and may run the optimizer: ``"local"``, ``"device"``
            and None sum those of several devices; any other store, by name or as an object, those
            of its workers, which start with the first one's parameters.
        optimizer : str or Optimizer, default "sgd"
            Factors ``lr_mult`` and ``wd_mult`` of the symbol's variables hold for one that is
            given by name; weight decay is then for weights and gammas only.
        optimizer_params : dict or list of pairs
            Settings of the optimizer; `rescale_grad` defaults to 1 / batch size.
        force_init : bool, default False
            Whether to replace an existing optimizer.

        Raises
        ------
        TypeError
            `kvstore` is neither a name, nor a store, nor None.
        ValueError
            The name of the optimizer or key-value store is unknown.
        """
        self._init_optimizer(kvstore, optimizer, optimizer_params, force_init)

    def _init_optimizer(self, *args: Any) -> None:
        """Install an optimizer; `args` are those of `init_optimizer`."""
        raise self._undefined("init_optimizer()")

    def install_monitor(self, mon: Any) -> None:
        """Install a `Monitor` on the executors."""
        raise self._undefined("install_monitor()")

    def prepare(self, data_batch: Any, sparse_row_id_fn: Any = None) -> None:
        """Prepare for a batch ahead of its forward pass; see `Module.prepare`."""
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
        """Update a metric with the last outputs; see `Module.update_metric`."""
        raise self._undefined("update_metric()")

    def get_outputs(self, merge_multi_context: bool = True) -> Any:
        """Return the outputs for the last batch."""
        raise self._undefined("get_outputs()")

    def get_input_grads(self, merge_multi_context: bool = True) -> Any:
        """Return the gradients of the data of the last batch."""
        raise self._undefined("get_input_grads()")


_add_names(__name__)

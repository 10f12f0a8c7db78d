"""`Module`: a symbol with parameters, an executor and an optimizer."""

import logging
from collections.abc import Sequence
from typing import Any

from opforge.base.context import Context
from opforge.base.mxnet_names import add_mxnet_names as _add_mxnet_names
from opforge.checkpoint import load_checkpoint, save_checkpoint
from opforge.io import DataDesc
from opforge.symbol import Symbol

from .dividing import devices_of
from .executor_group import DataParallelExecutorGroup
from .inputs import check_inputs_exist, describe_inputs
from .updating import UpdatingModule

__all__ = ["Module"]


class Module(UpdatingModule):
    """Trains a symbol, or computes its outputs.

    Parameters
    ----------
    symbol : Symbol
    data_names : list of str, default ("data",)
        Arguments of the symbol that are data.
    label_names : list of str, default ("softmax_label",)
        Arguments that are labels.
    logger : logging.Logger or module logging
    context : Context, default cpu()
        A list divides each batch among several, along the axis of its samples; all of them are
        the memory of the processor here, so that one is faster.
    work_load_list : list of number, optional
        The share of each context; default equal ones.
    fixed_param_names : list of str, optional
        Parameters that are not trained.
    state_names : list of str, optional
        Arguments that are neither and that `set_states` sets; zero at first.
    group2ctxs : dict of str to Context, or a list of one for each context, optional
        Where the arrays of variables with the attribute ``ctx_group`` are.
    compression_params : dict, optional
        ``{"type": "2bit", "threshold": 0.5}``: how a key-value store sends gradients.

    Raises
    ------
    ValueError
        The symbol has no argument of such a name. For labels this is a warning.
        `work_load_list` has another length than `context`.
    ContextError
        `context` is or holds no Context.

    Examples
    --------
    >>> import numpy as np, opforge as mx
    >>> net = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=1, name="fc")
    >>> module = mx.mod.Module(net, label_names=None)
    >>> module.bind(data_shapes=[("data", (2, 3))])
    >>> module.init_params(mx.init.One())
    >>> module.predict(np.ones((2, 3))).asnumpy().tolist()
    [[3.0], [3.0]]
    """

    def __init__(
        self,
        symbol: Symbol,
        data_names: Sequence[str] | None = ("data",),
        label_names: Sequence[str] | None = ("softmax_label",),
        logger: Any = logging,
        context: Context | Sequence[Context] | None = None,
        work_load_list: Any = None,
        fixed_param_names: Sequence[str] | None = None,
        state_names: Sequence[str] | None = None,
        group2ctxs: Any = None,
        compression_params: Any = None,
    ) -> None:
        super().__init__(logger)
        self._symbol = symbol
        self._context, self._work_load_list = devices_of(context, work_load_list)
        self._group2ctxs = group2ctxs
        self._compression_params = compression_params
        self._data_names = list(data_names or ())
        self._label_names = list(label_names or ())
        self._state_names = list(state_names or ())
        self._fixed_param_names = list(fixed_param_names or ())
        check_inputs_exist(symbol, self._data_names, "data", True)
        check_inputs_exist(symbol, self._label_names, "label", False)
        check_inputs_exist(symbol, self._state_names, "state", True)
        check_inputs_exist(symbol, self._fixed_param_names, "fixed_param", True)
        inputs = {*self._data_names, *self._label_names, *self._state_names}
        self._param_names = [name for name in symbol.list_arguments() if name not in inputs]

    # -- checkpoints --------------------------------------------------------------------------

    @staticmethod
    def load(
        prefix: str, epoch: int, load_optimizer_states: bool = False, **kwargs: Any
    ) -> "Module":
        """Return a module from a checkpoint, not bound yet.

        Parameters
        ----------
        prefix : str
        epoch : int
        load_optimizer_states : bool, default False
            `init_optimizer` then also reads ``prefix-0001.states``.
        **kwargs
            For `Module`.
        """
        symbol, arg_params, aux_params = load_checkpoint(prefix, epoch)
        module = Module(symbol, **kwargs)
        module.hold_params(arg_params, aux_params)
        if load_optimizer_states:
            module._states_to_load = f"{prefix}-{epoch:04d}.states"
        return module

    def save_checkpoint(
        self,
        prefix: str,
        epoch: int,
        save_optimizer_states: bool = False,
        remove_amp_cast: bool = True,
    ) -> None:
        """Write the symbol and the parameters, as `model.save_checkpoint`.

        Parameters
        ----------
        prefix : str
        epoch : int
        save_optimizer_states : bool, default False
            Also write ``prefix-0001.states``.
        remove_amp_cast : bool, default True
            For `Symbol.save`.
        """
        save_checkpoint(prefix, epoch, self._symbol, *self.get_params(), remove_amp_cast)
        if save_optimizer_states:
            path = f"{prefix}-{epoch:04d}.states"
            self.save_optimizer_states(path)
            logging.info('Saved optimizer state to "%s"', path)

    # -- names and shapes ---------------------------------------------------------------------

    @property
    def data_names(self) -> list[str]:
        """Names of the data."""
        return self._data_names

    @property
    def label_names(self) -> list[str]:
        """Names of the labels."""
        return self._label_names

    @property
    def output_names(self) -> list[str]:
        """Names of the outputs."""
        return self._symbol.list_outputs()

    @property
    def data_shapes(self) -> list[DataDesc]:
        """Names and shapes of the data."""
        return self._binding.data_shapes

    @property
    def label_shapes(self) -> list[DataDesc] | None:
        """Names and shapes of the labels; None where it was bound without."""
        return self._binding.label_shapes

    @property
    def output_shapes(self) -> list[tuple[str, tuple[int, ...]]]:
        """Names and shapes of the outputs."""
        return self._binding.get_output_shapes()

    # -- binding ------------------------------------------------------------------------------

    def bind(
        self,
        data_shapes: Any,
        label_shapes: Any = None,
        for_training: bool = True,
        inputs_need_grad: bool = False,
        force_rebind: bool = False,
        shared_module: Any = None,
        grad_req: Any = "write",
    ) -> None:
        """Provide memory and an executor for these shapes.

        Parameters
        ----------
        data_shapes : list of DataDesc or of (name, shape)
            For instance ``train_data.provide_data``.
        label_shapes : list of DataDesc or of (name, shape), optional
        for_training : bool, default True
            Whether there will be gradients.
        inputs_need_grad : bool, default False
            Whether there will be gradients of the data.
        force_rebind : bool, default False
            Bind anew where it is bound already; parameters keep their values.
        shared_module : Module, optional
            Whose parameters and optimizer to use.
        grad_req : {"write", "add", "null"}, or a list or dict of them
            What to do with gradients; a list has one for each argument of the symbol.

        Raises
        ------
        ValueError
            Names of data are not those of the module.
        AssertionError
            Batches of different size, or gradients of data without training.
        """
        if force_rebind:
            self._unbind()
        if self.binded:
            self.logger.warning("Already bound, ignoring bind()")
            return
        assert for_training or not inputs_need_grad, (
            "Module: inputs_need_grad=True needs for_training=True"
        )
        names = self._data_names, self._label_names
        data, label = describe_inputs(*names, data_shapes, label_shapes)
        shared = None
        if shared_module is not None:
            assert isinstance(shared_module, Module), "Module: shared_module must be a Module"
            shared_module._require("binded", "params_initialized")
            shared = shared_module._exec_group
        self._exec_group = DataParallelExecutorGroup(
            self._symbol,
            self._context,
            self._work_load_list,
            data,
            label,
            self._param_names,
            for_training,
            inputs_need_grad,
            shared,
            self.logger,
            self._fixed_param_names,
            grad_req,
            self._state_names,
            self._group2ctxs,
        )
        if label is None:  # a metric asks for their names nevertheless
            self._exec_group.label_names = self._label_names
        self.binded, self.for_training = True, for_training
        self.inputs_need_grad, self._grad_req = inputs_need_grad, grad_req
        if shared_module is not None:
            self.params_initialized = True
            if shared_module.optimizer_initialized:
                self.borrow_optimizer(shared_module)
        elif self._held is not None:
            self.init_params(None, *self._held, force_init=True)
        self._held = None

    @property
    def nbytes(self) -> int:
        """Approximate bytes of the bound executors besides parameters."""
        return self._binding.nbytes

    def _unbind(self) -> None:
        if self.binded and self.params_initialized:
            self._held = self.get_params()
        self.binded = False
        self._exec_group = None

    def reshape(self, data_shapes: Any, label_shapes: Any = None) -> None:
        """Compute for inputs of other shapes from now on; `forward` does so by itself.

        Parameters
        ----------
        data_shapes, label_shapes
            As in `bind`.
        """
        names = self._data_names, self._label_names
        self._binding.reshape(*describe_inputs(*names, data_shapes, label_shapes))

    # -- computing ----------------------------------------------------------------------------

    def forward(self, data_batch: Any, is_train: bool | None = None) -> None:
        """Compute the outputs for a batch; its number of samples may change from call to call.

        Parameters
        ----------
        data_batch : DataBatch
            Or anything with lists `data` and, where the symbol uses labels, `label`.
        is_train : bool, optional
            Default: as it was bound.

        Raises
        ------
        ShapeError
            The parameters do not fit the data.
        """
        self._require("binded", "params_initialized")
        self._binding.forward(data_batch, is_train)

    def backward(self, out_grads: Any = None) -> None:
        """Compute the gradients for the last batch.

        Parameters
        ----------
        out_grads : NDArray or list of NDArray, optional
            Gradients of the outputs; a loss needs none.

        Raises
        ------
        AssertionError
            It was not bound for training.
        """
        self._require("binded", "params_initialized", "for_training")
        self._binding.backward(out_grads)

    def get_outputs(self, merge_multi_context: bool = True) -> Any:
        """Return the outputs for the last batch; the next one overwrites them.

        Parameters
        ----------
        merge_multi_context : bool, default True
            If False, each comes as a list of what the devices computed.
        """
        self._require("binded", "params_initialized")
        return self._binding.get_outputs(merge_multi_context)

    def get_input_grads(self, merge_multi_context: bool = True) -> Any:
        """Return the gradients of the data of the last batch.

        Parameters
        ----------
        merge_multi_context : bool, default True
            As in `get_outputs`.
        """
        self._require("binded", "params_initialized", "inputs_need_grad")
        return self._binding.get_input_grads(merge_multi_context)

    def update_metric(self, eval_metric: Any, labels: Any, pre_sliced: bool = False) -> None:
        """Let a metric take in the last outputs.

        Parameters
        ----------
        eval_metric : EvalMetric
        labels : list of NDArray
            For instance ``data_batch.label``.
        pre_sliced : bool, default False
            The labels are a list of such lists, one a device.
        """
        self._binding.update_metric(eval_metric, labels, pre_sliced)

    def install_monitor(self, mon: Any) -> None:
        """Let a `Monitor` look into the executor."""
        self._binding.install_monitor(mon)


_add_mxnet_names(__name__)

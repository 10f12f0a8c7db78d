"""`Module`: a symbol with parameters, an executor and an optimizer."""

import logging
from collections.abc import Sequence
from typing import Any

from opforge.base.context import Context
from opforge.base.files import replacing_together
from opforge.checkpoint import load_checkpoint, save_checkpoint
from opforge.io import DataDesc
from opforge.symbol import Symbol

from ..names import add_names as _add_names
from .dividing import devices_of
from .executor_group import DataParallelExecutorGroup
from .inputs import check_inputs_exist, describe_inputs
from .updating import UpdatingModule

__all__ = ["Module"]


class Module(UpdatingModule):
    """Module that trains a symbol or computes its outputs.

    Parameters
    ----------
    symbol : Symbol
    data_names : list of str, default ("data",)
        Arguments of the symbol that are data.
    label_names : list of str, default ("softmax_label",)
        Arguments that are labels.
    logger : logging.Logger or module logging
    context : Context, default cpu()
        A list divides each batch among several along the batch axis; all contexts are CPU memory
        here, so a single one is faster.
    work_load_list : list of number, optional
        Share of each context; default: equal shares.
    fixed_param_names : list of str, optional
        Parameters that are not trained.
    state_names : list of str, optional
        Other arguments, which `set_states` sets; initially zero.
    group2ctxs : dict of str to Context, or a list of one for each context, optional
        Context of the arrays of variables by their attribute ``ctx_group``.
    compression_params : dict, optional
        ``{"type": "2bit", "threshold": 0.5}``: compression of gradients in a key-value store.

    Raises
    ------
    ValueError
        The symbol lacks an argument with one of the names (for labels: a warning).
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
        """Return an unbound module from a checkpoint.

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
        """Write the symbol and the parameters, as `model.save_checkpoint`, and replace all files.

        Parameters
        ----------
        prefix : str
        epoch : int
        save_optimizer_states : bool, default False
            Also write ``prefix-0001.states``.
        remove_amp_cast : bool, default True
            For `Symbol.save`.
        """
        with replacing_together():
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
        """Names and shapes of the labels; None if bound without labels."""
        return self._binding.label_shapes

    # Programs for MXNet pass these to `bind`, before which both are None.

    @property
    def _data_shapes(self) -> list[DataDesc] | None:
        return self.data_shapes if self.binded else None

    @property
    def _label_shapes(self) -> list[DataDesc] | None:
        return self.label_shapes if self.binded else None

    @property
    def output_shapes(self) -> list[tuple[str, tuple[int, ...]]]:
        """Names and shapes of the outputs."""
        return self._binding.get_output_shapes()

    # -- binding ------------------------------------------------------------------------------

    def _bind(
        self, data_shapes: Any, label_shapes: Any, rebinds: bool, shared_module: Any, grad_req: Any
    ) -> None:
        self._unbind()
        assert self.for_training or not self.inputs_need_grad, (
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
            self.for_training,
            self.inputs_need_grad,
            shared,
            self.logger,
            self._fixed_param_names,
            grad_req,
            self._state_names,
            self._group2ctxs,
        )
        if label is None:  # metrics need the names nevertheless
            self._exec_group.label_names = self._label_names
        self.binded = True
        self._grad_req = grad_req
        if shared_module is not None:
            self.params_initialized = True
            if shared_module.optimizer_initialized:
                self.borrow_optimizer(shared_module)
        elif self._held is not None:
            self.init_params(None, *self._held, force_init=True)
        self._held = None

    @property
    def nbytes(self) -> int:
        """Approximate size of the bound executors in bytes, excluding parameters."""
        return self._binding.nbytes

    def _unbind(self) -> None:
        if self.binded and self.params_initialized:
            self._held = self.get_params()
        self.binded = False
        self._exec_group = None

    def reshape(self, data_shapes: Any, label_shapes: Any = None) -> None:
        """Change the shapes of inputs; `forward` does so automatically.

        Parameters
        ----------
        data_shapes, label_shapes
            As in `bind`.
        """
        names = self._data_names, self._label_names
        self._binding.reshape(*describe_inputs(*names, data_shapes, label_shapes))

    # -- computing ----------------------------------------------------------------------------

    def forward(self, data_batch: Any, is_train: bool | None = None) -> None:
        """Compute the outputs for a batch; the batch size may change between calls.

        Parameters
        ----------
        data_batch : DataBatch
            Or any object with lists `data` and, if the symbol uses labels, `label`.
        is_train : bool, optional
            Default: as bound.

        Raises
        ------
        ShapeError
            The parameters do not fit the data.
        """
        self._require("binded", "params_initialized")
        assert self._exec_group is not None
        self._exec_group.forward(data_batch, is_train)

    def backward(self, out_grads: Any = None) -> None:
        """Compute the gradients for the last batch.

        Parameters
        ----------
        out_grads : NDArray or list of NDArray, optional
            Gradients of the outputs; a loss needs none.

        Raises
        ------
        AssertionError
            The module was not bound for training.
        """
        self._require("binded", "params_initialized", "for_training")
        assert self._exec_group is not None
        self._exec_group.backward(out_grads)

    def get_outputs(self, merge_multi_context: bool = True) -> Any:
        """Return the outputs for the last batch; the next one overwrites them.

        Parameters
        ----------
        merge_multi_context : bool, default True
            If False, each output is a list with one array per device.
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
        """Update a metric with the last outputs.

        Parameters
        ----------
        eval_metric : EvalMetric
        labels : list of NDArray
            For instance ``data_batch.label``.
        pre_sliced : bool, default False
            Whether the labels are a list of such lists, one per device.
        """
        self._binding.update_metric(eval_metric, labels, pre_sliced)

    def install_monitor(self, mon: Any) -> None:
        """Install a `Monitor` on the executor."""
        self._binding.install_monitor(mon)


_add_names(__name__)

"""`SVRGModule`: a module trained with stochastic variance-reduced gradients."""

import logging
from collections.abc import Sequence
from typing import Any

from opforge import autograd
from opforge import ndarray as nd
from opforge.base.context import Context
from opforge.io import DataIter
from opforge.ndarray import NDArray
from opforge.optimizer import Optimizer
from opforge.symbol import Symbol

from ...module import Module
from .svrg_optimizer import FULL, _SVRGOptimizer

__all__ = ["SVRGModule"]


class SVRGModule(Module):
    """Module whose gradients are corrected by the gradient of all data at an earlier point.

    Every `update_freq` epochs, `fit` copies the parameters to a second module and computes with it
    the mean gradient of all batches. Each update then uses the batch's gradient, minus that of the
    second module for the same batch, plus the mean gradient.

    As in MXNet, the mean of an earlier point is added to the sum of which the next one is the
    mean, and the second module needs as much memory as the first.

    Parameters
    ----------
    symbol : Symbol
    data_names : list of str, default ("data",)
        Arguments of the symbol that are data.
    label_names : list of str, default ("softmax_label",)
        Arguments that are labels.
    logger, context, work_load_list, fixed_param_names, state_names, group2ctxs, compression_params
        As in `Module`.
    update_freq : int
        Number of epochs after which the gradient of all data is computed again.

    Raises
    ------
    TypeError
        `update_freq` is not an int.
    ValueError
        `update_freq` is not positive.

    Examples
    --------
    >>> import numpy as np, opforge as mx
    >>> from opforge.contrib.svrg_optimization.svrg_module import SVRGModule
    >>> net = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=1, name="fc")
    >>> loss = mx.sym.MakeLoss(mx.sym.square(net - mx.sym.var("y")), name="loss")
    >>> module = SVRGModule(loss, label_names=["y"], update_freq=2)
    >>> data = mx.io.NDArrayIter(np.ones((4, 2)), np.ones((4, 1)), 2, label_name="y")
    >>> module.fit(data, eval_metric="loss", num_epoch=2, optimizer_params={"learning_rate": 0.1})
    >>> sorted(module.get_params()[0])
    ['fc_bias', 'fc_weight']
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
        update_freq: int | None = None,
    ) -> None:
        settings = (
            *(symbol, data_names, label_names, logger, context, work_load_list),
            *(fixed_param_names, state_names, group2ctxs, compression_params),
        )
        super().__init__(*settings)
        if not isinstance(update_freq, int):
            raise TypeError(
                f"update_freq in SVRGModule must be an integer, got {update_freq!r}; it is the "
                "number of epochs after which the gradient of all data is computed again"
            )
        if update_freq <= 0:
            raise ValueError(
                f"update_freq in SVRGModule must be a positive integer, got {update_freq}"
            )
        self.update_freq = update_freq
        #: Module at the earlier point, under MXNet's name, as are the other private attributes.
        self._mod_aux = Module(*settings)
        self._ctx_len = len(self._context)
        #: Mean gradients of all data by the name of the parameter, for each context.
        self._param_dict: list[dict[str, NDArray]] = []

    # -- binding ------------------------------------------------------------------------------

    def _bind(
        self, data_shapes: Any, label_shapes: Any, rebinds: bool, shared_module: Any, grad_req: Any
    ) -> None:
        super()._bind(data_shapes, label_shapes, rebinds, shared_module, grad_req)
        if self.for_training:
            shared = getattr(shared_module, "_mod_aux", None)
            settings = (True, self.inputs_need_grad, True, shared, grad_req)
            self._mod_aux.bind(data_shapes, label_shapes, *settings)

    def reshape(self, data_shapes: Any, label_shapes: Any = None) -> None:
        """Change the shapes of inputs of both modules.

        Parameters
        ----------
        data_shapes, label_shapes
            As in `bind`.
        """
        super().reshape(data_shapes, label_shapes)
        if self._mod_aux.binded:
            self._mod_aux.reshape(data_shapes, label_shapes)

    # -- computing ----------------------------------------------------------------------------

    def forward(self, data_batch: Any, is_train: bool | None = None) -> None:
        """Compute the outputs for a batch; in training, the second module does so too.

        Parameters
        ----------
        data_batch, is_train
            As in `Module.forward`.
        """
        super().forward(data_batch, is_train)
        trains = self.for_training if is_train is None else is_train
        if trains and self._mod_aux.params_initialized:
            self._mod_aux.forward(data_batch, is_train=True)

    def backward(self, out_grads: Any = None) -> None:
        """Compute the gradients of both modules for the last batch.

        Parameters
        ----------
        out_grads : NDArray or list of NDArray, optional
            Gradients of the outputs; a loss needs none.
        """
        super().backward(out_grads)
        if self._mod_aux.params_initialized:
            self._mod_aux.backward(out_grads)

    def update_full_grads(self, train_data: DataIter) -> None:
        """Copy the parameters to the second module, and compute its mean gradient of all data.

        Parameters
        ----------
        train_data : DataIter
            It is reset first.

        Raises
        ------
        ValueError
            `train_data` has no batches.
        """
        self._require("optimizer_initialized")
        self._mod_aux.set_params(*self.get_params())
        train_data.reset()
        nbatch, pad = 0, 0
        for data_batch in train_data:
            self._mod_aux.forward_backward(data_batch)
            for name, grads in self._earlier_grads().items():
                for totals, grad in zip(self._param_dict, grads, strict=True):
                    totals[name] += grad
            nbatch, pad = nbatch + 1, data_batch.pad or 0
        if not nbatch:
            raise ValueError(f"update_full_grads: {type(train_data).__name__} has no batches")
        for name in self._earlier_grads():
            means = [totals[name] for totals in self._param_dict]
            for mean in means:
                mean /= nbatch - pad / train_data.batch_size
            if self._kvstore is not None:
                self._accumulate_kvstore(name, means)

    def _earlier_grads(self) -> dict[str, list[NDArray]]:
        """Return the gradients of the second module by name, each as a list of the contexts'."""
        group = self._mod_aux._binding
        names, _, grads = group.trained()
        return dict(zip(names, grads, strict=True))

    def _accumulate_kvstore(self, key: str, value: list[NDArray]) -> None:
        """Replace the contexts' gradients of all data by the mean of those of all workers."""
        assert self._kvstore is not None
        self._kvstore.pushpull(key + FULL, value)
        copies = self._ctx_len * self._kvstore.num_workers
        for totals, total in zip(self._param_dict, value, strict=False):
            totals[key] = total / copies

    def update(self) -> None:
        """Correct the gradients of the last batch, and update the parameters with them.

        Before the first call of `update_full_grads` gradients are used unchanged.
        """
        self._require("optimizer_initialized")
        with autograd.pause():
            self._update_svrg_gradients()
        super().update()

    def _update_svrg_gradients(self) -> None:
        names, _, grads = self._binding.trained()
        earlier = self._earlier_grads()
        for name, copies in zip(names, grads, strict=True):
            for device, grad in enumerate(copies):
                mean = self._param_dict[device][name]
                self._svrg_grads_update_rule(grad, earlier[name][device], mean)

    def _svrg_grads_update_rule(self, grad: NDArray, earlier: NDArray, mean: NDArray) -> NDArray:
        """Correct a gradient in place."""
        grad -= earlier
        grad += mean
        return grad

    # -- training -----------------------------------------------------------------------------

    def _init_optimizer(self, *args: Any) -> None:
        *_, force_init = args
        is_kept = self.optimizer_initialized and not force_init
        super()._init_optimizer(*args)
        if is_kept:
            return
        copies = zip(self._param_names, self._binding.param_arrays, strict=True)
        shapes = {name: arrays[0].shape for name, arrays in copies}
        self._param_dict = [
            {name: nd.zeros(shape, ctx=context) for name, shape in shapes.items()}
            for context in self._context
        ]
        if self._kvstore is not None:
            for name in shapes:
                means = [totals[name] for totals in self._param_dict]
                self._kvstore.broadcast(name + FULL, means[0], means)

    def _create_optimizer(
        self, optimizer: Any, defaults: dict[str, Any], settings: dict[str, Any]
    ) -> Optimizer:
        if not isinstance(optimizer, str):
            optimizer = super()._create_optimizer(optimizer, defaults, settings)
        names = defaults["param_idx2name"]
        full = dict(enumerate((name + FULL for name in self._param_names), start=len(names)))
        defaults = {**defaults, "param_idx2name": {**names, **full}}
        return _SVRGOptimizer(optimizer, **{**defaults, **settings})

    def _begin_epoch(self, epoch: int, train_data: DataIter) -> None:
        if epoch % self.update_freq == 0:
            self.update_full_grads(train_data)
        train_data.reset()

    def _end_epoch(self, train_data: DataIter) -> None:
        """Leave the data where they are; the next epoch begins with a reset."""

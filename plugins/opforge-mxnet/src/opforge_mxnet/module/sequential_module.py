"""`SequentialModule`: chain of modules, each of which consumes the previous outputs."""

import copy
import logging
from typing import Any

from opforge.io import DataDesc
from opforge.ndarray import NDArray

from .base_module import BaseModule
from .composite_module import CompositeModule

__all__ = ["SequentialModule"]

_Params = tuple[dict[str, NDArray], dict[str, NDArray]]


class SequentialModule(CompositeModule):
    """Chain of modules that are trained as one.

    Parameters
    ----------
    logger : logging.Logger or module logging

    Raises
    ------
    AssertionError
        By `bind`: there are no modules, or `shared_module` is given.
        By `init_params`: two modules have a parameter of the same name.

    Examples
    --------
    >>> import opforge as mx
    >>> first = mx.mod.Module(mx.sym.var("data") * 2, label_names=None)
    >>> last = mx.mod.Module(mx.sym.var("data") + 1, label_names=None)
    >>> row = SequentialModule().add(first).add(last, auto_wiring=True)
    >>> row.bind([("data", (1, 2))])
    >>> row.init_params()
    >>> row.forward(mx.io.DataBatch([mx.nd.array([[1, 2]])]))
    >>> row.get_outputs()[0].asnumpy().tolist()
    [[3.0, 5.0]]
    """

    #: Keywords of `add`.
    META_TAKE_LABELS = "take_labels"
    META_AUTO_WIRING = "auto_wiring"

    def __init__(self, logger: Any = logging) -> None:
        super().__init__(logger)
        self._modules: list[BaseModule] = []
        self._metas: list[dict[str, Any]] = []
        self._label_shapes: Any = None

    def add(self, module: BaseModule, **kwargs: Any) -> "SequentialModule":
        """Append a module; return this one.

        Parameters
        ----------
        module : BaseModule
        take_labels : bool, default False
            Whether it gets the labels, as a loss or for metrics.
        auto_wiring : bool, default False
            Whether its data are the previous outputs regardless of their names.

        Raises
        ------
        ValueError
            Another keyword is given.
        """
        known = {self.META_TAKE_LABELS, self.META_AUTO_WIRING}
        unknown = sorted(set(kwargs) - known)
        if unknown:
            raise ValueError(f"add: unknown {', '.join(unknown)}; it takes {sorted(known)}")
        self._modules.append(module)
        self._metas.append(kwargs)
        self.binded = self.params_initialized = self.optimizer_initialized = False
        return self

    # -- names and shapes ---------------------------------------------------------------------

    @property
    def data_names(self) -> list[str]:
        """Names of the first module's data."""
        return self._modules[0].data_names if self._modules else []

    @property
    def output_names(self) -> list[str]:
        """Names of the last module's outputs."""
        return self._modules[-1].output_names if self._modules else []

    @property
    def data_shapes(self) -> Any:
        """Names and shapes of the first module's data."""
        self._require("binded")
        return self._modules[0].data_shapes

    @property
    def label_shapes(self) -> Any:
        """Names and shapes of the labels; None if no module takes them."""
        self._require("binded")
        return self._label_shapes

    @property
    def output_shapes(self) -> Any:
        """Names and shapes of the last module's outputs."""
        self._require("binded")
        return self._modules[-1].output_shapes

    # -- setting up ---------------------------------------------------------------------------

    def _bind(
        self, data_shapes: Any, label_shapes: Any, rebinds: bool, shared_module: Any, grad_req: Any
    ) -> None:
        """Bind all modules, each to the previous outputs."""
        assert self.for_training or not self.inputs_need_grad, (
            "SequentialModule: inputs_need_grad=True needs for_training=True"
        )
        assert shared_module is None, "SequentialModule: shared_module is not supported"
        assert self._modules, "SequentialModule: add a module before bind()"
        shapes, any_labels = data_shapes, False
        for index, (module, meta) in enumerate(zip(self._modules, self._metas, strict=True)):
            takes_labels = bool(meta.get(self.META_TAKE_LABELS))
            any_labels |= takes_labels
            if meta.get(self.META_AUTO_WIRING):
                shapes = _rename_descriptions(module, shapes)
            module.bind(
                data_shapes=shapes,
                label_shapes=label_shapes if takes_labels else None,
                for_training=self.for_training,
                inputs_need_grad=self.inputs_need_grad or (self.for_training and index > 0),
                force_rebind=rebinds,
                grad_req=grad_req,
            )
            shapes = module.output_shapes
        self._label_shapes = label_shapes if any_labels else None
        self.binded = True

    def _init_parts_params(self, *args: Any) -> None:
        initializer, arg_params, aux_params, allow_missing, force_init, _ = args
        for module in self._modules:
            module.init_params(  # each ignores the parameters of the others
                initializer, arg_params, aux_params, allow_missing, force_init, allow_extra=True
            )
        self._expect_different_names()

    def _expect_different_names(self) -> None:
        owners: dict[str, int] = {}
        for index, module in enumerate(self._modules):
            for params in module.get_params():
                for name in params:
                    assert name not in owners, (
                        f"SequentialModule: the modules {owners[name]} and {index} both have a "
                        f"parameter '{name}'; give their layers different names"
                    )
                    owners[name] = index

    def get_params(self) -> _Params:
        """Return the parameters and the auxiliary states of all modules by name."""
        self._require("binded", "params_initialized")
        args: dict[str, NDArray] = {}
        states: dict[str, NDArray] = {}
        for module in self._modules:
            own = module.get_params()
            args |= own[0]
            states |= own[1]
        return args, states

    def _init_parts_optimizers(self, *args: Any) -> None:
        for module in self._modules:
            module.init_optimizer(*args)

    def install_monitor(self, mon: Any) -> None:
        """Install a `Monitor` on all modules."""
        self._require("binded")
        for module in self._modules:
            module.install_monitor(mon)

    # -- computing ----------------------------------------------------------------------------

    def forward(self, data_batch: Any, is_train: bool | None = None) -> None:
        """Compute the outputs for a batch, from module to module."""
        self._require("binded", "params_initialized")
        batch = copy.copy(data_batch)  # its data are replaced for each module
        for module, following in zip(self._modules, [*self._modules[1:], None], strict=True):
            module.forward(batch, is_train=is_train)
            if following is None:
                break
            batch.data = module.get_outputs()
            if getattr(batch, "provide_data", None):
                names = following.data_names
                batch.provide_data = [
                    DataDesc(name, array.shape)
                    for name, array in zip(names, batch.data, strict=True)
                ]

    def backward(self, out_grads: Any = None) -> None:
        """Compute the gradients for the last batch, from the last module to the first."""
        self._require("binded", "params_initialized")
        for module in reversed(self._modules):
            module.backward(out_grads=out_grads)
            if module is not self._modules[0]:
                out_grads = module.get_input_grads()

    def update(self) -> None:
        """Update the parameters of all modules."""
        self._require("binded", "params_initialized", "optimizer_initialized")
        for module in self._modules:
            module.update()

    def update_metric(self, eval_metric: Any, labels: Any, pre_sliced: bool = False) -> None:
        """Update a metric with the outputs of the modules that take labels."""
        self._require("binded", "params_initialized")
        for module, meta in zip(self._modules, self._metas, strict=True):
            if meta.get(self.META_TAKE_LABELS):
                module.update_metric(eval_metric, labels, pre_sliced)

    def get_outputs(self, merge_multi_context: bool = True) -> Any:
        """Return the last module's outputs."""
        self._require("binded", "params_initialized")
        return self._modules[-1].get_outputs(merge_multi_context)

    def get_input_grads(self, merge_multi_context: bool = True) -> Any:
        """Return the gradients of the first module's data."""
        self._require("binded", "params_initialized", "inputs_need_grad")
        return self._modules[0].get_input_grads(merge_multi_context)


def _rename_descriptions(module: BaseModule, shapes: Any) -> list[DataDesc]:
    """Return the shapes under the names of the module's data."""
    names, shapes = module.data_names, list(shapes)
    assert len(names) == len(shapes), (
        f"SequentialModule: auto_wiring: {len(shapes)} outputs go to a module with {len(names)} "
        f"data, {names}"
    )
    return [DataDesc(name, shape[1]) for name, shape in zip(names, shapes, strict=True)]

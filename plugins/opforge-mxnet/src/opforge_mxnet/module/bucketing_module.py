"""`BucketingModule`: one module for each length of the input, with common parameters."""

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from opforge import ndarray as nd
from opforge import symbol as sym
from opforge.base.config import graph_limit
from opforge.base.mxnet_names import add_mxnet_names as _add_mxnet_names
from opforge.base.recency import Recent
from opforge.checkpoint import load_params
from opforge.name import NameManager
from opforge.ndarray import NDArray
from opforge.symbol import Symbol

from .current_module import CurrentModule
from .loops import DEFAULT_INITIALIZER
from .module import Module

__all__ = ["BucketingModule"]

_SymGen = Callable[..., tuple[Symbol, Sequence[str] | None, Sequence[str] | None]]


class BucketingModule(CurrentModule):
    """Computes each batch with the symbol for its `bucket_key`; all share their parameters.

    They share the memory of intermediate results too, and buckets that were not used for long are
    bound anew when their turn comes (``OPFORGE_GRAPH_LIMIT_MB``).

    Parameters
    ----------
    sym_gen : callable
        ``sym_gen(bucket_key)`` returns a symbol, its `data_names` and its `label_names`.
    default_bucket_key : hashable
        The bucket that `bind` binds; its symbol has all parameters.
    logger, context, work_load_list, fixed_param_names, state_names, group2ctxs, compression_params
        As in `Module`.

    Examples
    --------
    >>> import opforge as mx
    >>> def sym_gen(length):
    ...     steps = mx.sym.sum(mx.sym.var("data"), axis=1, keepdims=True)
    ...     return mx.sym.FullyConnected(steps, num_hidden=1, name="fc"), ("data",), None
    >>> module = mx.mod.BucketingModule(sym_gen, default_bucket_key=4)
    >>> module.bind(data_shapes=[("data", (1, 4))])
    >>> module.init_params(mx.init.One())
    >>> batch = mx.io.DataBatch(
    ...     [mx.nd.ones((1, 2))], bucket_key=2, provide_data=[("data", (1, 2))]
    ... )
    >>> module.forward(batch)
    >>> module.get_outputs()[0].asscalar().item()
    2.0
    """

    def __init__(
        self,
        sym_gen: _SymGen,
        default_bucket_key: Any = None,
        logger: Any = logging,
        context: Any = None,
        work_load_list: Any = None,
        fixed_param_names: Sequence[str] | None = None,
        state_names: Sequence[str] | None = None,
        group2ctxs: Any = None,
        compression_params: Any = None,
    ) -> None:
        super().__init__(logger)
        assert default_bucket_key is not None, "BucketingModule: default_bucket_key is missing"
        self._default_bucket_key = default_bucket_key
        self._sym_gen = sym_gen
        self._settings = {
            "logger": logger,
            "context": context,
            "work_load_list": work_load_list,
            "fixed_param_names": fixed_param_names,
            "state_names": state_names,
            "group2ctxs": group2ctxs,
        }
        #: Symbols that were loaded; those of other keys are generated.
        self._loaded: dict[Any, Symbol] = {}
        #: The keys of all buckets so far, in the order of their first use.
        self._keys: dict[Any, None] = {}
        self._kept: Recent[Any, Module] = Recent(graph_limit())
        self._default = self._new_module(default_bucket_key)
        self._curr_bucket_key = default_bucket_key
        self._curr_module = self._default
        self._monitor: Any = None
        self._grad_req: Any = "write"

    def _bucket(self, key: Any) -> Module:
        """Return the module for a bucket, made where there is none or not any more."""
        if key == self._default_bucket_key:
            return self._default
        module = self._kept.get(key)
        if module is None:
            module = self._new_module(key)
            self._kept.put(key, module, 0)
        return module

    def _new_module(self, key: Any) -> Module:
        symbol, data_names, label_names = self._generate(key)
        self._keys[key] = None
        return Module(symbol, data_names, label_names, **self._settings)

    def _generate(self, key: Any) -> Any:
        with NameManager():  # so that names without a number given are the same in all buckets
            symbol, data_names, label_names = self._sym_gen(key)
        return self._loaded.get(key, symbol), data_names, label_names

    @property
    def _buckets(self) -> dict[Any, Module]:
        """The modules that exist, by bucket key, under the name that MXNet's programs use."""
        kept = {key: self._kept.get(key) for key in self._keys}
        kept[self._default_bucket_key] = self._default
        return {key: module for key, module in kept.items() if module is not None}

    def _modules(self) -> list[Module]:
        """Return the modules that are bound."""
        return [module for module in (self._default, *self._kept.values()) if module.binded]

    # -- checkpoints --------------------------------------------------------------------------

    @staticmethod
    def load(
        prefix: str,
        epoch: int,
        sym_gen: _SymGen | None = None,
        default_bucket_key: Any = None,
        load_optimizer_states: bool = False,
        **kwargs: Any,
    ) -> "BucketingModule":
        """Return a module from what `save_checkpoint` wrote, not bound yet.

        Parameters
        ----------
        prefix : str
        epoch : int
        sym_gen, default_bucket_key
            As they were.
        load_optimizer_states : bool, default False
            `init_optimizer` then also reads ``prefix-0001.states``.
        **kwargs
            For `BucketingModule`.
        """
        keys = nd.load(f"{prefix}.buckets")[0].asnumpy().astype(int).tolist()
        symbols = {key: sym.load(f"{prefix}-{key}-symbol.json") for key in keys}
        params = load_params(prefix, epoch)
        module = BucketingModule.load_dict(symbols, sym_gen, default_bucket_key, *params, **kwargs)
        if load_optimizer_states:
            module._default._states_to_load = f"{prefix}-{epoch:04d}.states"
        return module

    @staticmethod
    def load_dict(
        sym_dict: Mapping[Any, Symbol] | None = None,
        sym_gen: _SymGen | None = None,
        default_bucket_key: Any = None,
        arg_params: Mapping[str, NDArray] | None = None,
        aux_params: Mapping[str, NDArray] | None = None,
        **kwargs: Any,
    ) -> "BucketingModule":
        """Return a module from symbols and parameters, not bound yet.

        Parameters
        ----------
        sym_dict : dict of key to Symbol
            The symbols of the buckets that are known.
        sym_gen, default_bucket_key
            As in `BucketingModule`.
        arg_params, aux_params : dict of str to NDArray
        **kwargs
            For `BucketingModule`.
        """
        assert None not in (sym_dict, sym_gen, arg_params, aux_params), (
            "BucketingModule: sym_dict, sym_gen, arg_params and aux_params are needed"
        )
        assert sym_dict is not None and sym_gen is not None
        assert arg_params is not None and aux_params is not None
        module = BucketingModule(sym_gen, default_bucket_key, **kwargs)
        module._loaded = dict(sym_dict)
        module._keys = dict.fromkeys(sym_dict)
        module._default = module._curr_module = module._new_module(default_bucket_key)
        module._curr_module.hold_params(arg_params, aux_params)
        module.params_initialized = True
        return module

    def save_checkpoint(
        self, prefix: str, epoch: int, save_optimizer_states: bool = False,
        remove_amp_cast: bool = False,
    ) -> None:  # fmt: skip
        """Write the parameters and the symbols of the buckets used so far; their keys are ints.

        Parameters
        ----------
        prefix : str
        epoch : int
        save_optimizer_states : bool, default False
            Also write ``prefix-0001.states``.
        remove_amp_cast : bool, default False
            For `Symbol.save`.
        """
        self.save_params(f"{prefix}-{epoch:04d}.params")
        for key in self._keys:
            symbol = self._generate(key)[0]
            symbol.save(f"{prefix}-{key}-symbol.json", remove_amp_cast=remove_amp_cast)
        nd.save(f"{prefix}.buckets", nd.array(list(self._keys), dtype=np.int32))
        if save_optimizer_states:
            self._curr_module.save_optimizer_states(f"{prefix}-{epoch:04d}.states")

    # -- the current bucket -------------------------------------------------------------------

    def switch_bucket(self, bucket_key: Any, data_shapes: Any, label_shapes: Any = None) -> None:
        """Make another bucket the current one, and bind it where it is not.

        Parameters
        ----------
        bucket_key : hashable
        data_shapes, label_shapes
            As in `bind`; used where the bucket is not bound yet.
        """
        self._require("binded")
        module = self._bucket(bucket_key)
        if not module.binded:
            module.bind(
                data_shapes,
                label_shapes,
                self.for_training,
                self.inputs_need_grad,
                shared_module=self._default,
                grad_req=self._grad_req,
            )
            self._kept.grow(bucket_key, module.nbytes)
            if self._monitor is not None:
                module.install_monitor(self._monitor)
        self._curr_module, self._curr_bucket_key = module, bucket_key

    # -- setting up ---------------------------------------------------------------------------

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
        """Bind the default bucket; parameters as in `Module.bind`, without `shared_module`."""
        assert shared_module is None, "shared_module for BucketingModule is not supported"
        if self.binded and not force_rebind:
            self.logger.warning("Already bound, ignoring bind()")
            return
        default = self._default
        if self.binded:
            self._kept = Recent(graph_limit())
        default.bind(
            data_shapes, label_shapes, for_training, inputs_need_grad, True, grad_req=grad_req
        )
        self._curr_module, self._curr_bucket_key = default, self._default_bucket_key
        self.for_training, self.inputs_need_grad = for_training, inputs_need_grad
        self._grad_req = grad_req
        self.binded = True

    def get_params(self) -> tuple[dict[str, NDArray], dict[str, NDArray]]:
        """Return copies of the parameters and of the auxiliary states by name."""
        self._require("params_initialized")
        return self._default.get_params()

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
        if self.params_initialized and not force_init:
            return
        self._require("binded")
        self._default.init_params(
            initializer, arg_params, aux_params, allow_missing, force_init, allow_extra
        )
        self.params_initialized = True

    def set_params(
        self,
        arg_params: Mapping[str, NDArray],
        aux_params: Mapping[str, NDArray] | None,
        allow_missing: bool = False,
        force_init: bool = True,
        allow_extra: bool = False,
    ) -> None:
        """Set the parameters; see `Module.set_params`."""
        self._require("binded")
        self._default.set_params(arg_params, aux_params, allow_missing, force_init, allow_extra)
        self.params_initialized = True

    def init_optimizer(
        self,
        kvstore: Any = "local",
        optimizer: Any = "sgd",
        optimizer_params: Any = (("learning_rate", 0.01),),
        force_init: bool = False,
    ) -> None:
        """Install an optimizer for all buckets; see `Module.init_optimizer`."""
        self._require("binded", "params_initialized")
        if self.optimizer_initialized and not force_init:
            self.logger.warning("optimizer already initialized, ignoring.")
            return
        self._default.init_optimizer(kvstore, optimizer, optimizer_params, force_init)
        for module in self._modules():
            if module is not self._default:
                module.borrow_optimizer(self._default)
        self.optimizer_initialized = True

    def install_monitor(self, mon: Any) -> None:
        """Let a `Monitor` look into all executors."""
        self._require("binded")
        self._monitor = mon
        for module in self._modules():
            module.install_monitor(mon)

    def prepare(self, data_batch: Any, sparse_row_id_fn: Any = None) -> None:
        """Bind the bucket of a batch before it is its turn."""
        self._require("binded", "params_initialized")
        current = self._curr_bucket_key
        self._switch_to(data_batch)
        self._curr_module.prepare(data_batch, sparse_row_id_fn)
        self.switch_bucket(current, None)

    # -- computing ----------------------------------------------------------------------------

    def _switch_to(self, data_batch: Any) -> None:
        self.switch_bucket(data_batch.bucket_key, data_batch.provide_data, data_batch.provide_label)

    def forward(self, data_batch: Any, is_train: bool | None = None) -> None:
        """Compute the outputs for a batch with its bucket; see `Module.forward`.

        Parameters
        ----------
        data_batch : DataBatch
            With `bucket_key`, `provide_data` and `provide_label`.
        is_train : bool, optional
        """
        self._require("binded", "params_initialized")
        self._switch_to(data_batch)
        self._curr_module.forward(data_batch, is_train)

    def update(self) -> None:
        """Update the parameters from the gradients of the last batch."""
        self._require("binded", "params_initialized", "optimizer_initialized")
        self._curr_module.update()


_add_mxnet_names(__name__)

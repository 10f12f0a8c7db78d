"""`BucketingModule`: one module per input length, with shared parameters."""

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from opforge import ndarray as nd
from opforge import symbol as sym
from opforge.base.config import graph_limit
from opforge.base.files import replacing_together
from opforge.base.lru_cache import LRUCache
from opforge.checkpoint import load_params
from opforge.name import NameManager
from opforge.ndarray import NDArray
from opforge.symbol import Symbol

from ..names import add_names as _add_names
from .current_module import CurrentModule
from .module import Module

__all__ = ["BucketingModule"]

_SymGen = Callable[..., tuple[Symbol, Sequence[str] | None, Sequence[str] | None]]


class BucketingModule(CurrentModule):
    """Module that runs each batch with the symbol of its `bucket_key`; parameters are shared.

    Buckets also share the memory of intermediate results, and buckets evicted after long disuse are
    rebound when needed (``OPFORGE_GRAPH_LIMIT_MB``).

    Parameters
    ----------
    sym_gen : callable
        ``sym_gen(bucket_key)`` returns a symbol, its `data_names` and its `label_names`.
    default_bucket_key : hashable
        The bucket that `bind` binds, without `shared_module`; its symbol has all parameters.
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
        #: Loaded symbols; those of other keys are generated.
        self._loaded: dict[Any, Symbol] = {}
        #: Keys of all buckets in the order of their first use.
        self._keys: dict[Any, None] = {}
        self._kept: LRUCache[Any, Module] = LRUCache(graph_limit())
        self._default = self._new_module(default_bucket_key)
        self._curr_bucket_key = default_bucket_key
        self._curr_module = self._default
        self._monitor: Any = None
        self._grad_req: Any = "write"

    def _bucket(self, key: Any) -> Module:
        """Return the module for a bucket; create it if missing or evicted."""
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
        with NameManager():  # automatic names must be the same in all buckets
            symbol, data_names, label_names = self._sym_gen(key)
        return self._loaded.get(key, symbol), data_names, label_names

    @property
    def _buckets(self) -> dict[Any, Module]:
        """Existing modules by bucket key, under the name that MXNet programs use."""
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
        """Return an unbound module from a checkpoint of `save_checkpoint`.

        Parameters
        ----------
        prefix : str
        epoch : int
        sym_gen, default_bucket_key
        As when the checkpoint was saved.
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
        """Return an unbound module from symbols and parameters.

        Parameters
        ----------
        sym_dict : dict of key to Symbol
            Symbols of known buckets.
        sym_gen, default_bucket_key
            As in `BucketingModule`.
        arg_params, aux_params : dict of str to NDArray
        **kwargs
            For `BucketingModule`.
        """
        assert None not in (sym_dict, sym_gen, arg_params, aux_params), (
            "BucketingModule: sym_dict, sym_gen, arg_params and aux_params are required"
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
        self,
        prefix: str,
        epoch: int,
        remove_amp_cast: bool = False,
        save_optimizer_states: bool = False,
    ) -> None:
        """Write the parameters and the symbols of the buckets used so far; their keys are ints.

        Parameters
        ----------
        prefix : str
        epoch : int
        remove_amp_cast : bool, default False
            For `Symbol.save`.
        save_optimizer_states : bool, default False
            Also write ``prefix-0001.states``.
        """
        with replacing_together():
            self.save_params(f"{prefix}-{epoch:04d}.params")
            for key in self._keys:
                symbol = self._generate(key)[0]
                symbol.save(f"{prefix}-{key}-symbol.json", remove_amp_cast=remove_amp_cast)
            nd.save(f"{prefix}.buckets", nd.array(list(self._keys), dtype=np.int32))
            if save_optimizer_states:
                self._curr_module.save_optimizer_states(f"{prefix}-{epoch:04d}.states")

    # -- the current bucket -------------------------------------------------------------------

    def switch_bucket(self, bucket_key: Any, data_shapes: Any, label_shapes: Any = None) -> None:
        """Switch to another bucket and bind it if needed.

        Parameters
        ----------
        bucket_key : hashable
        data_shapes, label_shapes
            As in `bind`; used if the bucket is not bound yet.
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

    def _bind(
        self, data_shapes: Any, label_shapes: Any, rebinds: bool, shared_module: Any, grad_req: Any
    ) -> None:
        """Bind the default bucket."""
        assert shared_module is None, "shared_module for BucketingModule is not supported"
        default = self._default
        if self.binded:
            self._kept = LRUCache(graph_limit())
        flags = self.for_training, self.inputs_need_grad
        default.bind(data_shapes, label_shapes, *flags, force_rebind=True, grad_req=grad_req)
        self._curr_module, self._curr_bucket_key = default, self._default_bucket_key
        self._grad_req = grad_req
        self.binded = True

    def get_params(self) -> tuple[dict[str, NDArray], dict[str, NDArray]]:
        """Return copies of the parameters and of the auxiliary states by name."""
        self._require("params_initialized")
        return self._default.get_params()

    def _init_parts_params(self, *args: Any) -> None:
        self._default.init_params(*args)

    def _set_params(self, *args: Any) -> None:
        self._require("binded")
        self._default.set_params(*args)
        self.params_initialized = True

    def _init_parts_optimizers(self, *args: Any) -> None:
        self._default.init_optimizer(*args)
        for module in self._modules():
            if module is not self._default:
                module.borrow_optimizer(self._default)

    def install_monitor(self, mon: Any) -> None:
        """Install a `Monitor` on all executors."""
        self._require("binded")
        self._monitor = mon
        for module in self._modules():
            module.install_monitor(mon)

    def prepare(self, data_batch: Any, sparse_row_id_fn: Any = None) -> None:
        """Bind the bucket of a batch ahead of its forward pass."""
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


_add_names(__name__)

"""`CompositeModule`: base of modules that consist of other modules."""

from typing import Any

from .base_module import BaseModule

__all__ = ["CompositeModule"]


class CompositeModule(BaseModule):
    """Base of modules that pass initialization on to the modules that they consist of.

    A subclass defines `_init_parts_params` and `_init_parts_optimizers`.
    """

    def _init_params(self, *args: Any) -> None:
        *_, force_init, _ = args
        if self.params_initialized and not force_init:
            return
        self._require("binded")
        self._init_parts_params(*args)
        self.params_initialized = True

    def _init_parts_params(self, *args: Any) -> None:
        """Initialize the parameters of the parts; `args` are those of `init_params`."""
        raise NotImplementedError

    def _init_optimizer(self, *args: Any) -> None:
        *_, force_init = args
        self._require("binded", "params_initialized")
        if self.optimizer_initialized and not force_init:
            self.logger.warning("optimizer already initialized, ignoring.")
            return
        self._init_parts_optimizers(*args)
        self.optimizer_initialized = True

    def _init_parts_optimizers(self, *args: Any) -> None:
        """Install an optimizer in the parts; `args` are those of `init_optimizer`."""
        raise NotImplementedError

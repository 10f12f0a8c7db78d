"""`DistributedTrainer`: a `Trainer` whose steps are those of all ranks together."""

from typing import Any

from opforge.plugin_api import Trainer

from .running import size

__all__ = ["DistributedTrainer"]


class DistributedTrainer(Trainer):
    """Updates parameters from the mean of all ranks' gradients.

    A step of N ranks with batches of B is that of one process with a batch of N * B: ``step(B)``
    divides by B and by the number of ranks.

    Parameters
    ----------
    params : ParameterDict, dict or list of Parameter
        Usually ``net.collect_params()``; all ranks begin with those of rank 0.
    optimizer : str or Optimizer
    optimizer_params : dict, optional
        Arguments of the optimizer.

    Raises
    ------
    DistributedError
        Parameters of ranks differ in name, shape or type.

    Examples
    --------
    >>> from opforge import autograd, gluon
    >>> weight = gluon.Parameter("weight", shape=(1,), init="ones")
    >>> weight.initialize()
    >>> trainer = DistributedTrainer([weight], "sgd", {"learning_rate": 0.5})
    >>> with autograd.record():
    ...     loss = weight.data() * 2
    >>> loss.backward()
    >>> trainer.step(batch_size=1)
    >>> weight.data().asscalar().item()
    0.0
    """

    def __init__(
        self, params: Any, optimizer: Any, optimizer_params: dict[str, Any] | None = None
    ) -> None:
        super().__init__(params, optimizer, optimizer_params, kvstore="horovod")
        self._scale /= size()

"""Training with stochastic variance-reduced gradients (SVRG, Johnson and Zhang 2013).

`svrg_module.SVRGModule` is a `Module` that corrects each gradient by the difference between the
same batch's gradient at an earlier point and the gradient of all data at that point.
"""

from . import svrg_module as svrg_module
from . import svrg_optimizer as svrg_optimizer

__all__ = ["svrg_module", "svrg_optimizer"]

"""MXNet's Estimator: a training loop whose parts are event handlers.

`estimator`, `event_handler` and `batch_processor` are the modules in which MXNet has the names.
"""

from . import batch_processor as batch_processor
from . import estimator as estimator
from . import event_handler as event_handler
from .batch_processor import BatchProcessor as BatchProcessor
from .estimator import Estimator as Estimator
from .event_handler import *  # noqa: F403
from .history import History as History
from .profile import Profile as Profile

__all__ = ["BatchProcessor", "Estimator", "History", "Profile"]
__all__ += event_handler.__all__

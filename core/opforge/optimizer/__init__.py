"""Optimizers: rules that update a weight from its gradient, in place.

An `Optimizer` has the settings and counts the updates; its states (momenta and similar) are stored
in an `Updater`, one for each context.
"""

from ..base.module_aliases import add_aliases as _add_aliases
from ..op.registry.modules import plugin_attributes as _plugin_attributes
from .adagrad import AdaDelta as AdaDelta
from .adagrad import AdaGrad as AdaGrad
from .adam import Adam as Adam
from .adam import AdamW as AdamW
from .base import Optimizer as Optimizer
from .base import create as create
from .base import register as register
from .rmsprop import RMSProp as RMSProp
from .sgd import NAG as NAG
from .sgd import SGD as SGD
from .updater import Updater as Updater
from .updater import get_updater as get_updater

__all__ = [
    "NAG",
    "SGD",
    "AdaDelta",
    "AdaGrad",
    "Adam",
    "AdamW",
    "Optimizer",
    "RMSProp",
    "Updater",
    "create",
    "get_updater",
    "register",
]

__getattr__, __dir__ = _plugin_attributes(__name__, "optimizer", __all__)

_add_aliases(__name__)

"""Optimizers, each an entry point of the group ``opforge.optimizers``."""

from .adaptive import FTML, Adamax, Nadam
from .ftrl import Ftrl
from .gradient_descent import DCASGD, SGLD, ccSGD
from .group_adagrad import GroupAdaGrad
from .layerwise import LAMB, LANS, LARS
from .lbsgd import LBSGD
from .signum import Signum

__all__ = ["OPTIMIZERS"]

#: All optimizers.
OPTIMIZERS = [
    Adamax,
    DCASGD,
    FTML,
    Ftrl,
    GroupAdaGrad,
    LAMB,
    LANS,
    LARS,
    LBSGD,
    Nadam,
    SGLD,
    Signum,
    ccSGD,
]

"""Random numbers: `opforge.random.seed`, and the functions of `opforge.nd.random`."""

from .ndarray.random import exponential as exponential
from .ndarray.random import gamma as gamma
from .ndarray.random import generalized_negative_binomial as generalized_negative_binomial
from .ndarray.random import multinomial as multinomial
from .ndarray.random import negative_binomial as negative_binomial
from .ndarray.random import normal as normal
from .ndarray.random import poisson as poisson
from .ndarray.random import randint as randint
from .ndarray.random import randn as randn
from .ndarray.random import seed as seed
from .ndarray.random import shuffle as shuffle
from .ndarray.random import uniform as uniform

__all__ = [
    "exponential",
    "gamma",
    "generalized_negative_binomial",
    "multinomial",
    "negative_binomial",
    "normal",
    "poisson",
    "randint",
    "randn",
    "seed",
    "shuffle",
    "uniform",
]

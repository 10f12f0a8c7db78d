"""Rows of the operators that draw random numbers; every variant begins with the same seed."""

from .case import above_one, normal, unit
from .row import Row


def probabilities(rng, shape):
    """Draw rows that sum to one."""
    return rng.dirichlet([1.0] * shape[-1], shape[:-1])


def above_zero(rng, shape):
    return abs(unit(rng, shape))


#: The lower bound of an interval is below one, the upper bound above.
ENDS = {"uniform": (above_zero, above_one)}


#: Distribution -> its parameters.
DISTRIBUTIONS = {
    "uniform": {"low": -1.0, "high": 2.0},
    "normal": {"loc": 1.0, "scale": 2.0},
    "gamma": {"alpha": 2.0, "beta": 0.5},
    "exponential": {"lam": 2.0},
    "poisson": {"lam": 2.0},
    "negative_binomial": {"k": 3, "p": 0.4},
    "generalized_negative_binomial": {"mu": 2.0, "alpha": 0.3},
}

NUMBERS = [
    Row(f"_random_{name}", [], {**numbers, "shape": (3, 4)})
    for name, numbers in DISTRIBUTIONS.items()
]
LIKE = [Row(f"_random_{name}_like", [(3, 4)], numbers) for name, numbers in DISTRIBUTIONS.items()]
ARRAYS = [
    Row(f"_sample_{name}", [(3, 4)] * len(numbers), {"shape": (2,)}, ENDS.get(name, (above_zero,)))
    for name, numbers in DISTRIBUTIONS.items()
]
OTHERS = [
    Row("_random_randint", [], {"low": 0, "high": 100, "shape": (3, 4)}),
    Row("_sample_multinomial", [(3, 4)], {"shape": (5,)}, (probabilities,)),
    Row("_shuffle", [(6, 2)], {}, (normal,)),
]

ROWS = [*NUMBERS, *LIKE, *ARRAYS, *OTHERS]

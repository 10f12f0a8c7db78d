"""Which distribution provides an operator, a layer or another thing that is not installed.

Read only for "not found" errors, since metadata cannot tell what is *not* installed. First-party
ones stand here, and a test compares them with what the plugins declare; others come from the index
of a catalogue (``opforge catalogue build``) that `OPFORGE_CATALOGUE` names.
"""

from ...base import config
from .kinds import KINDS
from .naming import is_distribution_name

__all__ = ["FIRST_PARTY", "providers"]

_OPERATORS = {
    "opforge-sigmoid": ("sigmoid", "relu", "softrelu", "softsign", "Activation"),
    "opforge-dense": ("dense",),
    "opforge-softmax": ("softmax", "log_softmax", "softmin", "SoftmaxOutput", "Softmax"),
    "opforge-tile": ("tile", "repeat"),
    "opforge-normalization": (
        "LayerNorm",
        "BatchNorm",
        "InstanceNorm",
        "min_max_norm",
        "center",
    ),
    "opforge-dropout": ("Dropout",),
    "opforge-regression": (
        "LinearRegressionOutput",
        "LogisticRegressionOutput",
        "MAERegressionOutput",
        "MakeLoss",
    ),
    "opforge-rectifier": ("LeakyReLU",),
    "opforge-convolution": (
        "Convolution",
        "Convolution_v1",
        "Deconvolution",
        "im2col",
        "col2im",
    ),
}

_LAYERS = {
    "opforge-sigmoid": ("Activation",),
    "opforge-dense": ("Dense",),
    "opforge-normalization": (
        "MinMaxNormalization",
        "Centering",
        "LayerNorm",
        "BatchNorm",
        "InstanceNorm",
    ),
    "opforge-dropout": ("Dropout",),
    "opforge-rectifier": ("LeakyReLU", "PReLU", "ELU", "SELU", "GELU", "Swish"),
    "opforge-convolution": (
        "Conv1D",
        "Conv2D",
        "Conv3D",
        "Conv1DTranspose",
        "Conv2DTranspose",
        "Conv3DTranspose",
    ),
}

#: Noun -> name -> distribution of this repository.
FIRST_PARTY: dict[str, dict[str, str]] = {
    noun: {name: distribution for distribution, names in table.items() for name in names}
    for noun, table in {"operator": _OPERATORS, "layer": _LAYERS}.items()
}


def providers(noun: str) -> tuple[dict[str, str], str]:
    """Return name -> distribution of what may be installed, and what is wrong with the index.

    Parameters
    ----------
    noun : str
        Of `op.registry.kinds`, or "custom operator", which is looked for among operators.

    Examples
    --------
    >>> providers("operator")[0]["softmax"]
    'opforge-softmax'
    """
    kind = KINDS.get(noun, KINDS["operator"])
    first_party = FIRST_PARTY.get(kind.noun, {})
    path = config.get("OPFORGE_CATALOGUE")
    if not path:
        return first_party, ""
    import json

    try:
        with open(path, encoding="utf-8") as file:
            table = json.load(file).get(kind.plural, {})
        indexed = {str(name): _distribution(rows) for name, rows in table.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        problem = f"OPFORGE_CATALOGUE={path} cannot be read ({type(error).__name__}: {error})"
        return first_party, problem
    return {**{name: text for name, text in indexed.items() if text}, **first_party}, ""


def _distribution(rows: list[dict[str, str]]) -> str:
    """Return the first distribution of a row that may stand in a line for pip."""
    names = sorted(str(row["distribution"]) for row in rows)
    return next((name for name in names if is_distribution_name(name)), "")

"""A result that is written over an input equals the result in separate memory."""

import pytest

from . import native
from .processes import report
from .values import ArrayValue

#: Kernels with several results: memory that two of them share holds what was written last.
SEVERAL = {"batch_norm_grad", "layer_norm", "layer_norm_grad", "moments", "softmax_cross_entropy"}
#: Kernels that draw numbers: two calls differ.
RANDOM = {"bernoulli", "exponential", "gamma", "normal", "permutation", "poisson", "randint"}
RANDOM |= {"shuffle", "uniform"}
#: Kernels without a separate result.
WITHOUT = {"slice_assign", "fill", "seed", "update_weights", "csr_transpose", "look_up_bytes"}
#: Kernels that reject a result over an input; tests/unit/native/calls tests that.
WITHOUT |= {"csr_dot"}


def aliased_calls(name, sound):
    """Return calls whose result overlaps one of the inputs of the same type."""
    given = [value for key, value in sound.items() if isinstance(key, int) or key == "out"]
    options = {key: value for key, value in sound.items() if isinstance(key, str) and key != "out"}
    arrays = [i for i, value in enumerate(given) if isinstance(value, ArrayValue)]
    goes = arrays[-1] if arrays else 0
    for place in arrays[:-1]:
        if given[place].dtype != given[goes].dtype:
            continue
        for shift in (0, 1, 3):
            for request in ("'write'", "'add'"):
                words = [request if value == "'write'" else str(value) for value in given]
                named = {**options} if request in words else {**options, "req": request}
                text = "".join(f", {key}={value}" for key, value in named.items())
                listed = f"[{', '.join(words)}], {goes}, {place}, {shift}"
                yield {
                    "setup": ["from opforge.native import calls"],
                    "call": f"same_when_aliased({name}, {listed}{text})",
                    "bare": False,
                }


KERNELS = [
    entry
    for entry in native.kernels()
    if entry.name.removeprefix("calls.") not in RANDOM | SEVERAL | set(WITHOUT)
]


@pytest.mark.parametrize("entry", KERNELS, ids=lambda entry: entry.name)
def test_results_over_inputs(worker, entry):
    calls = [call for sound in entry.sound for call in aliased_calls(entry.name, sound)]
    found = worker.findings(calls)
    assert not found, report(found)

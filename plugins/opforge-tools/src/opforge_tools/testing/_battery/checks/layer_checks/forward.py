"""Check that predictions are deterministic and leave parameters unchanged."""

from typing import Any

import numpy as np

from ...subjects.layer_subject import LayerSubject

__all__ = ["check_forward", "same_arrays"]


def check_forward(subject: LayerSubject) -> int:
    """Run a prediction twice; results must be equal and parameters unchanged."""
    for sample in subject.samples:
        layer = subject.make(sample)
        before = _values(layer)
        first = subject.predict(layer, sample)
        same_arrays(subject.predict(layer, sample), first, f"{sample}: called again, output")
        changed = [key for key, old in _values(layer).items() if not _same(old, before[key])]
        if changed:
            raise AssertionError(
                f"{sample}: a prediction changed the parameters {', '.join(changed)}"
            )
    return len(subject.samples)


def same_arrays(have: Any, want: Any, what: str, rtol: float = 0.0) -> None:
    """Raise AssertionError unless two lists or dictionaries of arrays are equal."""
    if isinstance(have, list):
        have, want = dict(enumerate(have)), dict(enumerate(want))
    if have.keys() != want.keys():
        raise AssertionError(f"{what}: {[*have]}, expected {[*want]}")
    for key, value in have.items():
        np.testing.assert_allclose(
            value, want[key], rtol=rtol, atol=rtol, err_msg=f"{what} {key} differs"
        )


def _values(layer: Any) -> dict[str, Any]:
    return {key: item._reduce().asnumpy() for key, item in layer.collect_params().items()}


def _same(a: Any, b: Any) -> bool:
    return np.array_equal(a, b, equal_nan=True)

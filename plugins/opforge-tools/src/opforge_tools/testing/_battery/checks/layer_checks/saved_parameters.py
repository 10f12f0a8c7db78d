"""Check that parameters can be saved and loaded into another layer."""

import tempfile
from pathlib import Path
from typing import Any

from ...subjects.layer_subject import LayerSubject
from .forward import same_arrays

__all__ = ["check_saved_parameters", "copied_parameters"]


def check_saved_parameters(subject: LayerSubject) -> int:
    """Save the parameters of one layer and load them into a new one with deferred shapes."""
    for sample in subject.samples:
        first = subject.make(sample)
        second = subject.new(sample)
        copied_parameters(first, second)
        have, want = subject.predict(second, sample), subject.predict(first, sample)
        same_arrays(have, want, f"{sample}, loaded from a file: output")
    return len(subject.samples)


def copied_parameters(source: Any, target: Any) -> None:
    """Copy all parameters through a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "layer.params")
        source.save_parameters(path)
        target.load_parameters(path)

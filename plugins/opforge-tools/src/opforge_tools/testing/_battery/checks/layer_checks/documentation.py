"""Checks of a layer's docstring, its examples, and its repr."""

from ...subjects.layer_subject import LayerSubject
from ..examples import run_examples

__all__ = ["check_documentation", "check_examples", "check_repr"]


def check_documentation(subject: LayerSubject) -> int:
    """Check that the class defines its own docstring."""
    layer_class = subject.layer_class
    name = f"{layer_class.__module__}.{layer_class.__qualname__}"
    text = (layer_class.__dict__.get("__doc__") or "").strip()
    if not text:
        raise AssertionError(f"{name} has no docstring; its first line is shown by `opforge ops`")
    return 1


def check_examples(subject: LayerSubject) -> int:
    """Run the examples of the docstring."""
    return run_examples(subject.layer_class)


def check_repr(subject: LayerSubject) -> int:
    """Check that ``repr`` works before and after parameters have values, and names the class."""
    for sample in subject.samples:
        for layer in (subject.new(sample), subject.make(sample)):
            text = repr(layer)
            if not text.startswith(subject.layer_class.__name__):
                raise AssertionError(
                    f"{sample}: repr is {text!r}, expected it to start with the name of the class"
                )
    return len(subject.samples)

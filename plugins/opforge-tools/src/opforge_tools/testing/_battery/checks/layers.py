"""`check_layer`: the battery for one layer class."""

import inspect
from collections.abc import Mapping
from typing import Any

import numpy as np

from opforge.gluon import Block
from opforge.op.registry import registry
from opforge.op.registry.entry import Entry

from ..report.report import Report
from ..subjects.declared import author_options
from ..subjects.generation import REFUSALS
from ..subjects.layer_subject import LayerSubject
from ..subjects.sample import LayerSample, layer_samples_of
from .check import Check
from .layer_checks import LAYER_CHECKS
from .running import run_checks, selected

__all__ = ["check_layer"]

#: Number of checks that must run for a pass if all are selected.
MINIMUM = 4

_SHAPES = ((4, 3), (2, 3, 4), (2, 3, 5, 5), (4,))
_MADE = 2


def check_layer(
    layer: Any,
    *,
    samples: Any = None,
    expected_failures: Mapping[str, str] | None = None,
    minimum: int | None = None,
    only: str | None = None,
    seed: int = 0,
    raises: bool = True,
) -> Report:
    """Run the conformance battery on a layer.

    Arguments that are not given are taken from ``LAYER_CHECKS`` in the plugin's module
    ``checks``.

    Parameters
    ----------
    layer : str or type
        Registered name, or the class, which need not be registered.
    samples : sequence or callable, optional
        Each a `LayerSample`, a dictionary of its fields, or a list of inputs; or a function that
        returns them, called with a generator of random numbers. None: the layer is created
        without arguments and gets small arrays.
    expected_failures, minimum, only, seed, raises
        As in `check_op`; the usual minimum is 4.

    Returns
    -------
    Report

    Raises
    ------
    CheckFailedError
        A check failed or too few ran; the message has the table of all.

    Examples
    --------
    >>> from opforge import gluon
    >>> check_layer(gluon.loss.L2Loss, samples=[[(4, 3), (4, 3)]]).ran
    6
    """
    entry = _entry(layer)
    given = {"samples": samples, "expected_failures": expected_failures, "minimum": minimum}
    options = author_options(entry, "LAYER_CHECKS", given)
    expected = options.get("expected_failures", {})
    checks = selected(LAYER_CHECKS, entry.name, only, expected)
    subject = LayerSubject(entry, [], seed)

    def give_samples(subject: LayerSubject) -> int:
        rng = np.random.default_rng(seed)
        own = options.get("samples")
        subject.samples = (
            _generate_samples(subject, rng) if own is None else layer_samples_of(own, rng)
        )
        return len(subject.samples)

    outcomes = run_checks([Check("samples", give_samples)], subject, {})
    if outcomes[0].status != "failed":
        outcomes = run_checks(checks, subject, expected)
    minimum = options.get("minimum", MINIMUM if only is None else 1)
    report = Report(entry.name, "layer", entry.provider_text, outcomes, minimum)
    if raises:
        report.raise_for_failures()
    return report


def _entry(layer: Any) -> Entry:
    if isinstance(layer, str):
        return registry.lookup_layer(layer)
    if not isinstance(layer, type) or not issubclass(layer, Block):
        raise TypeError(
            f"check_layer got {layer!r}, expected the name of a layer or a class derived from Block"
        )
    entries = registry.LAYERS.entries()
    known = next((entry for entry in entries if entry.prop_class is layer), None)
    return known or Entry(layer.__name__, layer)


def _generate_samples(subject: LayerSubject, rng: Any) -> list[LayerSample]:
    """Return samples of a layer without arguments, of shapes that it accepts."""
    required = [
        parameter.name
        for parameter in inspect.signature(subject.layer_class).parameters.values()
        if parameter.default is parameter.empty
        and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]
    advice = "Pass samples=, or add them to LAYER_CHECKS in the plugin's checks.py"
    if required:
        raise ValueError(f"the layer's constructor needs {', '.join(required)}. {advice}")
    found: list[LayerSample] = []
    said = ""
    for shape in _SHAPES:
        sample = LayerSample([shape]).drawn(rng)
        try:
            subject.predict(subject.make(sample), sample)
        except REFUSALS as error:
            said = f"; last error: {error}"
            continue
        found.append(sample)
        if len(found) == _MADE:
            break
    if not found:
        raise ValueError(f"the layer rejects every array that was tried{said}. {advice}")
    return found

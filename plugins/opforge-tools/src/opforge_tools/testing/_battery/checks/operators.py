"""`check_op`: the battery for one operator."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from opforge.op.abi import NativeOperator
from opforge.op.declaring.custom import CustomOpProp
from opforge.op.declaring.declaration import OperatorProp
from opforge.op.registry import registry
from opforge.op.registry.entry import Entry
from opforge.op.registry.naming import normalize

from ..report.outcome import Outcome
from ..report.report import Report
from ..subjects.declared import author_options
from ..subjects.generation import generated_samples
from ..subjects.sample import samples_of, what_was_tried
from ..subjects.subject import OperatorSubject
from .check import Check
from .child import Say, run_in_child
from .measuring import measured
from .operator_checks import OPERATOR_CHECKS
from .running import run_checks, selected

__all__ = ["MINIMUM", "TOLERANCES", "check_op", "measure_op"]

#: Number of checks that must run for a pass if all are selected.
MINIMUM = 8
#: Accepted relative error of each dtype.
TOLERANCES: Mapping[str, float] = {"float16": 1e-2, "float32": 1e-5, "float64": 1e-10}


def check_op(
    operator: Any,
    *,
    samples: Any = None,
    reference: Callable[..., Any] | None = None,
    loss: Callable[..., Any] | None = None,
    tolerances: Mapping[str, float] | None = None,
    dtypes: Iterable[str] | None = None,
    states_in_backward: bool | None = None,
    expected_failures: Mapping[str, str] | None = None,
    minimum: int | None = None,
    only: str | None = None,
    seed: int = 0,
    stress: int = 1,
    raises: bool = True,
) -> Report:
    """Run the conformance battery on an operator.

    Arguments that are not given are taken from ``OPERATOR_CHECKS`` in the plugin's module
    ``checks``. Samples that are missing there too are generated from the declaration.

    Parameters
    ----------
    operator : str or type
        Registered name, also ``distribution::name``, or a declaration class, which need not be
        registered.
    samples : sequence or callable, optional
        Calls to try: each a `Sample`, a dictionary of its fields, or a list of inputs; or a
        function that returns them, called with a generator of random numbers.
    reference : callable, optional
        Maps float64 arrays and the attributes to an array or a tuple, one for each visible output,
        and optionally the auxiliary states after training; None: the operator itself in float64.
    loss : callable, optional
        For an operator with ``need_top_grad = False``: maps float64 arrays and the attributes to
        the loss that it differentiates, a number or an array to sum.
    tolerances : mapping of str to float, optional
        Accepted relative errors by dtype; others keep their default.
    dtypes : iterable of str, optional
        Dtypes to compare with the reference; None: float32 and float64, and float16 if the
        operator accepts it.
    states_in_backward : bool, optional
        Whether backward updates auxiliary states, as BatchNorm's does; None: it must not.
    expected_failures : mapping of str to str, optional
        Name of a check -> reason why it fails. A listed check that passes is a failure.
    minimum : int, optional
        Number of checks that must run; None: 8, or 1 with `only`.
    only : str, optional
        Regular expression that ``operator/check`` must match, for instance ``"gradients"``.
    seed : int, default 0
    stress : int, default 1
        Factor of the number of repeated calls that search for leaks and races; 10 or more also
        use more threads.
    raises : bool, default True
        Whether to raise if the report is not a pass.

    Returns
    -------
    Report

    Raises
    ------
    CheckFailedError
        A check failed or too few ran; the message has the table of all. It is an AssertionError.
    ValueError
        An expected failure has an unknown name or no reason, or `only` is not a valid pattern.

    Examples
    --------
    >>> import numpy as np
    >>> report = check_op("tanh", reference=np.tanh, samples=[[(2, 3)], [(0,)]])
    >>> report.passed, report.ran >= 8
    (True, True)
    """
    with _registered_entry(operator) as entry:
        given = {
            "samples": samples,
            "reference": reference,
            "loss": loss,
            "tolerances": tolerances,
            "dtypes": dtypes,
            "states_in_backward": states_in_backward,
            "expected_failures": expected_failures,
            "minimum": minimum,
        }
        options = author_options(entry, "OPERATOR_CHECKS", given)
        with warnings.catch_warnings():
            # Deprecation warnings are for users of the operator.
            warnings.simplefilter("ignore", FutureWarning)
            report = _report_operator(_subject(entry, options, seed, stress), options, only)
    if raises:
        report.raise_for_failures()
    return report


def measure_op(operator: str) -> Mapping[str, float]:
    """Return the speed of an operator, as reported by `check_op`, without checking it."""
    entry = registry.lookup_custom(operator)
    options = author_options(entry, "OPERATOR_CHECKS", dict.fromkeys(_OPTIONS))
    subject = _subject(entry, options)
    _giving_samples(options)(subject)
    return measured(subject)


#: Checks of operators that change their inputs, or whose inputs samples cannot describe.
_CHECKS_WITHOUT_CALLS = ("documentation", "examples")
#: Options that authors may set for their operators; see `check_op`.
_OPTIONS = (
    "samples",
    "reference",
    "loss",
    "tolerances",
    "dtypes",
    "states_in_backward",
    "expected_failures",
    "minimum",
)


def _subject(
    entry: Entry, options: dict[str, Any], seed: int = 0, stress: int = 1
) -> OperatorSubject:
    return OperatorSubject(
        entry,
        [],
        options.get("reference"),
        {**TOLERANCES, **options.get("tolerances", {})},
        tuple(options.get("dtypes", ("float32", "float64"))),
        seed,
        options.get("loss"),
        bool(options.get("states_in_backward")),
        with_half="dtypes" not in options,
        stress=stress,
    )


def _report_operator(subject: OperatorSubject, options: dict[str, Any], only: str | None) -> Report:
    """Return the report; C functions run in a child process, because they may crash."""
    entry = subject.entry
    if not issubclass(entry.prop_class, NativeOperator):
        return _report(subject, options, only)
    ended = run_in_child(lambda say: _report(subject, options, only, say))
    if not ended.fate:
        report: Report = ended.value
        return report
    outcomes = [what for what in ended.said if isinstance(what, Outcome)]
    running = next((what for what in reversed(ended.said) if isinstance(what, str)), "samples")
    outcomes.append(Outcome(running, "failed", message=f"a C function {ended.fate}"))
    return Report(_reported_name(entry), "operator", entry.provider_text, tuple(outcomes))


def _report(
    subject: OperatorSubject,
    options: dict[str, Any],
    only: str | None,
    say: Say = lambda what: None,
) -> Report:
    entry = subject.entry
    expected = options.get("expected_failures", {})
    name = _reported_name(entry)
    checks = selected(OPERATOR_CHECKS, name, only, expected)
    minimum = options.get("minimum", MINIMUM if only is None else 1)

    def report(outcomes: tuple[Outcome, ...], figures: Mapping[str, float]) -> Report:
        return Report(name, "operator", entry.provider_text, outcomes, minimum, figures)

    if not _is_callable_with_samples(entry.prop_class, options):
        texts = [check for check in checks if check.name in _CHECKS_WITHOUT_CALLS]
        minimum = min(minimum, len(texts))
        return report(run_checks(texts, subject, expected, say), {})
    made = run_checks([Check("samples", _giving_samples(options))], subject, {}, say)
    # Without samples no other check can run.
    if made[0].status == "failed":
        return report(made, {})
    outcomes = run_checks(checks, subject, expected, say)
    if only is not None:
        return report(outcomes, {})
    tried = replace(made[0], message=f"tried: {what_was_tried(subject.samples)}")
    return report((tried, *outcomes), measured(subject))


def _is_callable_with_samples(prop_class: Any, options: Mapping[str, Any]) -> bool:
    """Return whether calls with dense arrays can be repeated and compared with each other."""
    if getattr(prop_class, "category", "") == "update":
        return False  # it changes its inputs
    if options.get("samples") is not None or not issubclass(prop_class, OperatorProp):
        return True
    return prop_class.compute_sparse is None  # generated samples are dense


def _giving_samples(options: Mapping[str, Any]) -> Callable[[OperatorSubject], int]:
    """Return the preliminary check that sets the subject's samples."""

    def give(subject: OperatorSubject) -> int:
        rng = np.random.default_rng(subject.seed)
        own = options.get("samples")
        subject.samples = generated_samples(subject, rng) if own is None else samples_of(own, rng)
        return len(subject.samples)

    return give


def _reported_name(entry: Entry) -> str:
    """Return an operator's name, with its version if its provider has a newer one."""
    newest = registry.OPERATORS.providers(entry.name).get(normalize(entry.provider), entry)
    older = newest.operator_version > entry.operator_version
    return f"{entry.name}@{entry.operator_version}" if older else entry.name


@contextmanager
def _registered_entry(operator: Any) -> Iterator[Entry]:
    """Yield the registry entry of an operator; register a class temporarily if needed."""
    if isinstance(operator, str):
        yield registry.lookup_custom(operator)
        return
    if not isinstance(operator, type) or not issubclass(operator, CustomOpProp):
        raise TypeError(
            f"check_op got {operator!r}, expected the name of an operator or a class derived from "
            "OperatorProp or CustomOpProp"
        )
    entry = next((e for e in registry.OPERATORS.entries() if e.prop_class is operator), None)
    if entry is not None:
        yield entry
        return
    name = getattr(operator, "name", "") or operator.__name__
    with registry.temporary():
        yield registry.register_custom(name, operator)

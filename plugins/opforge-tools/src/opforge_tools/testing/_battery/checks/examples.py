"""Execution of the examples in docstrings."""

import doctest
import sys
from pathlib import Path

from .check import NotApplicable

__all__ = ["run_examples"]


def run_examples(documented: type) -> int:
    """Run the examples in the docstring of a class.

    Parameters
    ----------
    documented : type
        A declaration or a layer.

    Returns
    -------
    int
        Number of examples.

    Raises
    ------
    AssertionError
        An example has a different result; the message has file and line.
    NotApplicable
    The docstring has no examples.
    """
    module = sys.modules.get(documented.__module__)
    names = dict(vars(module)) if module is not None else {}
    finder = doctest.DocTestFinder(recurse=False)
    found = [test for test in finder.find(documented, globs=names) if test.examples]
    if not found:
        raise NotApplicable("the docstring has no examples")
    for test in found:
        _run(test)
    return sum(len(test.examples) for test in found)


def _run(test: doctest.DocTest) -> None:
    """Run the examples of one docstring up to the first failure."""
    runner = doctest.DebugRunner(verbose=False)
    try:
        runner.run(test, out=lambda text: None, clear_globs=False)
    except doctest.DocTestFailure as failure:
        raise AssertionError(
            f"{_location(failure.test, failure.example)}: {failure.example.source.strip()!r} gives "
            f"{failure.got.strip()!r}; the docstring has {failure.example.want.strip()!r}"
        ) from None
    except doctest.UnexpectedException as failure:
        error = failure.exc_info[1]
        raise AssertionError(
            f"{_location(failure.test, failure.example)}: {failure.example.source.strip()!r} "
            f"raises {type(error).__qualname__}: {error}"
        ) from error


def _location(test: doctest.DocTest, example: doctest.Example) -> str:
    """Return the file and line of an example, if known."""
    if test.filename is None or test.lineno is None:
        return test.name
    return f"{Path(test.filename)}:{test.lineno + example.lineno + 1}"

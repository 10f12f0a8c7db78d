from pathlib import Path

import pytest
from opforge_tools.testing._battery.checks.check import NotApplicable
from opforge_tools.testing._battery.checks.examples import run_examples


class Right:
    """Say what is so.

    >>> 1 + 1
    2
    >>> print("names of the module:", pytest.__name__)
    names of the module: pytest
    """


class Wrong:
    """Say what is not so.

    Examples
    --------
    >>> 1 + 1
    2
    >>> 1 + 2
    4
    """


class Raises:
    """Say what cannot be computed.

    >>> [][0]
    1
    """


class Silent:
    """Say nothing."""


def test_examples_that_are_true():
    assert run_examples(Right) == 2


@pytest.mark.parametrize(
    ("documented", "text"),
    [(Wrong, "'1 + 2' gives '3'; the docstring has '4'"), (Raises, "raises IndexError: ")],
)
def test_others_are_named_with_file_and_line(documented, text):
    with pytest.raises(AssertionError) as raised:
        run_examples(documented)
    place, _, said = str(raised.value).partition(": ")
    assert text in said
    file, _, line = place.rpartition(":")
    lines = Path(file).read_text(encoding="utf-8").splitlines()
    assert ">>> " in lines[int(line) - 1] and said.split("'")[1] in lines[int(line) - 1]


def test_where_there_are_none():
    with pytest.raises(NotApplicable, match="no examples"):
        run_examples(Silent)

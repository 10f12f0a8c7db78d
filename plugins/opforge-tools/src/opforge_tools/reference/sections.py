"""Sections of NumPy-style docstrings, for pages and the catalogue."""

import re

from opforge.cli.printing.formulas import formula_text

__all__ = ["formulas_as_code", "parameter_rows"]

_FORMULA = re.compile(r"^\.\. math::\s*(.+?)(?=\n\s*\n|\Z)", re.MULTILINE | re.DOTALL)


def parameter_rows(section: str) -> list[tuple[str, str, str]]:
    r"""Return name, type and text of each parameter of a section.

    Examples
    --------
    >>> parameter_rows("Parameters\n----------\nunits : int\n    How many\n    of them.")
    [('units', 'int', 'How many of them.')]
    """
    rows: list[tuple[str, str, str]] = []
    for line in section.splitlines()[2:]:
        if line and not line[0].isspace():
            name, _, kind = line.partition(" : ")
            rows.append((name, kind, ""))
        elif rows and line.strip():
            name, kind, text = rows[-1]
            rows[-1] = (name, kind, f"{text} {line.strip()}".strip())
    return rows


def formulas_as_code(text: str) -> str:
    r"""Return a docstring with formulas as plain text between backticks.

    Examples
    --------
    >>> formulas_as_code("The root.\n\n.. math:: y = \sqrt{x}\n\nTwice.")
    'The root.\n\n`y = sqrt(x)`\n\nTwice.'
    """
    return _FORMULA.sub(lambda found: f"`{' '.join(formula_text(found[1]).split())}`", text)

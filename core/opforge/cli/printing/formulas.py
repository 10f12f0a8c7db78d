"""Conversion of LaTeX formulas in docstrings to plain text for terminals."""

import re

__all__ = ["formula_text", "formulas_as_text"]

_FORMULA = re.compile(r"^\.\. math::\s*(.+?)(?=\n\s*\n|\Z)", re.MULTILINE | re.DOTALL)
_SYMBOLS = {
    **{name: name for name in ("exp", "log", "max", "min", "tanh", "sin", "cos")},
    **{"cdot": "*", "times": "*", "odot": "*", "le": "<=", "ge": ">=", "ne": "!=", "sum": "sum"},
    **{"leftarrow": "<-", "ldots": "...", "dots": "...", "top": "T", "infty": "inf", "in": "in"},
    **{"left": "", "right": "", "lfloor": "floor(", "rfloor": ")", "partial": "d", "prod": "prod"},
    **{"qquad": "  ", "quad": " ", "text": "", "mathrm": "", "operatorname": "", "mathbf": ""},
}
_GROUP = r"\{((?:[^{}]|\{[^{}]*\})*)\}"


def formula_text(formula: str) -> str:
    r"""Return a LaTeX formula as plain text; unknown commands are replaced by their names.

    Examples
    --------
    >>> formula_text(r"y = \frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}}")
    'y = (x - mu) / (sqrt(sigma^2 + epsilon))'
    >>> formula_text(r"y_i = \sum_{k} w_{i, k} \, x_k")
    'y_i = sum_k w_(i, k) x_k'
    """
    text = re.sub(r"\\(?:begin|end)\{\w+\}", "", formula)
    text = re.sub(r"\\[,;!: ]", " ", text).replace("&", "").replace(r"\\", "\n")
    previous = None
    while previous != text:  # from the innermost group outwards
        previous = text
        text = re.sub(rf"\\frac{_GROUP}{_GROUP}", r"(\1) / (\2)", text)
        text = re.sub(rf"\\sqrt{_GROUP}", r"sqrt(\1)", text)
        text = re.sub(r"\\(?:mathrm|text|operatorname|mathbf)\{([^{}]*)\}", r"\1", text)
        text = re.sub(r"([_^])\{(\w)\}", r"\1\2", text)
        text = re.sub(r"([_^])\{([^{}]*)\}", r"\1(\2)", text)
    text = re.sub(r"\\([a-zA-Z]+)", lambda found: _SYMBOLS.get(found[1], found[1]), text)
    text = re.sub(r"\\([{}])", r"\1", text)
    lines = (re.sub(r"(?<=\S) {2,}", "  ", line).strip() for line in text.split("\n"))
    return "\n".join(re.sub(r"(?<=\S)  (?=\S)", " ", line) for line in lines if line)


def formulas_as_text(description: str) -> str:
    r"""Return a docstring with its formulas as indented plain text.

    Examples
    --------
    >>> formulas_as_text("The root.\n\n.. math:: y = \\sqrt{x}\n\nTwice.")
    'The root.\n\n    y = sqrt(x)\n\nTwice.'
    """

    def shown(found: re.Match[str]) -> str:
        return "\n".join(f"    {line}" for line in formula_text(found[1]).split("\n"))

    return _FORMULA.sub(shown, description)

"""Formulas as plain text."""

import inspect
import re

import pytest

from opforge.cli.printing.formulas import formula_text, formulas_as_text
from opforge.op.registry.registry import OPERATORS


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (r"y = x W^\top + b", "y = x W^T + b"),
        (r"y = \frac{1}{1 + e^{-x}}", "y = (1) / (1 + e^(-x))"),
        (
            r"y_i = \frac{e^{x_i / t}}{\sum_j e^{x_j / t}}",
            "y_i = (e^(x_i / t)) / (sum_j e^(x_j / t))",
        ),
        (r"w \leftarrow w - \eta \, (g + \lambda w)", "w <- w - eta (g + lambda w)"),
        (r"\mathrm{d}x = \mathrm{sign}(x)", "dx = sign(x)"),
        ("\\begin{aligned}\na &= b \\\\\nc &= d\n\\end{aligned}", "a = b\nc = d"),
    ],
)
def test_formulas(formula, text):
    assert formula_text(formula) == text


def test_no_formula_of_an_operator_keeps_a_command():
    import opforge.symbol  # noqa: F401 - registers the primitive operators

    described = [inspect.getdoc(entry.prop_class) or "" for entry in OPERATORS.entries()]
    formulas = [text for text in described if ".. math::" in text]
    assert formulas
    for text in formulas:
        shown = formulas_as_text(text)
        assert ".. math::" not in shown and not re.search(r"\\[a-zA-Z]", shown), shown

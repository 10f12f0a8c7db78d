"""Formulas as MathML, which browsers show by themselves: pages load no script from elsewhere."""

from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml


def show_inline(translator: Any, node: nodes.math) -> None:
    """Add a formula inside of a sentence."""
    translator.body.append(tex2mathml(node.astext()))
    raise nodes.SkipNode


def show_block(translator: Any, node: nodes.math_block) -> None:
    """Add a formula that stands alone."""
    formula = tex2mathml(node.astext(), as_block=True)
    translator.body.append(f'<div class="math">{formula}</div>\n')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    """Register the renderer; ``html_math_renderer = "mathml"`` chooses it."""
    app.add_html_math_renderer("mathml", (show_inline, None), (show_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}

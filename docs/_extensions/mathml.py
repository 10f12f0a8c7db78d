"""Formulas as MathML, which browsers render without scripts from other sites."""

import html
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging


def show_inline(translator: Any, node: nodes.math) -> None:
    """Add an inline formula."""
    translator.body.append(formula_of(node, as_block=False))
    raise nodes.SkipNode


def show_block(translator: Any, node: nodes.math_block) -> None:
    """Add a displayed formula."""
    translator.body.append(f'<div class="formula">{formula_of(node, as_block=True)}</div>\n')
    raise nodes.SkipNode


def formula_of(node: nodes.Element, as_block: bool) -> str:
    """Return a formula as MathML; warn and return its source if it is not valid LaTeX."""
    text = node.astext()
    try:
        return tex2mathml(text, as_block=as_block)
    except MathError as error:
        logging.getLogger(__name__).warning("%s in %r", error, text, location=node)
        return f"<code>{html.escape(text)}</code>"


def setup(app: Any) -> dict[str, bool]:
    """Register the renderer; ``html_math_renderer = "mathml"`` chooses it."""
    app.add_html_math_renderer("mathml", (show_inline, None), (show_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}

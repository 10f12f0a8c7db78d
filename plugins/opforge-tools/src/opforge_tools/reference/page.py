"""The page of the catalogue: its cards through a template of Jinja2.

Texts come from strangers. Whatever reaches the template is escaped there, and what is turned into
markup here escapes each part of it.
"""

import re
from collections.abc import Sequence
from typing import Any

from opforge.base.errors import OpforgeError

from .function_text import split_parameters
from .sections import formulas_as_code

__all__ = ["page_text"]

_CODE = re.compile(r"`+([^`]+)`+")


def page_text(cards: Sequence[Any], packages: Sequence[Any]) -> str:
    """Return the page.

    Parameters
    ----------
    cards : sequence of Card
    packages : sequence of Package

    Raises
    ------
    OpforgeError
        Jinja2 is not installed.
    """
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError:
        raise OpforgeError("the catalogue needs Jinja2: pip install 'opforge[catalogue]'") from None
    environment = Environment(
        loader=PackageLoader(str(__package__), "site"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["marked"] = _marked
    environment.filters["parameters"] = split_parameters
    template = environment.get_template("catalogue.html")
    return template.render(cards=cards, packages=packages) + "\n"


def _marked(text: str) -> Any:
    """Return escaped text whose parts between backticks are code, and so are its formulas."""
    from markupsafe import Markup, escape

    parts = _CODE.split(formulas_as_code(text))
    for at in range(1, len(parts), 2):
        parts[at] = Markup("<code>{}</code>").format(parts[at])
    return Markup("").join(escape(part) for part in parts)

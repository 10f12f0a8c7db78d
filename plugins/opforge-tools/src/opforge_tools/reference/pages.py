"""Reference pages in Markdown (MyST): one for each operator and layer, from their declarations.

No plugin is imported. Text in tables and headings is escaped, so that a declaration cannot change
the page around it; code is kept in code blocks.
"""

import html
import inspect
import re
from collections.abc import Iterable, Sequence
from typing import TypeVar

from opforge.cli.reference.declarations import (
    Layer,
    Operator,
    installed_layers,
    installed_operators,
)
from opforge.op.calling.documentation import split_sections
from opforge.op.declaring.category import MEANINGS
from opforge.op.registry.naming import normalize, public_name

from .function_text import (
    attribute_rows,
    input_rows,
    layer_text,
    operator_text,
    split_parameters,
    without_placeholders,
)
from .sections import parameter_rows

__all__ = ["MARK", "page_texts"]

#: First line of every page, which identifies generated pages of removed operators.
MARK = "<!-- Written by `opforge docs`; do not edit. -->"
_LAST = ("out: NDArray | None = None", "name: str | None = None")
#: Page of operators without a category.
_OTHER = "other"
_T = TypeVar("_T")
_WIDTH = 80  # longest line of code that a page shows without wrapping
#: Sections of a docstring that the page shows as tables.
_REPLACED = {"Parameters", "Attributes", "Returns"}


def page_texts(distributions: Iterable[str] = ()) -> dict[str, str]:
    """Return the pages of installed operators and layers by path.

    Parameters
    ----------
    distributions : iterable of str, optional
        Only these; all by default.

    Examples
    --------
    >>> [path for path in page_texts(["opforge-tile"]) if path.startswith("opforge-tile")]
    ['opforge-tile/operators/repeat.md', 'opforge-tile/operators/tile.md']
    """
    wanted = [normalize(name) for name in distributions]
    operators = [(public_name(op.name), op) for op in installed_operators(wanted)]
    layers = [(layer.name, layer) for layer in installed_layers(wanted)]
    pages: dict[str, str] = {}
    categories: dict[str, list[str]] = {}
    providers: dict[str, list[str]] = {}
    for name, operator in _in_reading_order(operators):
        folder = f"{normalize(operator.entry.provider)}/operators"
        path = _add(pages, folder, name, _operator_page(name, operator))
        categories.setdefault(operator.prop_class.category or _OTHER, []).append(path)
    for name, layer in _in_reading_order(layers):
        path = _add(pages, f"{normalize(layer.provider)}/layers", name, _layer_page(layer))
        providers.setdefault(f"{layer.provider} {layer.version}", []).append(path)
    return {**_group_pages(categories, providers), **pages}


def _group_pages(
    categories: dict[str, list[str]], providers: dict[str, list[str]]
) -> dict[str, str]:
    """Return the index, a page for each category of operators, and one with all layers by package.

    Sidebars show a tree of pages without their headings, so each group has a page.
    """
    pages: dict[str, str] = {}
    meanings = {str(category): text for category, text in MEANINGS.items()}
    for key in sorted(categories, key=lambda key: (key == _OTHER, key)):
        meaning = [f"{meanings[key].capitalize()}.", ""] if key in meanings else []
        lines = [MARK, f"# {_text(key.capitalize())}", "", *meaning]
        lines += _listed(f"../{path}" for path in categories[key])
        pages[f"categories/{key}.md"] = "\n".join(lines)
    index = [MARK, "# Operators and layers", ""]
    if pages:
        index += ["## Operators by category", "", *_listed(pages, depth=2)]
    if providers:
        lines = [MARK, "# Layers", "", "Layers, as `gluon.nn` provides them, by package.", ""]
        for title in sorted(providers):
            lines += [f"## {_text(title)}", "", *_listed(providers[title])]
        pages["layers.md"] = "\n".join(lines)
        index += ["## Layers by package", "", *_listed(["layers.md"], depth=2)]
    return {"index.md": "\n".join(index), **pages}


def _listed(paths: Iterable[str], depth: int = 1) -> list[str]:
    """Return a list of pages as lines of Markdown."""
    names = [path.removesuffix(".md") for path in paths]
    return ["```{toctree}", f":maxdepth: {depth}", "", *names, "```", ""]


def _in_reading_order(named: Iterable[tuple[str, _T]]) -> list[tuple[str, _T]]:
    """Return the entries with a public name, sorted by name."""
    shown = (pair for pair in named if not pair[0].startswith("_"))
    return sorted(shown, key=lambda pair: _reading_order(pair[0]))


def _reading_order(name: str) -> tuple[str, bool]:
    return name.lower(), name != name.lower()


def _add(pages: dict[str, str], folder: str, name: str, text: str) -> str:
    """Add a page and return its path; names that differ only in case get different files."""
    stem = re.sub(r"[^\w.-]", "-", name)
    taken = {path.lower() for path in pages}
    path, count = f"{folder}/{stem}.md", 1
    while path.lower() in taken:
        count += 1
        path = f"{folder}/{stem}-{count}.md"
    pages[path] = text
    return path


def _operator_page(name: str, operator: Operator) -> str:
    prop_class = operator.prop_class
    text, sections = split_sections(operator.text)
    signature = f"nd.{name}{operator_text(operator, 'NDArray', 'NDArray', _LAST)}"
    lines = [MARK, f"# {_text(name)}", ""]
    lines += [*_problem(operator.problem), *_prose(text or "No description."), ""]
    lines += _code(_fold_signature(without_placeholders(signature)))
    lines += _table("Inputs", ("name", "description"), input_rows(prop_class))
    rows = attribute_rows(prop_class)
    lines += _table("Attributes", ("name", "type", "default", "range", "description"), rows)
    lines += _table("Outputs", ("name",), [(name,) for name in prop_class.outputs])
    lines += _other_sections(sections)
    lines += ["## Versions", "", f"Version {prop_class.version} of the operator, provided by "]
    lines[-1] += f"{_text(operator.entry.provider_text)}."
    if prop_class.deprecated_since:
        hint = f"; use {prop_class.replacement}" if prop_class.replacement else ""
        lines += ["", _text(f"Deprecated since {prop_class.deprecated_since}{hint}.")]
    if prop_class.aliases:
        lines += ["", f"Also called {_text(', '.join(prop_class.aliases))}."]
    return "\n".join([*lines, ""])


def _layer_page(layer: Layer) -> str:
    text, sections = split_sections(layer.text)
    lines = [MARK, f"# {_text(layer.name)}", "", *_problem(layer.problem)]
    lines += [
        *_prose(text or "No description."),
        "",
        *_code(_fold_signature(f"gluon.nn.{layer.name}{layer_text(layer)}")),
    ]
    for title, body in sections:
        if title == "Parameters":
            lines += _table("Parameters", ("name", "type", "description"), parameter_rows(body))
    lines += _other_sections(sections)
    lines += [f"Provided by {_text(f'{layer.provider} {layer.version}')}."]
    return "\n".join([*lines, ""])


def _problem(problem: str) -> list[str]:
    if not problem:
        return []
    return [f"Its declaration could not be read: {_text(problem)}", ""]


def _other_sections(sections: Sequence[tuple[str, str]]) -> list[str]:
    lines = []
    for title, body in sections:
        if title not in _REPLACED:
            lines += [f"## {_text(title)}", "", *_prose("\n".join(body.splitlines()[2:])), ""]
    return lines


def _prose(text: str) -> list[str]:
    """Return text as Markdown with examples as code blocks."""
    lines: list[str] = []
    text = re.sub(r"^(\.\. math::)\n\n(?= )", r"\1\n", text, flags=re.MULTILINE)
    for paragraph in re.split(r"\n\s*\n", text.strip("\n")):
        if paragraph.lstrip().startswith(">>>"):
            lines += _code(paragraph, "pycon")
        elif paragraph.startswith(".. math::"):
            formula = inspect.cleandoc(paragraph.removeprefix(".. math::"))
            lines += _code(
                f"\n{formula}", "{math}"
            )  # after an empty line nothing is parsed as an option
        elif paragraph.startswith((".. ", "    ")):  # a directive, or indented as code
            lines += _code(paragraph, "text")
        elif paragraph.strip():
            lines += [*map(_text, paragraph.splitlines()), ""]
    return lines[:-1] if lines else []


def _fold_signature(signature: str) -> str:
    """Return a signature with a parameter on each line, if it is long."""
    parts = split_parameters(signature)
    return signature if len(signature) <= _WIDTH else "\n    ".join(parts)


def _code(text: str, language: str = "python") -> list[str]:
    """Return a code block whose fence cannot occur in `text`."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}{language}", *text.splitlines(), fence, ""]


def _table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    if not rows:
        return []
    shown = [i for i, name in enumerate(columns) if name == "name" or any(r[i] for r in rows)]
    lines = [f"## {title}", "", _row([columns[i] for i in shown]), _row(["---"] * len(shown))]
    lines += [_row([_cell(columns[i], row[i]) for i in shown]) for row in rows]
    return [*lines, ""]


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(column: str, text: str) -> str:
    flat = " ".join(text.split())
    if column in ("description", "") or not flat or "`" in flat:
        return _text(flat).replace("|", "\\|")
    return f"`{flat}`".replace("|", "\\|")


def _text(text: str) -> str:
    """Return text escaped so that it cannot start HTML, a link, a directive or a block."""
    parts = re.split(r"(`+[^`]+`+)", text)
    for at in range(0, len(parts), 2):
        parts[at] = re.sub(r"([\\*_\[\]$`])", r"\\\1", html.escape(parts[at], quote=False))
    # Escape markers of headings, lists, directives and comments.
    parts[0] = re.sub(r"^(\s*)([#~:%+=-])", r"\1\\\2", parts[0])
    return "".join(parts)

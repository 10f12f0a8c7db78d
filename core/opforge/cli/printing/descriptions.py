"""Docstrings for terminals, with wrapped prose and examples that can be pasted."""

import doctest
import textwrap

from ...op.calling.documentation import split_sections
from .formulas import formulas_as_text

__all__ = ["description_text"]


def description_text(description: str, width: int) -> str:
    r"""Return a docstring formatted for the command line.

    Parameters
    ----------
    description : str
    width : int
        Width of prose; indented text and examples are not wrapped.

    Examples
    --------
    >>> print(description_text("Add.\n\nExamples\n--------\n>>> 1 + 1\n2", 80))
    Add.
    <BLANKLINE>

    Examples
    --------
    1 + 1
    # 2
    """
    text, sections = split_sections(formulas_as_text(description))
    blocks = [_paragraphs(text, width)]
    for title, section in sections:
        heading, rule, *rest = section.split("\n")
        body = "\n".join(rest)
        body = _pasteable(body) if title == "Examples" else body
        blocks.append(f"{heading}\n{rule}\n{body}".rstrip())
    return "\n\n".join(blocks)


def _paragraphs(text: str, width: int) -> str:
    shown = []
    for paragraph in text.split("\n\n"):
        lines = paragraph.split("\n")
        is_prose = not any(line[:1] in ("", " ", "-", "*", ">") for line in lines)
        shown.append(_fill_lines(lines, width) if is_prose else paragraph)
    return "\n\n".join(shown)


def _fill_lines(lines: list[str], width: int) -> str:
    return textwrap.fill(" ".join(lines), width, break_long_words=False, break_on_hyphens=False)


def _pasteable(examples: str) -> str:
    """Return examples as code without prompts, and their output as comments."""
    try:
        parts = doctest.DocTestParser().parse(examples)
    except ValueError:  # inconsistent indentation
        return examples
    lines: list[str] = []
    for part in parts:
        if isinstance(part, str):
            text = [f"# {line}".rstrip() for line in part.strip("\n").split("\n") if part.strip()]
            lines += ["", *text, ""] if text else [""] * bool(part)
            continue
        code = part.source.rstrip("\n").split("\n")
        # An interactive prompt needs an empty line after a block.
        is_block = code[0].rstrip().endswith(":") or code[0].startswith("@")
        lines += [*code, ""] if is_block else code
        lines += [f"# {line}" for line in part.want.rstrip("\n").split("\n") if part.want]
    return "\n".join(lines).strip("\n")

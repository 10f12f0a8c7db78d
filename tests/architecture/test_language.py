"""Docstrings, comments and texts read like those of other libraries of this field."""

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ("core/opforge/**/*.py", "plugins/*/src/**/*.py", "scripts/*.py")
CYTHON = ("core/opforge/**/*.p[xy][dx]", "plugins/*/src/**/*.p[xy][dx]")
C = tuple(
    f"{folder}/**/*{suffix}"
    for folder in ("core/opforge", "plugins/*/src")
    for suffix in (".c", ".h", ".cpp", ".hpp")
)


def files(*patterns: str) -> list[Path]:
    return sorted(path for pattern in patterns for path in ROOT.glob(pattern))


SOURCES = files(*PYTHON)
#: Words that open a clause, not a summary: "What is measured" instead of "Benchmark cases".
OPENINGS = re.compile(r"(What|Who|Where|Whether|How|The ones that)\b")
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
LONGEST = 100

#: Words of prose that have a plainer or more usual equivalent, which the message suggests.
WORDS = {
    r"pictures?": "image, chart or figure",
    r"things?": "object, contribution",
    r"rooms?": "package, space",
    r"public face": "public interface",
    r"in (?:the|its|their) place(?: of)?": "instead, instead of",
    r"mend(?:s|ed|ing)?": "fix",
    r"refus(?:e|es|ed|ing)": "reject",
    r"anew": "again",
    r"till": "until",
    r"as a rule": "usually",
    r"whoever|somebody": "the caller, a user",
    r"nobody": "no caller, none",
    r"beside": "next to",
    r"apart from": "except",
    r"(?:and|or) the like": "and similar, or similar",
    r"whole numbers?(?! of)": "integer",
    r"of (?:its|their|one's) own(?! \w)": "own, separate",
    r"of itself": "automatically",
    r"as (?:it is|they are)(?=$|[.,;:)\"])": "unchanged",
    r"told": "requested, configured",
    r"tells? whether": "Return whether",
    r"what is known of": "the known ...",
    r"has not(?= (?:a|an|any|enough|exactly|one|that|the|this|two)\b)": "lacks, does not have",
    r"(?<!if )there is none": "not found, missing",
    r"is no (?:string|integer|number|array|list|tuple|function|class|name)": "is not a ...",
    r"brings?|brought": "provides",
    r"so many": "n",
    r"for want of": "without, because ... is missing",
    r"shall|aright|yonder|whence|wherein|therefrom|thereof": "plain words",
}
UNUSUAL = re.compile(rf"\b(?:{'|'.join(f'({word})' for word in WORDS)})(?!\w)", re.IGNORECASE)
#: Names of benchmark cases, by which stored results refer to them.
EXEMPT = re.compile(r"inference, one picture of \d+x\d+")
#: Comments and literals of Python and Cython, and of C and C++.
PYTHON_PROSE = re.compile(
    r"""#[^\n]*|(?P<quotes>\"{3}|'{3})(?:\\.|.)*?(?P=quotes)|(?P<quote>["'])(?:\\.|[^\\\n])*?(?P=quote)""",
    re.DOTALL,
)
C_PROSE = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'""", re.DOTALL)
#: Names inside prose: quoted code and the expressions of f-strings.
CODE = re.compile(r"`[^`\n]*`|\{[^{}\n]*\}")


def prose(path: Path, source: str) -> Iterator[tuple[int, str]]:
    """Yield position and text of each comment and each string that is more than one word."""
    pattern = PYTHON_PROSE if path.suffix.startswith(".py") or path.suffix == ".pxd" else C_PROSE
    for match in pattern.finditer(source):
        if " " in match[0]:
            yield match.start(), _mask(CODE, _mask(EXEMPT, match[0]))


def _mask(pattern: re.Pattern[str], text: str) -> str:
    return pattern.sub(lambda match: "_" * len(match[0]), text)


def unusual_words(path: Path, source: str) -> list[str]:
    """Return line, word and suggestion for each use of a word of the list."""
    if not UNUSUAL.search(source):
        return []
    suggestions = list(WORDS.values())
    return [
        f"{source.count(chr(10), 0, start + match.start()) + 1}: {match[0]!r}; "
        f"write {suggestions[match.lastindex - 1]}"
        for start, text in prose(path, source)
        for match in UNUSUAL.finditer(text)
    ]


def summaries(source: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the first paragraph of each docstring."""
    for node in ast.walk(ast.parse(source)):
        text = ast.get_docstring(node) if isinstance(node, DOCUMENTED) else None
        if text:
            yield getattr(node, "name", "module"), text.partition("\n\n")[0]


def wrong_openings(source: str) -> list[str]:
    """Return name and first line of each docstring that opens with a clause."""
    return [
        f"{name}: {text.splitlines()[0]}"
        for name, text in summaries(source)
        if OPENINGS.match(text)
    ]


def wrong_summaries(source: str) -> list[str]:
    """Return name and summary of each docstring whose summary is not one line with an end stop."""
    return [
        f"{name}: {text}"
        for name, text in summaries(source)
        if "\n" in text or len(text) > LONGEST or not text.endswith((".", ":", "::"))
    ]


def reported(check: Callable[[str], list[str]]) -> list[str]:
    return [
        f"{path.relative_to(ROOT)}, {finding}"
        for path in SOURCES
        for finding in check(path.read_text(encoding="utf-8"))
    ]


def test_docstrings_open_with_a_summary():
    assert len(SOURCES) > 500
    wrong = reported(wrong_openings)
    assert not wrong, "\n".join(["use an imperative or a noun phrase, 'Return ...':", *wrong])


def test_summaries_are_one_line_with_an_end_stop():
    wrong = reported(wrong_summaries)
    assert not wrong, "\n".join(["shorten to one line that ends with a full stop:", *wrong])


@pytest.mark.parametrize("language", [PYTHON, CYTHON, C], ids=["python", "cython", "c"])
def test_prose_uses_the_usual_words(language):
    paths = files(*language)
    assert len(paths) > 100
    wrong = [
        f"{path.relative_to(ROOT)}:{finding}"
        for path in paths
        for finding in unusual_words(path, path.read_text(encoding="utf-8"))
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("docstring", "is_wrong"),
    [("What is measured.", True), ("Whether it fits.", True), ("Return what fits.", False)],
)
def test_openings(docstring, is_wrong):
    assert bool(wrong_openings(f'def f():\n    """{docstring}"""\n')) is is_wrong


@pytest.mark.parametrize(
    ("docstring", "is_wrong"),
    [
        ("Return it.", False),
        ("Return it", True),
        ("Return\nit.", True),
        ("Return it.\n\nMore", False),
    ],
)
def test_summaries(docstring, is_wrong):
    assert bool(wrong_summaries(f'def f():\n    """{docstring}"""\n')) is is_wrong


@pytest.mark.parametrize(
    ("name", "source", "is_wrong"),
    [
        ("a.py", '"""Draw a picture."""', True),
        ("a.pyx", "cdef int x = 1  # in the place of zero", True),
        ("a.h", "int x; /* a\n * picture */", True),
        ("a.h", "int picture; // an image's rows", False),
        ("a.py", "mend = picture = 1  # names are not prose", False),
        ("a.py", 'f"read {count} pictures"', True),
        ("a.py", 'f"read the {picture}"', False),
        ("a.py", '"inference, one picture of 224x224"', False),
        ("a.py", '"""Draw `picture` in place."""', False),
    ],
)
def test_words(name, source, is_wrong):
    assert bool(unusual_words(Path(name), source + "\n")) is is_wrong

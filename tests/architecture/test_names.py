"""Functions, classes, parameters and modules are named with terms of the field."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PATTERNS = tuple(
    f"{folder}/**/*{suffix}"
    for folder in ("core", "plugins/*/src", "plugins/*/tests", "tests", "scripts")
    for suffix in (".py", ".pyx", ".pxd")
)
#: Past participles that do not end with "ed", except those that are verbs as well.
IRREGULAR = (
    "bound|broken|brought|built|caught|chosen|done|drawn|found|frozen|given|gone|grown|held|"
    "hidden|kept|known|laid|led|left|lent|lost|made|met|paid|said|seen|sent|shown|spent|taken|"
    "told|torn|understood|undone|woven|written"
)
#: Kind of name -> pattern in snake case, and what to write instead.
WORDS = {
    "place": (r"(?:^|_)places?(?:_|$)", "position, index, location or slot"),
    "stand": (r"(?:^|_)stands?(?:_|$)", "is, represents, appears"),
    "nobody": (r"(?:^|_)nobody(?:_|$)", "no caller, unused, unknown"),
    "whoever": (r"(?:^|_)whoever(?:_|$)", "the caller, a user"),
    "somebody": (r"(?:^|_)somebody(?:_|$)", "the caller, a user"),
    "tell": (r"(?:^|_)tells?(?:_|$)", "return, report, determine"),
    "so_many": (r"(?:^|_)so_many(?:_|$)", "n"),
    "as_it_is": (r"(?:^|_)as_it_is(?:_|$)", "unchanged"),
    "is_no": (r"(?:^|_)is_no(?:_|$)", "is_not_a, invalid"),
    "anew": (r"(?:^|_)anew(?:_|$)", "again, re-"),
    "thing": (r"(?:^|_)things?(?:_|$)", "object, value, member"),
    "refuse": (r"(?:^|_)refus(?:e|es|ed|ing|als?)(?:_|$)", "reject, raise"),
    "test_what": (r"^test_(?:what|who)_", "the behavior: test_reshape_rejects_negative_sizes"),
    "participle": (rf"^_(?:[a-z]+ed|{IRREGULAR})$", "a verb or a value: _convert, _shared_rows"),
}
#: Number of names of each kind that are left. Lower a number when names have been changed.
LEFT = {"place": 2, "participle": 26}
#: Terms of the field: "in place", a stand-in for another object, and Python's method of files.
TERMS = re.compile(r"in_?place|stand_in|^tell$")
CYTHON_FUNCTION = re.compile(
    r"^[ \t]*(?:cpdef|cdef|def)\b[^\n=(]*?(?P<name>\w+)[ \t]*\((?P<parameters>[^)\n]*)",
    re.MULTILINE,
)
CYTHON_CLASS = re.compile(r"^[ \t]*(?:cdef[ \t]+)?class[ \t]+(\w+)", re.MULTILINE)
CYTHON_PARAMETER = re.compile(r"(\w+)[ \t]*(?:=[^,]*)?(?:,|$)")


def python_names(source: str) -> Iterator[tuple[str, bool]]:
    """Yield each class, function and parameter, and whether it is a function."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, True
        elif isinstance(node, ast.ClassDef):
            yield node.name, False
        elif isinstance(node, ast.arg):
            yield node.arg, False


def cython_names(source: str) -> Iterator[tuple[str, bool]]:
    """Yield each class, function and parameter on one line, and whether it is a function."""
    for match in CYTHON_FUNCTION.finditer(source):
        yield match["name"], True
        for name in CYTHON_PARAMETER.findall(match["parameters"]):
            yield name, False
    for name in CYTHON_CLASS.findall(source):
        yield name, False


def snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def unusual(names: Iterator[tuple[str, bool]]) -> Iterator[tuple[str, str]]:
    """Yield the kind and the name of each name of a kind that has a number in `LEFT`."""
    for name, is_function in names:
        text = TERMS.sub("", snake_case(name))
        for kind, (pattern, _) in WORDS.items():
            if (is_function or kind != "participle") and re.search(pattern, text):
                yield kind, name


def unusual_names(path: Path) -> Iterator[tuple[str, str]]:
    source = path.read_text(encoding="utf-8")
    names = python_names(source) if path.suffix == ".py" else cython_names(source)
    yield from unusual(iter([(path.stem, False), *names]))


def test_names_are_terms_of_the_field():
    paths = sorted({path for pattern in PATTERNS for path in ROOT.glob(pattern)})
    assert len(paths) > 2000
    found = [
        (kind, f"{path.relative_to(ROOT)}: {name}")
        for path in paths
        for kind, name in unusual_names(path)
    ]
    counts = Counter(kind for kind, _ in found)
    lines = []
    for kind, (_, suggestion) in WORDS.items():
        count, left = counts[kind], LEFT.get(kind, 0)
        if count > left:
            lines += [f"{kind}: {count} names, at most {left}; write {suggestion}:"]
            lines += [f"  {text}" for other, text in found if other == kind]
        elif count < left:
            lines += [f"{kind}: {count} names are left; write {count} instead of {left} in LEFT"]
    assert not lines, "\n".join(lines)


@pytest.mark.parametrize(
    ("source", "kinds"),
    [
        ("def test_what_it_is(): pass", ["test_what"]),
        ("def test_reshape_refuses_lists(): pass", ["refuse"]),
        ("def test_a_list_is_no_number(places): pass", ["is_no", "place"]),
        ("class SoMany: pass", ["so_many"]),
        ("def add_in_place(inplace, placed, stand_in): pass", []),
        ("class File:\n    def tell(self): pass", []),
        ("def _taken(_shown): pass", ["participle"]),
        ("def taken(): pass", []),
        ("def _find_taken(): pass", []),
    ],
)
def test_python(source, kinds):
    assert [kind for kind, _ in unusual(python_names(source))] == kinds


@pytest.mark.parametrize(
    ("source", "kinds"),
    [
        ("cdef int place_of(int at) except -1:", ["place"]),
        ("    cdef list thing = list(places)", []),
        ("cdef class Nobody:", ["nobody"]),
        ("def f(Array anew, int things=3):", ["anew", "thing"]),
        ("cdef void _drawn(float* at) noexcept nogil", ["participle"]),
    ],
)
def test_cython(source, kinds):
    assert sorted(kind for kind, _ in unusual(cython_names(source))) == kinds

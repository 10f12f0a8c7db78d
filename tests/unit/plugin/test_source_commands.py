"""Help of commands, read without importing them."""

import pytest

from opforge.plugin.source_commands import command_help

CASES = {
    "function": ('def run():\n    """Do it.\n\n    At once."""', "Do it."),
    "two lines": ('def run():\n    """Do it\n    at once."""', "Do it at once."),
    "asynchronous": ('async def run():\n    """Do it."""', "Do it."),
    "nothing": ("def run(): pass", ""),
    "help": ('run = typer.Typer(help="Do it.")', "Do it."),
    "annotated": ('run: typer.Typer = typer.Typer(help="Do " "it.")', "Do it."),
    "computed help": ("run = typer.Typer(help=str(3))", ""),
    "callback": (
        'run = Typer()\n@run.callback()\ndef _main():\n    """Do it."""\n'
        '@run.command()\ndef a():\n    """Do a."""',
        "Do it.",
    ),
    "only command": ('run = Typer()\n@run.command("x")\ndef _run():\n    """Do it."""', "Do it."),
    "two commands": (
        'run = Typer()\n@run.command()\ndef a():\n    """Do a."""\n'
        '@run.command()\ndef b():\n    """Do b."""',
        "",
    ),
    "imported": ("from .inner import inside as run", "Inside."),
    "imported from elsewhere": ("from os import getcwd as run", ""),
    "not there": ("other = 3", ""),
    "damaged": ("def run(:", ""),
}


@pytest.mark.parametrize("case", CASES)
def test_first_paragraph(tmp_path, case):
    body, expected = CASES[case]
    package = tmp_path / "acme"
    package.mkdir()
    (package / "__init__.py").write_text(body)
    (package / "inner.py").write_text('def inside():\n    """Inside."""')
    assert command_help("acme:run", (str(tmp_path),)) == expected


def test_modules_that_are_not_there(tmp_path):
    assert command_help("acme_none:run", (str(tmp_path),)) == ""


def test_imports_in_a_circle_end(tmp_path):
    package = tmp_path / "acme"
    package.mkdir()
    (package / "__init__.py").write_text("from .a import run")
    (package / "a.py").write_text("from . import run")
    assert command_help("acme:run", (str(tmp_path),)) == ""

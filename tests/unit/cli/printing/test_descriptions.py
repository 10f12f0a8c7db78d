"""Tests of docstrings on terminals."""

import subprocess
import sys

import pytest

from opforge.cli.printing.descriptions import description_text

#: Neither filled nor changed.
KEPT = """
- a list,
- kept.

Parameters
----------
x : NDArray
    Words that are indented and longer than the width are unchanged.

Examples
--------
"""
TEXT = f"""
Bend the data, which is a sentence of some
length.
{KEPT}Of one number:

>>> from opforge import nd
>>> for n in (1, 2):
...     print(n)
1
2
>>> f"{{n}} and a line that is longer than the width"
'2 and a line that is longer than the width'

>>> (n +
...  1)
3
"""
SHOWN = f"""\
Bend the data, which is a
sentence of some length.
{KEPT}# Of one number:

from opforge import nd
for n in (1, 2):
    print(n)

# 1
# 2
f"{{n}} and a line that is longer than the width"
# '2 and a line that is longer than the width'

(n +
 1)
# 3"""


def test_prose_is_filled_and_examples_can_be_pasted():
    assert description_text(TEXT.strip(), 30) == SHOWN


def test_texts_without_sections_and_damaged_examples():
    assert description_text("no description", 80) == "no description"
    assert description_text("", 80) == ""
    damaged = "Do.\n\nExamples\n--------\n>>> f()\n  >>>g()"
    assert description_text(damaged, 80) == damaged


#: A separate process, which examples may modify. Networks take seconds.
ALL = """
from opforge.cli.printing.descriptions import description_text
from opforge.cli.reference import listing, rows
rows.import_core()
ran = set()
for row in listing.contribution_rows():
    found = [] if row["kind"] == "model" else rows.candidates(row["name"], row["kind"])
    for description in {each["description"] for each in found} - ran:
        shown = description_text(description, 80).partition("Examples\\n--------\\n")[2]
        exec(compile(shown, f"example of {row['name']}", "exec"), {})
        ran.add(description)
print("RAN", len(ran))
"""


@pytest.mark.plugins
def test_every_example_runs_as_printed():
    done = subprocess.run([sys.executable, "-c", ALL], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.rpartition("RAN ")[2]) > 100

"""Check commit messages: a short imperative subject, and a body that gives the reason.

    python scripts/commit_message.py FILE               the message, as Git's commit-msg hook does
    python scripts/commit_message.py --range A..B       the messages of these commits

`pre-commit install` makes it the commit-msg hook.
"""

import re
import subprocess
import sys
from pathlib import Path

__all__ = ["main", "problems"]

LONGEST = 72
#: Messages that Git generates.
_OF_GIT = re.compile(r"(Merge|Revert|fixup!|squash!|amend!) ?")
_OTHER_MOODS = re.compile(
    r"(Add|Fix|Remov|Chang|Updat|Improv|Mov|Renam|Us|Mak)(ed|es|s|ing)\b", re.I
)


def problems(message: str) -> list[str]:
    """Return descriptions of the problems of a message.

    Parameters
    ----------
    message : str
        Lines that begin with ``#`` are comments, as in Git's editor.

    Examples
    --------
    >>> problems("Add einsum")
    ['the body is missing: state the reason for the change']
    """
    lines = [line.rstrip() for line in message.splitlines() if not line.startswith("#")]
    subject, *rest = lines or [""]
    if _OF_GIT.match(subject):
        return []
    found = []
    if not subject:
        return ["the subject is missing"]
    if len(subject) > LONGEST:
        found.append(f"the subject has {len(subject)} characters, expected at most {LONGEST}")
    if not subject[0].isupper():
        found.append("the subject does not begin with a capital letter")
    if subject.endswith("."):
        found.append("the subject ends with a full stop")
    if _OTHER_MOODS.match(subject):
        found.append("the subject is not in the imperative: 'Add', not 'Added' or 'Adds'")
    if rest and rest[0]:
        found.append("the second line is not empty")
    if not any(rest):
        found.append("the body is missing: state the reason for the change")
    return found


def main(arguments: list[str]) -> int:
    """Print all problems; return 1 if there are any, else 0."""
    match arguments:
        case ["--range", commits]:
            messages = _messages(commits)
        case [path]:
            messages = [Path(path).read_text(encoding="utf-8")]
        case _:
            print(__doc__, file=sys.stderr)
            return 2
    wrong = [(message, found) for message in messages if (found := problems(message))]
    for message, found in wrong:
        print(f"{message.splitlines()[0] if message.strip() else '(empty)'}", file=sys.stderr)
        for problem in found:
            print(f"  {problem}", file=sys.stderr)
    return bool(wrong)


def _messages(commits: str) -> list[str]:
    command = ["git", "log", "--no-merges", "-z", "--format=%B", commits]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [message for message in done.stdout.split("\0") if message.strip()]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

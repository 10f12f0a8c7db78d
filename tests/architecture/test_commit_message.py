"""The check of commit messages, and the files for contributors."""

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "commit_message.py"
GOOD = "Add einsum for arrays\n\nPrograms call it as they call NumPy's.\n"


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("commit_message", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    "message",
    [GOOD, f"{GOOD}# a comment\n", "Merge branch 'x'", 'Revert "Add einsum"', "fixup! Add einsum"],
)
def test_good_messages(script, message):
    assert script.problems(message) == []


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("", "the subject is missing"),
        ("# a comment\n", "the subject is missing"),
        ("Add einsum", "the body is missing"),
        ("Add einsum\n\n", "the body is missing"),
        ("Add einsum\nwhy", "second line is not empty"),
        (f"Add {'x' * 69}\n\nwhy", "has 73 characters, expected at most 72"),
        ("add einsum\n\nwhy", "does not begin with a capital letter"),
        ("Add einsum.\n\nwhy", "full stop"),
        ("Added einsum\n\nwhy", "not in the imperative"),
        ("Fixes einsum\n\nwhy", "not in the imperative"),
    ],
)
def test_problems(script, message, words):
    (problem,) = script.problems(message)
    assert words in problem


def test_the_hook_rejects_a_file(tmp_path):
    path = tmp_path / "message"
    for text, code in ((GOOD, 0), ("added einsum.", 1)):
        path.write_text(text)
        done = subprocess.run([sys.executable, SCRIPT, path], capture_output=True, text=True)
        assert done.returncode == code, done.stderr
    assert "added einsum." in done.stderr


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_a_range_of_commits_is_checked(tmp_path):
    def git(*arguments):
        settings = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *settings, *arguments], cwd=tmp_path, check=True)

    git("init", "-q")
    for message in (GOOD, GOOD, "bad"):
        git("commit", "-q", "--allow-empty", "--no-verify", "-m", message)
    for commits, code in (("HEAD~2..HEAD~1", 0), ("HEAD~2..HEAD", 1)):
        done = subprocess.run(
            [sys.executable, SCRIPT, "--range", commits],
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        assert done.returncode == code, done.stderr
    assert "does not begin with a capital letter" in done.stderr


def test_the_workflow_runs_the_contributors_commands():
    text = (ROOT / ".github" / "workflows" / "pull_request.yml").read_text(encoding="utf-8")
    assert "- run: .ci/run\n" in text
    for path in ("SECURITY.md", ".github/CODEOWNERS", ".github/pull_request_template.md"):
        assert (ROOT / path).stat().st_size > 100

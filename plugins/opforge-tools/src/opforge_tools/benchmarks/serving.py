"""Requests to a measured process and its answers, one line of JSON each.

It imports nothing of opforge, so that `peer_worker` runs it where there is none.
"""

import json
import os
import sys
from typing import Any, TextIO

__all__ = ["Desk", "serve", "serve_parent"]


class Desk:
    """Base of what answers: the method ``_name(...)`` does what ``{"do": "name", ...}`` asks.

    Attributes
    ----------
    batches : Batches or None
        The case that is being measured.
    """

    batches: Any = None

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Do what one request asks for; an exception is an answer too."""
        try:
            found: dict[str, Any] = getattr(self, f"_{request.pop('do')}")(**request)
        except Exception as error:
            self.batches = None
            return {"error": str(error) or type(error).__name__, "kind": type(error).__qualname__}
        return found

    def _round(self, seconds: float) -> dict[str, Any]:
        return {"samples": self.batches.round(seconds)}


def serve(desk: Desk, requests: TextIO, answers: TextIO) -> None:
    """Answer requests until there are no more."""
    for line in requests:
        answers.write(json.dumps(desk.answer(json.loads(line))) + "\n")
        answers.flush()


def serve_parent(desk: Desk) -> None:
    """Serve the process that started this one."""
    # What a library prints is no answer.
    with os.fdopen(os.dup(1), "w") as answers:
        os.dup2(2, 1)
        serve(desk, sys.stdin, answers)

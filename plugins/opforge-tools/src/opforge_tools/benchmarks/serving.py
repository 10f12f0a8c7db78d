"""Protocol of the measured processes: one line of JSON per request and per answer.

It must not import opforge, so that `peer_worker` can run without it.
"""

import json
import os
import sys
from typing import Any, TextIO

__all__ = ["Desk", "serve", "serve_parent"]


class Desk:
    """Base of servers: the method ``_name(...)`` handles the request ``{"do": "name", ...}``.

    Attributes
    ----------
    batches : Batches or None
        The current case.
    """

    batches: Any = None

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Handle one request; exceptions are returned as answers."""
        try:
            found: dict[str, Any] = getattr(self, f"_{request.pop('do')}")(**request)
        except Exception as error:
            self.batches = None
            return {"error": str(error) or type(error).__name__, "kind": type(error).__qualname__}
        return found

    def _round(self, seconds: float) -> dict[str, Any]:
        return {"samples": self.batches.round(seconds)}


def serve(desk: Desk, requests: TextIO, answers: TextIO) -> None:
    """Answer requests until the input ends."""
    for line in requests:
        answers.write(json.dumps(desk.answer(json.loads(line))) + "\n")
        answers.flush()


def serve_parent(desk: Desk) -> None:
    """Serve the parent process."""
    # Keep a library's output out of the answers.
    with os.fdopen(os.dup(1), "w") as answers:
        os.dup2(2, 1)
        serve(desk, sys.stdin, answers)

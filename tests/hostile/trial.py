"""Drawing hostile calls and evaluating them."""

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from .calls import hostile
from .processes import report

#: Number of calls sent to the worker in one batch.
BATCH = 8


def try_out(worker, entry, stress, batches):
    """Make hostile calls of `entry`."""
    try_all(worker, hostile(entry), stress, batches)


def try_all(worker, calls, stress, batches):
    """Draw and make `batches` times `stress` batches of calls; fail with all problems.

    Examples are not shrunk: calls have at most three hostile arguments; a try may cost a process.
    """

    @settings(
        max_examples=batches * stress,
        deadline=None,
        database=None,
        derandomize=stress == 1,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
    )
    @given(st.lists(calls, min_size=BATCH, max_size=BATCH))
    def run(batch):
        found = worker.findings(batch)
        assert not found, report(found)

    run()

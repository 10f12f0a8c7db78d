"""Random programs give the same bits under NaiveEngine and with 1, 2 and 8 workers."""

from collections.abc import Iterator

import pytest

from opforge.native.threads import engine

from .programs import Step, random_program, run, shrink

LENGTH = 1000
PROGRAMS = 25  # of LENGTH steps, each run four times: 100,000 operations
WORKERS = (1, 2, 8)
ATTEMPTS = 5  # a race does not show each time


@pytest.fixture(autouse=True)
def _restore_engine() -> Iterator[None]:
    yield
    engine.configure()


def _traces(program: list[Step], n_arrays: int, seed: int) -> Iterator[tuple[int, bool]]:
    """Yield for each number of workers whether the program's trace equals NaiveEngine's."""
    engine.configure(naive=True)
    expected = run(program, n_arrays, seed)
    for workers in WORKERS:
        engine.configure(workers=workers, naive=False)
        yield workers, run(program, n_arrays, seed) == expected


def _report(program: list[Step], n_arrays: int, seed: int, workers: int) -> str:
    def differs(steps: list[Step]) -> bool:
        return any(
            not equal for _ in range(ATTEMPTS) for _, equal in _traces(steps, n_arrays, seed)
        )

    steps = shrink(program, differs) if differs(program) else program
    listing = "\n".join(f"    {step}" for step in steps)
    return (
        f"the program of seed {seed} over {n_arrays} arrays gave another trace with {workers} "
        f"workers than under NaiveEngine; cut down to {len(steps)} steps:\n{listing}"
    )


def test_random_programs_give_the_same_bits_on_any_engine(request: pytest.FixtureRequest) -> None:
    for seed in range(PROGRAMS * request.config.getoption("stress")):
        n_arrays = 2 + seed % 9
        program = random_program(seed, n_arrays, LENGTH)
        for workers, equal in _traces(program, n_arrays, seed):
            if not equal:
                pytest.fail(_report(program, n_arrays, seed, workers))


def test_programs_are_cut_down_to_the_steps_that_matter() -> None:
    program = random_program(1, 4, 60)
    culprits = {program[7], program[41]}
    assert set(shrink(program, lambda steps: culprits <= set(steps))) == culprits

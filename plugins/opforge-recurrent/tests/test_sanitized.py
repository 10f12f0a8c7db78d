"""The kernels under AddressSanitizer and UndefinedBehaviorSanitizer."""

import subprocess
from itertools import product
from pathlib import Path

import pytest

import opforge

SOURCES = Path(__file__).parents[1] / "src" / "opforge_recurrent"
FLAGS = ["-O1", "-w", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
LSTM = 2

#: Steps, batch, channels, length of a state: with and without packed weights, below and above a
#: vector; the last has more rows than predictions buffer.
SIZES = [(1, 1, 1, 1), (4, 3, 5, 1), (5, 13, 2, 17), (4, 9, 3, 70), (5, 50, 2, 18)]
#: Mode, bits of a float, sizes, projection, layers, directions, dropout, lengths.
CALLS = [
    (mode, bits, *sizes, 0, 1 + directions, directions, directions - 1, lengths)
    for mode, bits, sizes, (directions, lengths) in product(
        range(4), (32, 64), SIZES, [(1, 0), (2, 1)]
    )
] + [(LSTM, bits, *sizes, 3, 2, 2, 1, 1) for bits, sizes in product((32, 64), SIZES)]


def command(compiler, folder):
    """Return the compiler command with sanitizers; skip the test if it does not support them."""
    empty = folder / "empty"
    made = subprocess.run(
        [*compiler, *FLAGS, "-x", "c", "-o", empty, "-"],
        input=b"int main(void) { return 0; }",
        capture_output=True,
        check=False,
    )
    if made.returncode or subprocess.run([empty], capture_output=True, check=False).returncode:
        pytest.skip("the compiler does not support the sanitizers")
    return [*compiler, *FLAGS]


def test_kernels_have_no_undefined_behavior(c_compiler, tmp_path):
    program = tmp_path / "sanitized"
    own = [Path(__file__).with_name("sanitized.c"), SOURCES / "native" / "sizes.c"]
    subprocess.run(
        [
            *command(c_compiler, tmp_path),
            f"-I{SOURCES}",
            f"-I{opforge.get_include()}",
            "-o",
            program,
        ]
        + [*own, SOURCES / "kernels" / "passes.c", "-lm"],
        check=True,
    )
    numbers = [str(number) for call in CALLS for number in call]
    done = subprocess.run([program, *numbers], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")

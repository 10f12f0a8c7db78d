"""The fast kernels under UndefinedBehaviorSanitizer."""

import subprocess
from pathlib import Path

import pytest

import opforge
from opforge.base.instruction_sets import ISA_FLAGS
from opforge.native.threads import cpu

SOURCES = Path(__file__).parents[1] / "src" / "opforge_convolution"

#: Images, channels, height, width, filters, kernel (2), stride, dilation, pad, groups.
SHAPES = (
    (2, 5, 9, 10, 4, 1, 1, 2, 1, 1, 1),  # the first position reads no tap
    (2, 20, 9, 9, 30, 1, 1, 1, 1, 0, 1),
    (2, 6, 11, 12, 9, 5, 3, 2, 2, 3, 1),
    (1, 3, 21, 20, 6, 3, 3, 2, 1, 1, 1),
    (1, 64, 6, 7, 37, 3, 3, 1, 1, 1, 1),
    (2, 32, 14, 14, 29, 3, 3, 1, 1, 1, 2),
    (2, 7, 12, 20, 7, 3, 3, 1, 1, 1, 7),
    (1, 8, 1, 300, 5, 1, 5, 1, 1, 0, 1),
)


def command(compiler):
    """Return the compiler command with the sanitizer; skip the test if it does not support it."""
    checked = [*compiler, "-O0", "-w", "-fsanitize=undefined", "-fno-sanitize-recover=all"]
    empty = subprocess.run(
        [*checked, "-x", "c", "-o", "/dev/null", "-"],
        input=b"int main(void) { return 0; }",
        capture_output=True,
        check=False,
    )
    if empty.returncode:
        pytest.skip("the compiler does not support UndefinedBehaviorSanitizer")
    return checked


def test_kernels_have_no_undefined_behavior(c_compiler, tmp_path):
    newest = [name for name in ISA_FLAGS if name in cpu.supported()][-1]
    program = tmp_path / "sanitized"
    subprocess.run(
        [
            *command(c_compiler),
            *ISA_FLAGS[newest],
            f"-I{SOURCES}",
            f"-I{opforge.get_include()}",
            "-o",
            program,
        ]
        + [Path(__file__).with_name("sanitized.c"), *sorted(SOURCES.glob("kernels/*.c")), "-lm"],
        check=True,
    )
    numbers = [str(number) for shape in SHAPES for number in shape]
    done = subprocess.run([program, *numbers], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")

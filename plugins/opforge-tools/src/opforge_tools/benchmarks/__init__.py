"""Benchmarks of opforge: one declaration per case, and the timing of cases.

``opforge bench``, the suite in tests/benchmarks and the documentation's tables all read `CASES`.
The package may import anything but the command line.
"""

from .case import Array as Array
from .case import Case as Case
from .cases import CASES as CASES
from .cases import select as select

__all__ = ["CASES", "Array", "Case", "select"]

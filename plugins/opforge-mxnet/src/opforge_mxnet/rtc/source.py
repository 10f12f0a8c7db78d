"""C++ source that runs the body of a kernel for each thread of each block.

The body is a separate file, which the source includes, so that the compiler's messages show the
user's lines. Threads run one after another, so a body that waits for other threads is rejected.
"""

import re
from dataclasses import dataclass

from opforge.base.dtypes import NAMES
from opforge.base.errors import OpforgeError

__all__ = ["ENTRY", "Parameter", "check_body", "kernel_source"]

#: Name of the function that the library exports.
ENTRY = "opforge_rtc_run"

#: Types of C++, indexed by MXNet's type code.
_C_TYPES = (
    "float",
    "double",
    "_Float16",
    "uint8_t",
    "int32_t",
    "int8_t",
    "int64_t",
    "bool",
)

_WAITS = re.compile(r"\b(__syncthreads\w*|__syncwarp|__shfl\w*|__ballot\w*|__any\w*|__all\w*)\b")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)

# Names that a body for CUDA expects and that C++ lacks. Shared memory is local to the calling
# thread: it runs the threads of a block one after another, and two calls may run at the same time.
_PRELUDE = """\
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <math.h>
struct opforge_rtc_index { unsigned int x, y, z; };
#define __device__
#define __shared__ static thread_local
template <class A, class B> static inline auto min(A a, B b) { return b < a ? b : a; }
template <class A, class B> static inline auto max(A a, B b) { return a < b ? b : a; }
template <class T, class V> static inline T atomicAdd(T *p, V v) { T o = *p; *p = o + v; return o; }
static inline float rsqrtf(float v) { return 1.0f / sqrtf(v); }
static inline double rsqrt(double v) { return 1.0 / sqrt(v); }
static inline float __fdividef(float a, float b) { return a / b; }
#define __expf expf
#define __logf logf
#define __powf powf
#define __sinf sinf
#define __cosf cosf
"""


@dataclass(frozen=True, slots=True)
class Parameter:
    """Array that a kernel reads or writes."""

    name: str
    shape: tuple[int, ...]
    code: int
    is_input: bool

    @property
    def dtype_name(self) -> str:
        """NumPy's name of the element type."""
        return NAMES[self.code]

    @property
    def c_type(self) -> str:
        """Type of the pointer in C++."""
        return f"{'const ' if self.is_input else ''}{_C_TYPES[self.code]} *"


def check_body(name: str, body: str) -> None:
    """Raise an error if a body cannot run one thread after another.

    Raises
    ------
    OpforgeError
        The body waits for other threads, or exchanges values with them.
    """
    text = _COMMENT.sub(lambda match: "\n" * match[0].count("\n"), body)
    found = _WAITS.search(text)
    if found:
        line = text.count("\n", 0, found.start()) + 1
        raise OpforgeError(
            f"rtc kernel {name!r}: line {line} calls {found[1]}, but the threads of a block run "
            "one after another on the CPU and cannot wait for each other. Split the kernel in two "
            "at this line"
        )


def kernel_source(name: str, parameters: tuple[Parameter, ...], body_file: str) -> str:
    """Return the source that includes the body and runs it for each position in grid and block."""
    declared = "".join(f", {p.c_type}{p.name}" for p in parameters)
    passed = "".join(f", ({p.c_type})arrays[{i}]" for i, p in enumerate(parameters))
    return f"""{_PRELUDE}
static inline void {name}_kernel(
    const opforge_rtc_index threadIdx, const opforge_rtc_index blockIdx,
    const opforge_rtc_index blockDim, const opforge_rtc_index gridDim{declared}) {{
{"".join(map(_shape_constants, parameters))}
#include "{body_file}"
}}

extern "C" void {ENTRY}(void **arrays, const unsigned int *g, const unsigned int *b) {{
  const opforge_rtc_index grid = {{g[0], g[1], g[2]}}, block = {{b[0], b[1], b[2]}};
  opforge_rtc_index at, t;
  for (at.z = 0; at.z < grid.z; at.z++)
  for (at.y = 0; at.y < grid.y; at.y++)
  for (at.x = 0; at.x < grid.x; at.x++)
  for (t.z = 0; t.z < block.z; t.z++)
  for (t.y = 0; t.y < block.y; t.y++)
  for (t.x = 0; t.x < block.x; t.x++)
    {name}_kernel(t, at, block, grid{passed});
}}
"""


def _shape_constants(parameter: Parameter) -> str:
    """Return the definitions of ``x_ndim`` and ``x_dims``.

    For an array without axes, ``x_dims`` is ``{1}``, because C++ has no empty arrays.
    """
    dims = ", ".join(map(str, parameter.shape)) or "1"
    name = parameter.name
    return (
        f"  static const int {name}_ndim = {len(parameter.shape)};\n"
        f"  static const int {name}_dims[] = {{{dims}}};\n"
    )

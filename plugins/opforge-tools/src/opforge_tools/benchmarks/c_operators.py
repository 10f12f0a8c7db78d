"""C operators to benchmark, compiled when a case first needs them.

They do almost no work, so their cases measure the overhead of calling a plugin's C function.
"""

import importlib.util
import shlex
import shutil
import subprocess
import sysconfig
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from opforge.base.include import get_include
from opforge.op.abi import NativeOperator
from opforge.op.registry.registry import OPERATORS, register_operator

__all__ = ["register_c_operators"]

_SOURCE = """
#include <opforge/module.h>

static int32_t like_first(opforge_call* call) {
    opforge_like(&call->outputs[0], &call->inputs[0]);
    return OPFORGE_OK;
}

static int32_t copy_first(opforge_call* call) {
    memcpy(call->outputs[0].data, call->inputs[0].data, (size_t)call->outputs[0].byte_size);
    return OPFORGE_OK;
}

static int32_t ask_for_memory(opforge_call* call) {
    call->workspace_bytes = 31 << 20;
    return OPFORGE_OK;
}

static int32_t touch_memory(opforge_call* call) {
    for (int64_t at = 0; at < call->workspace_bytes; at += 4096) ((char*)call->workspace)[at] = 1;
    return copy_first(call);
}

static int32_t multiply(opforge_call* call) {
    const float *x = (const float*)call->inputs[0].data, *y = (const float*)call->inputs[1].data;
    float* z = (float*)call->outputs[0].data;
    int64_t count = opforge_count(call->outputs);
    for (int64_t i = 0; i < count; i++) z[i] = x[i] * y[i];
    return OPFORGE_OK;
}

static int32_t multiply_back(opforge_call* call) {
    const float* head = (const float*)call->out_grads[0].data;
    int64_t count = opforge_count(call->out_grads);
    for (int32_t k = 0; k < 2; k++) {
        if (!call->wanted[k]) continue;
        const float* other = (const float*)call->inputs[1 - k].data;
        float* grad = (float*)call->in_grads[k].data;
        for (int64_t i = 0; i < count; i++) grad[i] = head[i] * other[i];
    }
    return OPFORGE_OK;
}

#define OPERATOR(op, ...) static const opforge_operator op = { \\
    .head = OPFORGE_HEAD(opforge_operator), .name = "benchmark_c_" #op, .infer = like_first, \\
    __VA_ARGS__};
OPERATOR(copy, .forward = copy_first)
OPERATOR(workspace, .plan = ask_for_memory, .forward = touch_memory)
OPERATOR(product, .forward = multiply, .backward = multiply_back, .flags = OPFORGE_WANTED)

OPFORGE_MODULE(measured, &copy, &workspace, &product);
"""

_BODIES: dict[str, dict[str, Any]] = {
    "copy": {"differentiable": False},
    "workspace": {"differentiable": False},
    "product": {"arguments": ("x", "y"), "saves": ("inputs",)},
}


@cache
def register_c_operators() -> None:
    """Compile and register ``benchmark_c_copy``, ``..._workspace`` and ``..._product``.

    Raises
    ------
    RuntimeError
        No C compiler was found.
    """
    library = _compile_source()
    for name, body in _BODIES.items():
        full = f"benchmark_c_{name}"
        if full not in OPERATORS.providers(full):
            own = {"__doc__": "Measured.", "name": full, "library": library, **body}
            made = type(name.title(), (NativeOperator,), own)
            register_operator(made, "opforge-benchmarks", "1.0", "plugin")


def _compile_source() -> Any:
    """Return the extension module of the source above."""
    command = shlex.split(sysconfig.get_config_var("CC") or "cc")
    if shutil.which(command[0]) is None:
        command = ["cc"]
    if shutil.which(command[0]) is None:
        raise RuntimeError("this case needs a C compiler; install gcc or clang")
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "measured.c")
        source.write_text(_SOURCE, encoding="utf-8")
        built = source.with_suffix(sysconfig.get_config_var("EXT_SUFFIX"))
        includes = [f"-I{get_include()}", f"-I{sysconfig.get_path('include')}"]
        flags = ["-std=c11", "-O2", "-fPIC", "-shared"]
        subprocess.run([*command, *flags, *includes, "-o", built, source], check=True)
        spec = importlib.util.spec_from_file_location("measured", built)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return module

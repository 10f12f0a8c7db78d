# Written by scripts/native_stubs.py from the compiled module; do not edit.

from typing import Any

from opforge.native.dispatch.plans import Handle

def invoke(handle: Handle, inputs: Any, attributes: Any, out: Any=...) -> Any: ...

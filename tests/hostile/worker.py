"""A process that makes hostile calls for the tests: it may crash, hang or run out of memory alone.

Reads one batch per line, a JSON list of calls. Writes the number of each call to the pipe before
the call, so that the parent knows the last one; afterwards it writes a line with any problems.
"""

import ctypes
import faulthandler
import json
import os
import resource
import sys
import warnings

import fitting
import numpy as np
import provisions

from opforge import autograd, nd
from opforge.native import array as native_array
from opforge.native.dispatch import elementwise
from opforge.native.threads import parallel

#: Additional allowed errors: an uninitialized object may lack attributes.
HALF_MADE = {False: (), True: (AttributeError,)}
#: Address space in addition to that of the process at its start.
MEMORY = 3 << 30
#: A call that takes longer hangs, even on a busy machine; its traceback is shown.
SECONDS = int(os.environ.get("HOSTILE_SECONDS", "100"))
#: Larger results are not read.
READ_LIMIT = 1 << 20


def limit_memory():
    """Make huge allocations fail, unless AddressSanitizer, which needs the space, has a limit."""
    if "san" in os.environ.get("LD_PRELOAD", ""):
        return
    with open("/proc/self/statm") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))


def touch(result, depth=0):
    """Read what a call returned, so that access to missing memory is found now."""
    if isinstance(result, nd.NDArray):
        if result.size <= READ_LIMIT:
            result.asnumpy()
            repr(result)
    elif isinstance(result, np.ndarray):
        if result.size <= READ_LIMIT:
            repr(result.tobytes())
    elif isinstance(result, (list, tuple)) and depth < 2:
        for item in result[:100]:
            touch(item, depth + 1)


def restore(namespace):
    """Undo settings that a call may have changed, and forget its arrays."""
    autograd.set_recording(False)
    autograd.set_training(False)
    native_array.set_array_class(nd.NDArray)
    elementwise.set_namespace(nd)
    if parallel.get_num_threads() != 2:
        parallel.set_num_threads(2)
    namespace.clear()


def make(call, namespace):
    """Make one call; return the problem with its outcome, or an empty string."""
    namespace.update(provisions.NAMES)
    namespace.update(alone=fitting.alone, bound=fitting.bound, fitted=fitting.fitted)
    namespace.update(both_ways=fitting.both_ways)
    try:
        for line in call["setup"]:
            exec(line, namespace)
    except Exception:
        return ""  # the arguments themselves could not be created
    try:
        touch(eval(call["call"], namespace))
    except (*provisions.ALLOWED, *HALF_MADE[call["bare"]]) as error:
        return "" if str(error) or isinstance(error, MemoryError) else "an error without a text"
    except BaseException as error:
        return f"{type(error).__name__}: {error}"
    return ""


def judge(call, namespace):
    """Make one call, check the memory around its arrays, and restore the process."""
    wrong = make(call, namespace)
    restore(namespace)
    if provisions.guards.broken():
        wrong = "memory outside an array was changed; " + wrong
    return wrong


def main():
    faulthandler.enable()
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    ctypes.CDLL(None).prctl(1, 9)  # dies with its parent
    replies = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # output of a call must not look like a reply
    limit_memory()
    replies.write("ready\n")
    namespace = {}
    for line in sys.stdin:
        for number, call in enumerate(json.loads(line)):
            faulthandler.dump_traceback_later(SECONDS, exit=True)
            replies.write(f"{number}\n")
            wrong = judge(call, namespace)
            faulthandler.cancel_dump_traceback_later()
            if wrong:
                replies.write(json.dumps([number, wrong]) + "\n")
        replies.write("done\n")


if __name__ == "__main__":
    main()

"""A process that makes hostile calls for the tests: it may crash, hang or run out of memory alone.

Reads a batch a line, a JSON list of calls. Before each call its number goes to the pipe, so that
the parent knows which one was the last; afterwards a line tells what was wrong, if anything.
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

#: What besides may be raised: an object that was not initialised may lack what it should have.
HALF_MADE = {False: (), True: (AttributeError,)}
#: Address space beyond what the process has at its start.
MEMORY = 3 << 30
#: A call that takes longer, on a busy machine too, hangs; its traceback is shown.
SECONDS = int(os.environ.get("HOSTILE_SECONDS", "100"))
#: Elements of a result beyond which it is not read.
READ_LIMIT = 1 << 20


def limit_memory():
    """Make huge allocations fail; AddressSanitizer has a limit of its own and needs the space."""
    if "san" in os.environ.get("LD_PRELOAD", ""):
        return
    with open("/proc/self/statm") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))


def touch(result, depth=0):
    """Read what a call returned, so that memory which is not there is found now."""
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
    """Undo what a call may have switched, and forget its arrays."""
    autograd.set_recording(False)
    autograd.set_training(False)
    native_array.set_array_class(nd.NDArray)
    elementwise.set_namespace(nd)
    if parallel.get_num_threads() != 2:
        parallel.set_num_threads(2)
    namespace.clear()


def make(call, namespace):
    """Make one call; return what is wrong with its outcome, or an empty string."""
    namespace.update(provisions.NAMES)
    namespace.update(alone=fitting.alone, bound=fitting.bound, fitted=fitting.fitted)
    namespace.update(both_ways=fitting.both_ways)
    try:
        for line in call["setup"]:
            exec(line, namespace)
    except Exception:
        return ""  # the arguments themselves could not be made
    try:
        touch(eval(call["call"], namespace))
    except (*provisions.ALLOWED, *HALF_MADE[call["bare"]]) as error:
        return "" if str(error) or isinstance(error, MemoryError) else "an error without a text"
    except BaseException as error:
        return f"{type(error).__name__}: {error}"
    return ""


def judge(call, namespace):
    """Make one call, look after its arrays' surroundings, and restore the process."""
    wrong = make(call, namespace)
    restore(namespace)
    if provisions.guards.broken():
        wrong = "memory beside an array was changed; " + wrong
    return wrong


def main():
    faulthandler.enable()
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    ctypes.CDLL(None).prctl(1, 9)  # dies with its parent
    replies = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what a call prints must not look like a reply
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

"""Random-number streams: the key and counter that a thread or task draws from.

Each thread has its own stream, so its numbers do not depend on other threads. A pushed task has one
too, determined by the stream of the pushing thread and the number of tasks pushed before: its numbers
are the same whichever worker runs it.

Distributed processes with the same seed draw the same numbers, except in training mode: there every
process but the first uses its own key, so that dropout masks differ between them as the batches do.
"""

import os
import threading

cdef extern from *:
    """
    static __thread opforge_stream opforge_own_stream OPFORGE_FROM_START;
    """
    Stream opforge_own_stream

cdef uint64_t GOLDEN = 0x9E3779B97F4A7C15ULL

# Seed state from which threads without a seed derive their streams; guarded by the GIL.
cdef uint64_t process_key = int.from_bytes(os.urandom(8), "little")
cdef uint64_t age = 1                  # number of times it was set
cdef uint64_t given = 0                # number of streams derived from it

# Rank of this process in distributed training, and the query for training mode; guarded by the GIL.
cdef uint64_t process = 0
cdef training_fn is_training = never

cdef uint64_t PROCESSES = 0xA24BAED4963EE407ULL    # separates their keys from those of threads and tasks


cdef bint never() noexcept nogil:
    return False


cdef uint64_t mixed(uint64_t key, uint64_t number) noexcept nogil:
    """Return the key of stream `number` derived from `key` (splitmix64)."""
    cdef uint64_t x = key + GOLDEN * (2 * number + 1)
    x = (x ^ (x >> 30)) * <uint64_t>0xBF58476D1CE4E5B9ULL
    x = (x ^ (x >> 27)) * <uint64_t>0x94D049BB133111EBULL
    return x ^ (x >> 31)


cdef inline void refresh() noexcept:
    """Create a stream for this thread unless it has a valid one."""
    global given
    if opforge_own_stream.own or opforge_own_stream.age == age:
        return
    opforge_own_stream.key = process_key if given == 0 else mixed(process_key, given)
    opforge_own_stream.counter = 0
    opforge_own_stream.children = 0
    opforge_own_stream.age = age
    given += 1


cdef uint64_t stream_key() noexcept:
    refresh()
    if process != 0 and is_training():
        return mixed(opforge_own_stream.key ^ PROCESSES, process)
    return opforge_own_stream.key


cdef uint64_t advance(uint64_t batches) noexcept:
    cdef uint64_t first
    refresh()
    first = opforge_own_stream.counter
    opforge_own_stream.counter += batches
    return first


cdef uint64_t child_key() noexcept:
    cdef uint64_t key = stream_key()
    opforge_own_stream.children += 1
    return mixed(~key, opforge_own_stream.children)


cdef void set_training_flag(training_fn flag) noexcept:
    global is_training
    is_training = flag


def set_process(uint64_t number):
    """Set the rank of this process in distributed training; 0 for the first or only one."""
    global process
    process = number


cdef Stream enter_stream(uint64_t key) noexcept:
    cdef Stream before = opforge_own_stream
    opforge_own_stream.key = key
    opforge_own_stream.counter = 0
    opforge_own_stream.children = 0
    opforge_own_stream.own = 1
    return before


cdef void leave_stream(Stream before) noexcept:
    global opforge_own_stream
    opforge_own_stream = before


def seed(state):
    """Restart this thread's stream: the same seed gives the same numbers.

    On the main thread, also restart the streams of all threads that were not seeded themselves.
    """
    global process_key, age, given
    key = (int(state) * GOLDEN + 0xD1B54A32D192ED03) & 0xFFFFFFFFFFFFFFFF
    opforge_own_stream.key = key
    opforge_own_stream.counter = 0
    opforge_own_stream.children = 0
    opforge_own_stream.own = 1
    if threading.current_thread() is threading.main_thread():
        process_key = key
        age += 1
        given = 1


def get_state():
    """Return (key, counter, children), the complete state of this thread's stream."""
    refresh()
    return opforge_own_stream.key, opforge_own_stream.counter, opforge_own_stream.children


def set_state(tuple state):
    """Restore a state returned by `get_state`."""
    refresh()
    opforge_own_stream.key, opforge_own_stream.counter, opforge_own_stream.children = state


def get_process_state():
    """Return the state that determines the numbers of this thread and of threads started later."""
    refresh()
    return process_key, given, opforge_own_stream.own, *get_state()


def set_process_state(tuple state):
    """Restore a state returned by `get_process_state`, in this or another process."""
    global process_key, age, given
    process_key, given = state[:2]
    age += 1                           # other threads derive their streams again
    opforge_own_stream.age, opforge_own_stream.own = age, state[2]
    opforge_own_stream.key, opforge_own_stream.counter, opforge_own_stream.children = state[3:]

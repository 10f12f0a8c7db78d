"""Loops of plugins on the pool of threads: with workers that have memory, ended early by a status."""

from libc.stdint cimport int32_t, int64_t
from libc.string cimport memset
from opforge.abi cimport (
    OPFORGE_BAD_SHAPE, OPFORGE_ERROR, OPFORGE_NO_MEMORY, opforge_call, opforge_part, opforge_range,
    opforge_worker,
)

from opforge.native.memory.buffer cimport lend_block, take_back
from opforge.native.abi.frame cimport Frame, failed
from opforge.native.threads.parallel cimport inside_loop, num_threads, parallel_for, was_stopped

cdef extern from "opforge_workers.h" nogil:
    int32_t take_worker "opforge_take_worker"(char* busy, int32_t count)
    void give_worker "opforge_give_worker"(char* busy, int32_t index)
    void note_status "opforge_note_status"(int32_t* status, int32_t value)
    int32_t status_of "opforge_status"(const int32_t* status)

cdef enum:
    LINE = 64                          # bytes; workers share no cache line
    MOST_WORKERS = 1024

cdef int64_t MOST_SCRATCH = <int64_t>1 << 46

cdef struct Loop:
    opforge_range body
    void* argument

cdef struct WorkerLoop:
    opforge_part body
    void* argument
    char* scratch                      # of all workers, NULL if none is wanted
    int64_t scratch_bytes              # of one
    int32_t count
    int32_t status
    char[MOST_WORKERS] busy


cdef void run_part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Loop* loop = <Loop*>arg
    loop.body(loop.argument, begin, end)


cdef void host_parallel_for(
    opforge_call* call, int64_t n, int64_t grain, opforge_range body, void* argument,
) noexcept nogil:
    cdef Loop loop
    if body != NULL:
        loop.body, loop.argument = body, argument
        parallel_for(n, grain, run_part, &loop)


cdef int32_t host_threads(opforge_call* call) noexcept nogil:
    return 1 if inside_loop() else num_threads()


cdef void run_worker_part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef WorkerLoop* loop = <WorkerLoop*>arg
    cdef opforge_worker worker
    cdef int32_t status
    if status_of(&loop.status):
        return
    worker.index = take_worker(loop.busy, loop.count)
    worker.count = loop.count
    worker.scratch = NULL
    if loop.scratch != NULL:
        worker.scratch = loop.scratch + worker.index * loop.scratch_bytes
    status = loop.body(loop.argument, &worker, begin, end)
    if status:
        note_status(&loop.status, status)
    give_worker(loop.busy, worker.index)


cdef int32_t host_parallel(
    opforge_call* call, int64_t n, int64_t grain, int64_t scratch_bytes, opforge_part body,
    void* argument,
) noexcept nogil:
    cdef WorkerLoop loop
    cdef int size_class
    if n <= 0 or body == NULL:
        return 0
    if scratch_bytes < 0:
        return failed(call, OPFORGE_BAD_SHAPE, "parallel: scratch_bytes is negative")
    loop.body, loop.argument, loop.status = body, argument, 0
    # No more parts run at once than there are grains.
    loop.count = <int32_t>min(min(<int64_t>host_threads(call), MOST_WORKERS), max(n // max(grain, 1), 1))
    memset(loop.busy, 0, loop.count)
    loop.scratch = NULL
    loop.scratch_bytes = (min(scratch_bytes, MOST_SCRATCH) + LINE - 1) // LINE * LINE
    if scratch_bytes:
        loop.scratch = lend_block(loop.scratch_bytes * loop.count, &size_class)
        if loop.scratch == NULL:
            (<Frame*>call).lacking = loop.scratch_bytes * loop.count
            return failed(call, OPFORGE_NO_MEMORY, "parallel: there is no memory for the workers' scratch")
    parallel_for(n, grain, run_worker_part, &loop)
    if loop.scratch != NULL:
        take_back(loop.scratch, size_class)
    if was_stopped() and not loop.status:
        return failed(call, OPFORGE_ERROR, "the program was interrupted")
    return loop.status

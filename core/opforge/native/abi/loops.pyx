"""Parallel loops for plugins, with scratch memory for each worker and early termination by a status."""

from libc.stdint cimport int32_t, int64_t
from libc.string cimport memset
from opforge.abi cimport (
    OPFORGE_BAD_SHAPE, OPFORGE_ERROR, opforge_call, opforge_part, opforge_range, opforge_worker,
)

from opforge.native.memory.buffer cimport lend_block, take_back
from opforge.native.abi.frame cimport failed, out_of_memory
from opforge.native.threads.parallel cimport inside_loop, num_threads, parallel_for, was_stopped

cdef extern from "opforge_workers.h" nogil:
    int32_t acquire_worker "opforge_acquire_worker"(char* busy, int32_t count)
    void release_worker "opforge_release_worker"(char* busy, int32_t index)
    void record_status "opforge_record_status"(int32_t* status, int32_t value)
    int32_t status_of "opforge_status"(const int32_t* status)

cdef enum:
    LINE = 64                          # bytes of a cache line, which workers do not share
    MAX_WORKERS = 1024

cdef int64_t MAX_SCRATCH = <int64_t>1 << 46

cdef struct Loop:
    opforge_range body
    void* argument

cdef struct WorkerLoop:
    opforge_part body
    void* argument
    char* scratch                      # memory of all workers, NULL if none is requested
    int64_t scratch_bytes              # per worker
    int32_t count
    int32_t status
    char[MAX_WORKERS] busy


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
    worker.index = acquire_worker(loop.busy, loop.count)
    worker.count = loop.count
    worker.scratch = NULL
    if loop.scratch != NULL:
        worker.scratch = loop.scratch + worker.index * loop.scratch_bytes
    status = loop.body(loop.argument, &worker, begin, end)
    if status:
        record_status(&loop.status, status)
    release_worker(loop.busy, worker.index)


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
    # At most as many parts as grains run concurrently.
    loop.count = <int32_t>min(min(<int64_t>host_threads(call), MAX_WORKERS), max(n // max(grain, 1), 1))
    memset(loop.busy, 0, loop.count)
    loop.scratch = NULL
    loop.scratch_bytes = (min(scratch_bytes, MAX_SCRATCH) + LINE - 1) // LINE * LINE
    if scratch_bytes:
        loop.scratch = lend_block(loop.scratch_bytes * loop.count, &size_class)
        if loop.scratch == NULL:
            return out_of_memory(
                call, loop.scratch_bytes * loop.count, "parallel: out of memory for the workers' scratch"
            )
    parallel_for(n, grain, run_worker_part, &loop)
    if loop.scratch != NULL:
        take_back(loop.scratch, size_class)
    if was_stopped() and not loop.status:
        return failed(call, OPFORGE_ERROR, "the program was interrupted")
    return loop.status

# Declarations of the C++ scheduler, for engine.pyx only: any other module that included these headers
# would get a second engine.

from libc.stdint cimport uint64_t
from opforge.native.threads.task cimport release_fn, task_fn

cdef extern from "<atomic>" namespace "std" nogil:
    cdef cppclass atomic[T]:
        T load() noexcept
        void store(T value) noexcept

cdef extern from "opforge_engine.hpp" namespace "opforge" nogil:
    cdef enum Status:
        kDone, kFailed, kTimeout, kDeadlock, kDropped, kLostInFork, kNoMemory
    cdef cppclass Error:
        int status
        void* payload
        atomic[bint] reported
    cdef cppclass ErrorPtr:
        Error* get()
    cdef cppclass Variable:
        atomic[uint64_t] version
        atomic[int] pending
        atomic[int] pending_writes
        atomic[bint] failed
    cdef cppclass Wait:
        Variable* var
        bint write
    cdef cppclass Engine:
        void configure(int workers, bint inline_only, long spin_us)
        Variable* new_var()
        void free_var(Variable* var)
        int push(task_fn fn, void* arg, release_fn release, Variable** read, int n_read,
                 Variable** write, int n_write, int priority, ErrorPtr* failure)
        int begin_wait(Wait* wait) except +
        int wait_slice(const Wait* wait, int milliseconds)
        void end_wait(const Wait* wait)
        int wait_all_slice(uint64_t target, int milliseconds)
        bint others_done(uint64_t target)
        uint64_t last_seq()
        ErrorPtr error_of(Variable* var)
        void forget_error(Variable* var)
        ErrorPtr take_first_error()
        int stop()
        int live()
    Engine* start_engine(release_fn drop_payload) except +

cdef extern from "opforge_entry.hpp" namespace "opforge" nogil:
    bint enter_python(int* state)
    void leave_python(int state)
    void close_entry()
    void open_entry()

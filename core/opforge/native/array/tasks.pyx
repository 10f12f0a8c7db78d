"""Python callables as tasks of the engine, on variables of their own and on arrays."""

from cpython.mem cimport PyMem_Free, PyMem_Malloc

from opforge.native.array.array cimport Array
from opforge.native.threads.engine cimport (
    free_var, is_idle, new_var, push_callable, var_of, version_of, wait_for_read, wait_for_write,
)

from opforge.base.errors import OutOfMemoryError

__all__ = ["Var", "push"]


cdef class Var:
    """A variable of the engine: stands for any state that tasks read and write.

    Examples
    --------
    >>> state, log = Var(), []
    >>> push(lambda: log.append("written"), write=[state])
    >>> state.wait_to_read()
    >>> log, state.version
    (['written'], 1)
    """

    cdef void* handle

    def __cinit__(self):
        self.handle = new_var()

    def __dealloc__(self):
        free_var(self.handle)

    @property
    def version(self):
        """int: how many pushed tasks that write this variable are complete, failed ones included."""
        return version_of(self.handle)

    @property
    def is_idle(self):
        """bool: whether no task is pending on it and no exception stored."""
        return is_idle(self.handle)

    def wait_to_read(self):
        """Wait for the tasks pushed so far that write it; raise what they stored on it."""
        wait_for_read(self.handle)

    def wait_to_write(self):
        """Wait for all tasks pushed so far that use it; raise what they stored on it."""
        wait_for_write(self.handle)


cdef void* variable_of(object item, str argument) except NULL:
    if isinstance(item, Var):
        return (<Var>item).handle
    if isinstance(item, Array):
        return var_of((<Array>item).buffer)
    raise TypeError(
        f"engine.push: argument {argument!r} has an element of type {type(item).__name__!r}, "
        "expected engine.Var or NDArray"
    )


cdef class Variables:
    """The handles of what a task reads, then of what it writes."""

    cdef void** handles

    def __cinit__(self, tuple read, tuple write):
        cdef Py_ssize_t position = 0
        self.handles = <void**>PyMem_Malloc((len(read) + len(write) + 1) * sizeof(void*))
        if self.handles == NULL:
            raise OutOfMemoryError("engine.push: no memory for a list of variables")
        for argument, items in (("read", read), ("write", write)):
            for item in items:
                self.handles[position] = variable_of(item, argument)
                position += 1

    def __dealloc__(self):
        PyMem_Free(self.handles)


def push(fn, read=(), write=(), int priority=0):
    """Run `fn()` on a worker once the tasks before it on its variables are done.

    Tasks that only read a variable may run side by side; one that writes it runs alone, in the order
    of the pushes. Inside `fn` the variables that it names may be used freely.

    Parameters
    ----------
    fn : callable without arguments
        Its return value is ignored. What it raises is stored on the variables in `write` and raised
        by every wait on them, until a later task writes them successfully. A task that reads such
        a variable is not run: what it writes inherits the exception.
    read, write : iterables of Var or NDArray
        What `fn` reads and what it changes. One in both needs a sound value, and is changed.
    priority : int, default 0
        Among tasks that may run, the higher goes first.

    Raises
    ------
    TypeError
        `fn` is not callable, or `read` or `write` names something else.
    Exception
        With ``OPFORGE_ENGINE_TYPE=NaiveEngine``, `fn` runs at once on this thread and its exception
        is raised here, besides being stored on what it would have written.

    Examples
    --------
    >>> total, out = Var(), []
    >>> push(lambda: out.append(1), write=[total])
    >>> push(lambda: out.append(2), read=[total])
    >>> wait_all()
    >>> out
    [1, 2]
    """
    cdef Variables variables
    if not callable(fn):
        raise TypeError(f"engine.push: argument 'fn' is a {type(fn).__name__}, expected a callable")
    read, write = tuple(read), tuple(write)
    variables = Variables(read, write)
    push_callable(fn, (read, write), variables.handles, len(read), variables.handles + len(read),
                  len(write), priority)

"""Python callables as engine tasks that read and write variables and arrays."""

from cpython.mem cimport PyMem_Free, PyMem_Malloc

from opforge.native.array.array cimport Array
from opforge.native.threads.engine cimport (
    free_var, is_idle, new_var, push_callable, var_of, version_of, wait_for_read, wait_for_write,
)

from opforge.base.errors import OutOfMemoryError

__all__ = ["Var", "push"]


cdef class Var:
    """Engine variable that represents any state tasks read and write.

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
        """int: number of completed tasks that wrote this variable, including failed ones."""
        return version_of(self.handle)

    @property
    def is_idle(self):
        """bool: whether no task is pending on it and no exception is stored."""
        return is_idle(self.handle)

    def wait_to_read(self):
        """Wait for pushed tasks that write it; raise the exception they stored on it."""
        wait_for_read(self.handle)

    def wait_to_write(self):
        """Wait for all pushed tasks that use it; raise the exception they stored on it."""
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
    """Return the handles of the variables a task reads, followed by those it writes."""

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
    """Run `fn()` on a worker once earlier tasks on its variables are done.

    Tasks that only read a variable may run concurrently; a task that writes it runs exclusively, in
    push order. Inside `fn`, the listed variables may be used freely.

    Parameters
    ----------
    fn : callable without arguments
        Its return value is ignored. An exception is stored on the variables in `write` and raised by
        every wait on them until a later task writes them successfully. A task that reads such a
        variable does not run; the variables it writes inherit the exception.
    read, write : iterables of Var or NDArray
        Variables that `fn` reads and writes. One in both must have a valid value.
    priority : int, default 0
        Among runnable tasks, those with a higher priority run first.

    Raises
    ------
    TypeError
        `fn` is not callable, or an element of `read` or `write` has another type.
    Exception
        With ``OPFORGE_ENGINE_TYPE=NaiveEngine``, `fn` runs at once on this thread, and its exception
        is raised here in addition to being stored on the variables in `write`.

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

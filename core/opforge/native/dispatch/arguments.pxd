# What an operator is called with, checked; errors name operator and plugin.

from opforge.native.dispatch.plans cimport Bound, Handle, Plan

cdef str origin(Handle handle)          # who an operator is, as errors begin: name, plugin and version
# The inputs as a list of arrays of the right number; deferred ones are completed. None: one is of another storage type.
cdef list checked_inputs(Bound bound, inputs)
# Fresh outputs, or the caller's after a check.
cdef list prepared_outputs(Plan plan, object context, object out)
cdef object bad_input(Handle handle, object item)       # the error for an input that is no array

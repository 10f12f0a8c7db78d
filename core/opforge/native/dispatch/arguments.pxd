# Checked arguments of operator calls; errors name the operator and its plugin.

from opforge.native.dispatch.plans cimport Bound, Handle, Plan

cdef str origin(Handle handle)          # name, plugin and version of an operator, for error messages
# Return the inputs as a list of arrays, checked and with deferred ones completed; None if one is not dense.
cdef list checked_inputs(Bound bound, inputs)
# Return fresh outputs, or the caller's after checking them.
cdef list prepared_outputs(Plan plan, object context, object out)
cdef object bad_input(Handle handle, object item)       # the error for an input that is not an array

# Operators composed of others.

from opforge.native.dispatch.plans cimport Bound

cdef object composed(Bound bound, list arrays, object out)      # calls them; returns the result, or `out` filled with it

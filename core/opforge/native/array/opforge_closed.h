/* A class that only native code can instantiate. An array that Python code made with `cls()` or
 * `cls.__new__(cls)` would have no memory, on which its methods rely. `cls(None)`, with which MXNet's
 * pickles begin, gives an array without elements. */
#ifndef OPFORGE_CLOSED_H
#define OPFORGE_CLOSED_H

#include <Python.h>

static newfunc opforge_true_new;
static PyObject *(*opforge_new_empty)(void);

static PyObject *opforge_refuse_new(PyTypeObject *cls, PyObject *args, PyObject *kwargs) {
    if (kwargs == NULL && PyTuple_GET_SIZE(args) == 1 && PyTuple_GET_ITEM(args, 0) == Py_None)
        return opforge_new_empty();
    return PyErr_Format(PyExc_TypeError,
                        "%s is not made directly; opforge.nd.array, zeros and empty make arrays",
                        cls->tp_name);
}

static void opforge_close_class(PyObject *cls, PyObject *(*new_empty)(void)) {
    opforge_new_empty = new_empty;
    opforge_true_new = ((PyTypeObject *)cls)->tp_new;
    ((PyTypeObject *)cls)->tp_new = opforge_refuse_new;
    ((PyTypeObject *)cls)->tp_vectorcall = NULL; /* Cython bypasses tp_new with it */
}

/* An uninitialised instance of the closed class or a subclass. */
static inline PyObject *opforge_new(PyObject *cls, PyObject *args) {
    return opforge_true_new((PyTypeObject *)cls, args, NULL);
}

#endif

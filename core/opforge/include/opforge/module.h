/* Definition of the extension module that a library of operators is loaded from.
 *
 * `OPFORGE_MODULE(_native, &first, &second);` at the end of a source file defines the module `_native`,
 * whose only attribute is the library of the listed operators. For a module with further attributes use
 * OPFORGE_LIBRARY_OF and opforge_create_module instead. Include this header before those of the standard
 * library, because it includes Python.h. Like the convenience functions of abi.h, all of this is part of
 * your plugin, not of the interface. Valid C11 and C++.
 */
#ifndef OPFORGE_MODULE_H
#define OPFORGE_MODULE_H

#include <Python.h>

#include "abi.h"

/* Define the static opforge_library `identifier`, given pointers to one or more operators. */
#define OPFORGE_LIBRARY_OF(identifier, ...)                                           \
    static const opforge_operator* const identifier##_operators[] = {__VA_ARGS__};    \
    static const opforge_library identifier = {                                       \
        OPFORGE_HEAD(opforge_library), identifier##_operators,                        \
        (int32_t)(sizeof identifier##_operators / sizeof *identifier##_operators), 0}

/* Create the module of a definition and add the library to it. Return the result of PyInit: the module, or
 * NULL with an exception set. */
OPFORGE_INLINE PyObject* opforge_create_module(struct PyModuleDef* definition, const opforge_library* library) {
    PyObject* module = PyModule_Create(definition);
    PyObject* capsule = module == NULL ? NULL : PyCapsule_New((void*)library, OPFORGE_LIBRARY, NULL);
    if (capsule == NULL || PyModule_AddObject(module, OPFORGE_LIBRARY, capsule) < 0) {
        Py_XDECREF(capsule);
        Py_XDECREF(module);
        return NULL;
    }
    return module;
}

/* Define the extension module `name` with a library, given pointers to its operators. */
#define OPFORGE_MODULE(name, ...)                                                     \
    OPFORGE_LIBRARY_OF(opforge_##name##_library, __VA_ARGS__);                        \
    PyMODINIT_FUNC PyInit_##name(void) {                                              \
        static struct PyModuleDef definition = {                                      \
            PyModuleDef_HEAD_INIT, #name, NULL, -1, NULL, NULL, NULL, NULL, NULL};    \
        return opforge_create_module(&definition, &opforge_##name##_library);         \
    }                                                                                 \
    struct opforge_##name##_end /* takes the semicolon */

#endif

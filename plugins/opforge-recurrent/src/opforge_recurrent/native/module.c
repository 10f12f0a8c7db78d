/* The extension module: nothing but the library. */
#include <Python.h>

#include "operator.h"

static const opforge_operator* const operators[] = {&rnn_operator, &rnn_prediction_operator};
static const opforge_library library = {
    .head = OPFORGE_HEAD(opforge_library),
    .operators = operators,
    .n_operators = sizeof operators / sizeof *operators,
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "_native", .m_size = -1};

PyMODINIT_FUNC PyInit__native(void) {
    PyObject* module = PyModule_Create(&definition);
    PyObject* capsule = PyCapsule_New((void*)&library, OPFORGE_LIBRARY, NULL);
    if (module == NULL || capsule == NULL || PyModule_AddObject(module, OPFORGE_LIBRARY, capsule) < 0) {
        Py_XDECREF(capsule);
        Py_XDECREF(module);
        return NULL;
    }
    return module;
}

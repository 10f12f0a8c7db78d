/* The extension module: nothing but the library. */
#include <Python.h>

#include "conv.h"
#include "operators.h"

static const opforge_operator* const operators[] = {
    &conv_convolution, &conv_winograd_weight, &conv_deconvolution, &conv_im2col,
    &conv_col2im,      &conv_deformable,      &conv_modulated_deformable,
};
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
    if (PyModule_AddIntConstant(module, "LANES", (long)conv_fast_lanes()) < 0) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}

/* The extension module: nothing but the library. */
#include <Python.h>

#include "operators.h"

static const opforge_operator* const operators[] = {
    &detection_box_iou,
    &detection_box_nms,
    &detection_multibox_prior,
    &detection_multibox_target,
    &detection_multibox_detection,
    &detection_roi_pooling,
    &detection_correlation,
    &detection_roi_align,
    &detection_rotated_roi_align,
    &detection_part_pooling,
    &detection_deformed_pooling,
    &detection_bipartite_matching,
    &detection_box_encode,
    &detection_box_decode,
    &detection_proposal,
    &detection_multi_proposal,
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
    return module;
}

/* The extension module: the library; LANES, the float32 lanes of the fast kernels; and BFLOAT16_PRODUCTS, whether the
 * processor multiplies pairs of bfloat16. */
#include <opforge/brain.h>
#include <opforge/module.h>

#include "conv.h"
#include "operators.h"

OPFORGE_LIBRARY_OF(library, &conv_convolution, &conv_winograd_weight, &conv_deconvolution, &conv_im2col,
                   &conv_col2im, &conv_deformable, &conv_modulated_deformable);

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "_native", .m_size = -1};

PyMODINIT_FUNC PyInit__native(void) {
    PyObject* module = opforge_create_module(&definition, &library);
    if (module != NULL && (PyModule_AddIntConstant(module, "LANES", (long)conv_fast_lanes()) < 0 ||
                           PyModule_AddIntConstant(module, "BFLOAT16_PRODUCTS", opforge_has_brain_products()) < 0)) {
        Py_CLEAR(module);
    }
    return module;
}

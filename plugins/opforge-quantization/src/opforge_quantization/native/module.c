/* The extension module: the library; LANES, the 32-bit lanes of its vectors; and BYTE_DOTS, whether one instruction
 * multiplies four bytes and adds the products. */
#include <opforge/module.h>

#include "kernels/byte_vectors.h"
#include "native/operators.h"

OPFORGE_LIBRARY_OF(library, &quantize_operator, &quantize_v2_operator, &quantize_asym_operator, &dequantize_operator,
                   &requantize_operator, &fully_connected_operator, &convolution_operator, &pooling_operator,
                   &elemwise_add_operator, &elemwise_mul_operator, &concat_operator, &batch_norm_operator,
                   &recurrent_operator, &int8_convolution_operator, &int8_dense_operator, &int8_filters_operator,
                   &int8_depthwise_filters_operator, &dynamic_dense_operator, &dynamic_rnn_operator);

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "_native", .m_size = -1};

PyMODINIT_FUNC PyInit__native(void) {
    PyObject* module = opforge_create_module(&definition, &library);
    if (module == NULL) return NULL;
    if (PyModule_AddIntConstant(module, "LANES", LANES) < 0 ||
        PyModule_AddIntConstant(module, "BYTE_DOTS", has_byte_dots()) < 0) {
        Py_CLEAR(module);
    }
    return module;
}

/* A module whose initialization crashes, aborts, exits or does nothing, depending on FATE. */
#include <Python.h>
#include <stdlib.h>
#include <unistd.h>

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "_native", .m_size = -1};

PyMODINIT_FUNC PyInit__native(void) {
    const char* fate = FATE;
    if (fate[0] == 's') *(volatile int*)8 = 1;
    if (fate[0] == 'a') abort();
    if (fate[0] == 'e') _exit(7);
    return PyModule_Create(&definition);
}

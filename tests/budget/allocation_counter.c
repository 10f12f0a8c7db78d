/* Counts the memory that Python asks for: a hook before the allocators of objects and their data. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

static PyMemAllocatorEx below[2];
static const PyMemAllocatorDomain domains[2] = {PYMEM_DOMAIN_MEM, PYMEM_DOMAIN_OBJ};
static size_t requests;

static void *counted_malloc(void *context, size_t size) {
    PyMemAllocatorEx *own = context;
    requests++;
    return own->malloc(own->ctx, size);
}

static void *counted_calloc(void *context, size_t count, size_t size) {
    PyMemAllocatorEx *own = context;
    requests++;
    return own->calloc(own->ctx, count, size);
}

static void *counted_realloc(void *context, void *block, size_t size) {
    PyMemAllocatorEx *own = context;
    requests++;
    return own->realloc(own->ctx, block, size);
}

static void plain_free(void *context, void *block) {
    PyMemAllocatorEx *own = context;
    own->free(own->ctx, block);
}

/* Begin to count. */
void start(void) {
    requests = 0;
    for (int i = 0; i < 2; i++) {
        PyMem_GetAllocator(domains[i], &below[i]);
        PyMemAllocatorEx hook = {&below[i], counted_malloc, counted_calloc, counted_realloc, plain_free};
        PyMem_SetAllocator(domains[i], &hook);
    }
}

/* End counting and return how often memory was asked for. */
size_t stop(void) {
    size_t found = requests;
    for (int i = 0; i < 2; i++)
        PyMem_SetAllocator(domains[i], &below[i]);
    return found;
}

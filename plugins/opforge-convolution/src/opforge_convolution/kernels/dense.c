/* Selection of the algorithm for a dense product. */
#include "dense.h"

#include "winograd.h"

const dense_algorithm dense_panels = {product_workspace, product_run};
static const dense_algorithm winograd = {winograd_workspace, winograd_run};
static const dense_algorithm winograd_deep = {winograd_deep_workspace, winograd_deep_run};

const dense_algorithm* dense_choose(const product* p) {
    if (!winograd_is_faster(p)) return &dense_panels;
    return winograd_is_deep(p) ? &winograd_deep : &winograd;
}

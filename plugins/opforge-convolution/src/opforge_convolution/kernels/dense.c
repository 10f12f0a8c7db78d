/* Choosing how to compute a dense product. */
#include "dense.h"

#include "winograd.h"

const dense_way dense_plain = {product_workspace, product_run};
static const dense_way winograd = {winograd_workspace, winograd_run};
static const dense_way winograd_deep = {winograd_deep_workspace, winograd_deep_run};

const dense_way* dense_choose(const product* p) {
    if (!winograd_pays(p)) return &dense_plain;
    return winograd_is_deep(p) ? &winograd_deep : &winograd;
}

/* Choosing how to compute a dense product. */
#include "dense.h"

#include "winograd.h"

const dense_way dense_plain = {weights_count, weights_pack, product_run};
static const dense_way winograd = {winograd_count, winograd_pack, winograd_run};

const dense_way* dense_choose(const product* p) { return winograd_pays(p) ? &winograd : &dense_plain; }

int32_t dense_run(opforge_call* call, const dense_way* way, const weight_view* view, float* packed, product p) {
    way->pack(call, view, packed);
    p.weights = packed;
    return way->run(call, &p);
}

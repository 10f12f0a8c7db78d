/* Copies between planes and lanes. Included once per type. */
#include "transpose.h"

typedef struct NAME(copying) {
    const regions* r;
    T *planes, *lanes;
    int is_back;
} NAME(copying);

/* Units are blocks. */
static int32_t NAME(copy_part)(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const NAME(copying)* c = (const NAME(copying)*)argument;
    const regions* r = c->r;
    int64_t pixels = pixels_of(r), step = step_of(r);
    (void)worker;
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t block = unit % blocks_of(r), group = unit / blocks_of(r) % groups_of(r);
        int64_t image = unit / blocks_of(r) / groups_of(r), n = min_int64(step, r->depth - block * step);
        T* planes = c->planes + plane_at(r, image, group, block * step);
        T* lanes = c->lanes + lanes_at(r, image, group, block);
        if (c->is_back) NAME(transpose)(lanes, pixels, n, step, planes, r->parts * pixels);
        else NAME(transpose)(planes, n, pixels, r->parts * pixels, lanes, step);
    }
    return OPFORGE_OK;
}

static int32_t NAME(copy_lanes)(const regions* r, void* planes, void* lanes, int is_back) {
    NAME(copying) c = {r, (T*)planes, (T*)lanes, is_back};
    int64_t units = r->images * groups_of(r) * blocks_of(r);
    return r->call->host->parallel(r->call, units, 1, 0, NAME(copy_part), &c);
}

/* Boxes on pictures, of whose bins each is made of pixels: what such operators have in common. */
#ifndef DETECTION_REGIONS_H
#define DETECTION_REGIONS_H

#include <opforge/abi.h>

/* How the pixels of a bin are found. */
enum { ALIGNED, ROTATED, AVERAGED, DEFORMED, LARGEST };

/* Channels are `classes` times `depth` times `parts`: a bin of a class reads those of one part, `depth` of
 * them. Without parts and classes, which are 1 then, that is all of them. */
typedef struct regions {
    opforge_call* call;
    int64_t images, channels, height, width;
    int64_t boxes, columns;
    int64_t bins_y, bins_x;
    int64_t classes, depth, parts;
    int64_t parts_y, parts_x;
    int32_t kind, dtype;
    float scale;
    int is_centered; /* pixels have their coordinates in the middle */
    int64_t samples; /* along each axis of a bin; 0 or less: one for each pixel */
    int64_t moves;   /* along each axis of a box, for which `trans` has numbers; 0: nothing moves */
    float move_scale;
    const void *rois, *trans;
    void *planes, *lanes; /* pictures, and their copy with channels innermost or NULL; or their gradients */
    void *out, *trans_grad;
    void* places;          /* of the largest pixels, int32 */
} regions;

/* An operator's own: the kind of its boxes, and what attributes and shapes say of them. */
typedef struct region_kind {
    int32_t kind;
    void (*describe)(const opforge_call* call, regions* r); /* NULL: there is no more to say */
} region_kind;

/* Pictures, boxes and results of an operator whose `state` is a region_kind. */
regions detection_describe_regions(opforge_call* call);

/* Functions of such operators. */
int32_t detection_plan_regions(opforge_call* call);
int32_t detection_sum_regions(opforge_call* call);
int32_t detection_spread_regions(opforge_call* call);

#define REGIONS_OPERATOR(title, creator)                                                            \
    {.head = OPFORGE_HEAD(opforge_operator), .name = title, .create = creator,                      \
     .plan = detection_plan_regions, .forward = detection_sum_regions,                              \
     .backward = detection_spread_regions, .flags = OPFORGE_WANTED}

OPFORGE_INLINE int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
OPFORGE_INLINE int64_t pixels_of(const regions* r) { return r->height * r->width; }
OPFORGE_INLINE int64_t bins_of(const regions* r) { return r->bins_y * r->bins_x; }
OPFORGE_INLINE int64_t groups_of(const regions* r) { return r->classes * r->parts; }

/* Where the plane of a group's channel begins; the next one's is `parts` planes behind. */
OPFORGE_INLINE int64_t plane_at(const regions* r, int64_t image, int64_t group, int64_t channel) {
    int64_t of_part = group / r->parts * r->depth + channel;
    return (image * r->channels + of_part * r->parts + group % r->parts) * pixels_of(r);
}

/* ## Copies of pictures whose channels lie innermost, in blocks: (image, group, block, pixel, lane) */

enum { LANES = 64 };

OPFORGE_INLINE int64_t step_of(const regions* r) { return least(r->depth, LANES); }
OPFORGE_INLINE int64_t blocks_of(const regions* r) { return (r->depth + LANES - 1) / LANES; }

/* Where a block begins. */
OPFORGE_INLINE int64_t lanes_at(const regions* r, int64_t image, int64_t group, int64_t block) {
    return ((image * groups_of(r) + group) * blocks_of(r) + block) * pixels_of(r) * step_of(r);
}

/* Copying pays where boxes read more than there is. */
OPFORGE_INLINE int lanes_pay(const regions* r) {
    return r->depth >= 8 && r->boxes * bins_of(r) * 16 >= r->images * pixels_of(r);
}

/* Bytes of a copy; 0 where it does not pay. */
OPFORGE_INLINE int64_t lanes_bytes(const regions* r) {
    int64_t bytes = lanes_at(r, r->images, 0, 0) * opforge_item_size(r->dtype);
    return lanes_pay(r) ? (bytes + 63) / 64 * 64 : 0;
}

#endif

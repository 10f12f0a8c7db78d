/* Shared code of the operators that pool the bins of boxes on images. */
#ifndef DETECTION_REGIONS_H
#define DETECTION_REGIONS_H

#include <opforge/abi.h>

/* Selection of the pixels of a bin. */
enum { ALIGNED, ROTATED, AVERAGED, DEFORMED, LARGEST };

/* There are `classes` x `depth` x `parts` channels; a bin of a class reads the `depth` channels of one part.
 * Without classes and parts, both are 1 and a bin reads all channels. */
typedef struct regions {
    opforge_call* call;
    int64_t images, channels, height, width;
    int64_t boxes, columns;
    int64_t bins_y, bins_x;
    int64_t classes, depth, parts;
    int64_t parts_y, parts_x;
    int32_t kind, dtype;
    float scale;
    int is_centered; /* whether integer coordinates are centers of pixels */
    int64_t samples; /* along each axis of a bin; 0 or less: one per pixel */
    int64_t offsets; /* number of offsets in `trans` along each axis of a box; 0: none */
    float offset_scale;
    const void *rois, *trans;
    void *planes, *lanes; /* images and their copy with channels innermost, or NULL; or gradients */
    void *out, *trans_grad;
    void* positions; /* of the largest pixels, int32 */
} regions;

/* Description of an operator: its kind, and a function that reads its attributes and shapes. */
typedef struct region_kind {
    int32_t kind;
    void (*describe)(const opforge_call* call, regions* r); /* may be NULL */
} region_kind;

/* Describe a call of an operator whose `state` is a region_kind. */
regions detection_describe_regions(opforge_call* call);

/* Functions of these operators. */
int32_t detection_plan_regions(opforge_call* call);
int32_t detection_regions_forward(opforge_call* call);
int32_t detection_regions_backward(opforge_call* call);

#define REGIONS_OPERATOR(title, creator)                                                            \
    {.head = OPFORGE_HEAD(opforge_operator), .name = title, .create = creator,                      \
     .plan = detection_plan_regions, .forward = detection_regions_forward,                              \
     .backward = detection_regions_backward, .flags = OPFORGE_WANTED}

OPFORGE_INLINE int64_t min_int64(int64_t a, int64_t b) { return a < b ? a : b; }
OPFORGE_INLINE int64_t pixels_of(const regions* r) { return r->height * r->width; }
OPFORGE_INLINE int64_t bins_of(const regions* r) { return r->bins_y * r->bins_x; }
OPFORGE_INLINE int64_t groups_of(const regions* r) { return r->classes * r->parts; }

/* Return the offset of the plane of a group's channel; the next channel is `parts` planes later. */
OPFORGE_INLINE int64_t plane_at(const regions* r, int64_t image, int64_t group, int64_t channel) {
    int64_t of_part = group / r->parts * r->depth + channel;
    return (image * r->channels + of_part * r->parts + group % r->parts) * pixels_of(r);
}

/* ## Copies of images with blocks of channels innermost: (image, group, block, pixel, lane) */

enum { LANES = 64 };

OPFORGE_INLINE int64_t step_of(const regions* r) { return min_int64(r->depth, LANES); }
OPFORGE_INLINE int64_t blocks_of(const regions* r) { return (r->depth + LANES - 1) / LANES; }

/* Return the offset of a block. */
OPFORGE_INLINE int64_t lanes_at(const regions* r, int64_t image, int64_t group, int64_t block) {
    return ((image * groups_of(r) + group) * blocks_of(r) + block) * pixels_of(r) * step_of(r);
}

/* Copying is worthwhile if boxes read more pixels than the images have. */
OPFORGE_INLINE int use_lanes(const regions* r) {
    return r->depth >= 8 && r->boxes * bins_of(r) * 16 >= r->images * pixels_of(r);
}

/* Return the bytes of the copy, or 0 if it is not worthwhile. */
OPFORGE_INLINE int64_t lanes_bytes(const regions* r) {
    int64_t bytes = lanes_at(r, r->images, 0, 0) * opforge_item_size(r->dtype);
    return use_lanes(r) ? (bytes + 63) / 64 * 64 : 0;
}

#endif

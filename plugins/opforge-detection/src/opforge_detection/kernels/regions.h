/* Loops over boxes: sums over the pixels of each bin, and gradients of images and offsets. Included once per type. */
#include "lanes.h"
#include "bins.h"

static int64_t NAME(buffer_bytes)(const regions* r, int64_t values) {
    return (int64_t)sizeof(NAME(buffers)) + (r->height + r->width) * (int64_t)sizeof(NAME(axis_tap)) +
           values * (int64_t)sizeof(T);
}

static NAME(buffers)* NAME(make_buffers)(const regions* r, void* scratch, NAME(apply_taps) take) {
    NAME(buffers)* buffers = (NAME(buffers)*)scratch;
    buffers->rows.items = (NAME(axis_tap)*)(buffers + 1);
    buffers->columns.items = buffers->rows.items + r->height;
    buffers->values = (T*)(buffers->columns.items + r->width);
    buffers->taps.n = 0;
    buffers->taps.take = take;
    return buffers;
}

static const T* NAME(box_at)(const regions* r, int64_t box) { return (const T*)r->rois + box * r->columns; }

/* Return the image of a box, or -1 if it has none or images have no pixels. */
static int64_t NAME(image_of)(const regions* r, int64_t box) {
    T image = NAME(box_at)(r, box)[0];
    return image > -1 && r->images * pixels_of(r) > 0 ? (int64_t)image : -1;
}

/* Check the assumptions of the loops about boxes. */
static int32_t NAME(check_boxes)(const regions* r) {
    for (int64_t i = 0; i < r->boxes; i++) {
        const T* box = NAME(box_at)(r, i);
        if (!(box[0] > -1) || r->images == 0) continue;
        if (box[0] >= (T)r->images) {
            return opforge_fail(r->call, OPFORGE_ERROR,
                                "rois[%lld] is on image %.0f, but data has %lld images; use a negative image to skip "
                                "a box",
                                (long long)i, (double)box[0], (long long)r->images);
        }
        if (r->is_centered && !(box[3] > box[1] && box[4] > box[2])) {
            return opforge_fail(r->call, OPFORGE_ERROR,
                                "rois[%lld] has corners (%g, %g) and (%g, %g); expected a positive width and height "
                                "with aligned=True",
                                (long long)i, (double)box[1], (double)box[2], (double)box[3], (double)box[4]);
        }
    }
    return OPFORGE_OK;
}

static int64_t NAME(part_of)(const regions* r, const NAME(bin)* bin) {
    return bin->y * r->parts_y / r->bins_y * r->parts_x + bin->x * r->parts_x / r->bins_x;
}

/* Return the channels of a group starting at a block; `planes` and `lanes` are images or their gradients. */
static NAME(cell) NAME(cell_at)(const regions* r, int64_t image, int64_t group, int64_t block, int64_t channels,
                                T* values) {
    int64_t step = step_of(r);
    T* pixels = r->lanes != NULL ? (T*)r->lanes + lanes_at(r, image, group, block)
                                 : (T*)r->planes + plane_at(r, image, group, block * step);
    return (NAME(cell)){pixels, values, channels, pixels_of(r) * step, step, pixels_of(r) * r->parts};
}

static NAME(bin) NAME(bin_at)(const regions* r, int64_t box, int64_t class_index, int64_t number) {
    return (NAME(bin)){NAME(box_at)(r, box), box, class_index, number / r->bins_x, number % r->bins_x};
}

static T* NAME(out_at)(const regions* r, int64_t box, int64_t class_index) {
    return (T*)r->out + (box * r->classes + class_index) * r->depth * bins_of(r);
}

/* -- forward: units are boxes ---------------------------------------------------------------------------------- */

static int32_t NAME(sum_part)(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const regions* r = (const regions*)argument;
    NAME(apply_taps) gather = r->lanes != NULL ? NAME(gather_lanes) : NAME(gather_planes);
    NAME(buffers)* buffers = NAME(make_buffers)(r, worker->scratch, gather);
    int64_t bins = bins_of(r), each = bins * r->depth;
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t box = unit / r->classes, k = unit % r->classes, image = NAME(image_of)(r, box);
        memset(buffers->values, 0, (size_t)each * sizeof(T));
        for (int64_t i = 0; i < bins && image >= 0; i++) {
            NAME(bin) bin = NAME(bin_at)(r, box, k, i);
            int64_t group = k * r->parts + NAME(part_of)(r, &bin);
            buffers->taps.cell = NAME(cell_at)(r, image, group, 0, r->depth, buffers->values + i * r->depth);
            NAME(add_bin)(r, &bin, buffers);
        }
        NAME(transpose)(buffers->values, bins, r->depth, r->depth, NAME(out_at)(r, box, k), bins);
    }
    return OPFORGE_OK;
}

/* -- gradient of images: units are blocks of channels of a group, which process boxes in order ------------------ */

static int32_t NAME(scatter_part)(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const regions* r = (const regions*)argument;
    NAME(apply_taps) scatter = r->lanes != NULL ? NAME(scatter_lanes) : NAME(scatter_planes);
    NAME(buffers)* buffers = NAME(make_buffers)(r, worker->scratch, scatter);
    int64_t bins = bins_of(r), step = step_of(r);
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t block = unit % blocks_of(r), group = unit / blocks_of(r) % groups_of(r);
        int64_t image = unit / blocks_of(r) / groups_of(r), k = group / r->parts;
        int64_t channels = min_int64(step, r->depth - block * step);
        buffers->taps.cell = NAME(cell_at)(r, image, group, block, channels, buffers->values);
        if (r->lanes != NULL) memset(buffers->taps.cell.pixels, 0, (size_t)(pixels_of(r) * step) * sizeof(T));
        for (int64_t box = 0; box < r->boxes; box++) {
            if (NAME(image_of)(r, box) != image) continue;
            const T* grad = NAME(out_at)(r, box, k) + block * step * bins;
            for (int64_t i = 0; i < bins; i++) {
                NAME(bin) bin = NAME(bin_at)(r, box, k, i);
                if (NAME(part_of)(r, &bin) != group % r->parts) continue;
                for (int64_t c = 0; c < channels; c++) buffers->values[c] = grad[c * bins + i];
                NAME(add_bin)(r, &bin, buffers);
            }
        }
    }
    return OPFORGE_OK;
}

/* -- gradient of offsets: units are boxes ------------------------------------------------------------------------ */

static void NAME(add_slope)(const regions* r, const NAME(bin)* bin, int axis, const T* grad, NAME(buffers)* buffers) {
    T low = bin->box[1 + axis], high = bin->box[3 + axis], sum = 0;
    int64_t bins = axis == 0 ? r->bins_x : r->bins_y;
    memset(buffers->values, 0, (size_t)r->depth * sizeof(T));
    NAME(add_deformed)(r, bin, axis, buffers);
    NAME(flush)(&buffers->taps);
    for (int64_t c = 0; c < r->depth; c++) sum += buffers->values[c] * grad[c * bins_of(r)];
    T size = NAME(inclusive_axis)(r, low, high, bins, (T)0.5).bin * (T)bins;
    if (size - size == 0) ((T*)r->trans_grad)[NAME(offset_index)(r, bin, axis)] += sum * size * (T)r->offset_scale;
}

static int32_t NAME(slope_part)(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const regions* r = (const regions*)argument;
    NAME(apply_taps) gather = r->lanes != NULL ? NAME(gather_lanes) : NAME(gather_planes);
    NAME(buffers)* buffers = NAME(make_buffers)(r, worker->scratch, gather);
    int64_t bins = bins_of(r), offsets = 2 * r->offsets * r->offsets;
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t box = unit / r->classes, k = unit % r->classes, image = NAME(image_of)(r, box);
        memset((T*)r->trans_grad + unit * offsets, 0, (size_t)offsets * sizeof(T));
        for (int64_t i = 0; i < bins && image >= 0; i++) {
            NAME(bin) bin = NAME(bin_at)(r, box, k, i);
            int64_t group = k * r->parts + NAME(part_of)(r, &bin);
            buffers->taps.cell = NAME(cell_at)(r, image, group, 0, r->depth, buffers->values);
            for (int axis = 0; axis < 2; axis++) NAME(add_slope)(r, &bin, axis, NAME(out_at)(r, box, k) + i, buffers);
        }
    }
    return OPFORGE_OK;
}

/* -- entry points -------------------------------------------------------------------------------------------------- */

static int32_t NAME(run_boxes)(regions* r, int64_t values, opforge_part part) {
    int64_t each = bins_of(r) * r->depth;
    int64_t bytes = NAME(buffer_bytes)(r, values);
    return r->call->host->parallel(r->call, r->boxes * r->classes, 1 + 2048 / each, bytes, part, r);
}

static int32_t NAME(sum_boxes)(regions* r) {
    int32_t status = NAME(check_boxes)(r);
    if (!status && r->lanes != NULL) status = NAME(copy_lanes)(r, r->planes, r->lanes, 0);
    return status ? status : NAME(run_boxes)(r, bins_of(r) * r->depth, NAME(sum_part));
}

static int32_t NAME(scatter_boxes)(regions* r) {
    int32_t status = NAME(check_boxes)(r);
    int64_t units = r->images * groups_of(r) * blocks_of(r);
    if (status) return status;
    /* No group covers the remaining channels. */
    if (r->lanes == NULL || groups_of(r) * r->depth < r->channels) {
        memset(r->planes, 0, (size_t)(r->images * r->channels * pixels_of(r)) * sizeof(T));
    }
    status = r->call->host->parallel(r->call, units, 1, NAME(buffer_bytes)(r, LANES), NAME(scatter_part), r);
    return status || r->lanes == NULL ? status : NAME(copy_lanes)(r, r->planes, r->lanes, 1);
}

static int32_t NAME(slope_boxes)(regions* r) {
    int32_t status = NAME(check_boxes)(r);
    if (!status && r->lanes != NULL) status = NAME(copy_lanes)(r, r->planes, r->lanes, 0);
    return status ? status : NAME(run_boxes)(r, r->depth, NAME(slope_part));
}

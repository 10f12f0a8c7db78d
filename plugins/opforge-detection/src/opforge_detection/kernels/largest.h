/* Largest pixel of each bin of a box, and its position. Included once per type. */
#include "lanes.h"

/* Half-open range of pixels along both axes. */
typedef struct NAME(window) {
    int64_t top, bottom, left, right;
} NAME(window);

/* Return the image of a box, or -1 if the box or its image is invalid. */
static int64_t NAME(valid_image_of)(const regions* r, int64_t box) {
    const T* x = (const T*)r->rois + box * r->columns;
    T all = x[1] + x[2] + x[3] + x[4];
    return x[0] > -1 && x[0] < (T)r->images && all - all == 0 ? (int64_t)x[0] : -1;
}

/* Round a coordinate, clipped to a range that no image exceeds. */
static int64_t NAME(rounded)(T coordinate) { return (int64_t)fmin(fmax(round((double)coordinate), -1e9), 1e9); }

/* Find the pixels of a bin along an axis. */
static void NAME(edges_of)(const regions* r, T low, T high, int64_t bin, int64_t bins, int64_t length, int64_t* begin,
                           int64_t* end) {
    int64_t first = NAME(rounded)(low * (T)r->scale), last = NAME(rounded)(high * (T)r->scale);
    T each = (T)(last < first ? 1 : last - first + 1) / (T)bins;
    *begin = min_int64((int64_t)floor((double)((T)bin * each)) + first, length);
    *end = min_int64((int64_t)ceil((double)((T)(bin + 1) * each)) + first, length);
    if (*begin < 0) *begin = 0;
}

static NAME(window) NAME(window_of)(const regions* r, int64_t box, int64_t bin) {
    const T* x = (const T*)r->rois + box * r->columns;
    NAME(window) w;
    NAME(edges_of)(r, x[2], x[4], bin / r->bins_x, r->bins_y, r->height, &w.top, &w.bottom);
    NAME(edges_of)(r, x[1], x[3], bin % r->bins_x, r->bins_x, r->width, &w.left, &w.right);
    return w;
}

/* Inlined with a constant `lanes`, so that the maxima stay in registers. As in MXNet, comparisons with NaN are false
 * and the initial maximum is -FLT_MAX. */
static inline __attribute__((always_inline)) void NAME(find_largest)(const regions* r, NAME(window) w, const T* pixels,
                                                                     int64_t step, int64_t lanes, T* values,
                                                                     int32_t* positions) {
    T largest[LANES];
    int32_t at[LANES];
    for (int64_t c = 0; c < lanes; c++) {
        largest[c] = -FLT_MAX;
        at[c] = -1;
    }
    for (int64_t y = w.top; y < w.bottom; y++) {
        for (int64_t x = w.left; x < w.right; x++) {
            int64_t pixel = y * r->width + x;
            for (int64_t c = 0; c < lanes; c++) {
                T value = pixels[pixel * step + c];
                at[c] = value > largest[c] ? (int32_t)pixel : at[c];
                largest[c] = value > largest[c] ? value : largest[c];
            }
        }
    }
    memcpy(values, largest, (size_t)lanes * sizeof(T));
    memcpy(positions, at, (size_t)lanes * sizeof(int32_t));
}

static void NAME(find_in_lanes)(const regions* r, NAME(window) w, int64_t image, T* values, int32_t* positions) {
    for (int64_t block = 0; block < blocks_of(r); block++) {
        const T* pixels = (const T*)r->lanes + lanes_at(r, image, 0, block);
        int64_t first = block * LANES, lanes = min_int64(LANES, r->depth - first);
        if (lanes == LANES) NAME(find_largest)(r, w, pixels, LANES, LANES, values + first, positions + first);
        else NAME(find_largest)(r, w, pixels, step_of(r), lanes, values + first, positions + first);
    }
}

static void NAME(find_in_planes)(const regions* r, NAME(window) w, int64_t image, T* values, int32_t* positions) {
    for (int64_t c = 0; c < r->depth; c++) {
        NAME(find_largest)(r, w, (const T*)r->planes + plane_at(r, image, 0, c), 1, 1, values + c, positions + c);
    }
}

/* Units are boxes. */
static int32_t NAME(largest_part)(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const regions* r = (const regions*)argument;
    int64_t bins = bins_of(r), each = bins * r->depth;
    T* values = (T*)worker->scratch;
    int32_t* positions = (int32_t*)(values + each);
    for (int64_t box = begin; box < end; box++) {
        int64_t image = NAME(valid_image_of)(r, box);
        memset(values, 0, (size_t)each * sizeof(T));
        memset(positions, -1, (size_t)each * sizeof(int32_t));
        for (int64_t i = 0; i < bins && image >= 0; i++) {
            NAME(window) w = NAME(window_of)(r, box, i);
            if (w.top >= w.bottom || w.left >= w.right) continue;
            if (r->lanes != NULL) NAME(find_in_lanes)(r, w, image, values + i * r->depth, positions + i * r->depth);
            else NAME(find_in_planes)(r, w, image, values + i * r->depth, positions + i * r->depth);
        }
        NAME(transpose)(values, bins, r->depth, r->depth, (T*)r->out + box * each, bins);
        transpose_i32(positions, bins, r->depth, r->depth, (int32_t*)r->positions + box * each, bins);
    }
    return OPFORGE_OK;
}

enum { NAME(CHANNELS) = 8 }; /* channels per unit; the results of a box for them are contiguous */

/* Add gradients at the positions of the largest pixels. Units are channels of an image; each processes boxes in order. */
static int32_t NAME(return_part)(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const regions* r = (const regions*)argument;
    int64_t bins = bins_of(r), pixels = pixels_of(r), units = (r->channels + NAME(CHANNELS) - 1) / NAME(CHANNELS);
    (void)worker;
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t image = unit / units, first = unit % units * NAME(CHANNELS);
        int64_t last = min_int64(first + NAME(CHANNELS), r->channels);
        T* planes = (T*)r->planes + image * r->channels * pixels;
        memset(planes + first * pixels, 0, (size_t)((last - first) * pixels) * sizeof(T));
        for (int64_t box = 0; box < r->boxes; box++) {
            if (NAME(valid_image_of)(r, box) != image) continue;
            for (int64_t c = first; c < last; c++) {
                const T* grad = (const T*)r->out + (box * r->channels + c) * bins;
                const int32_t* positions = (const int32_t*)r->positions + (box * r->channels + c) * bins;
                for (int64_t i = 0; i < bins; i++) {
                    if (positions[i] >= 0 && positions[i] < pixels) planes[c * pixels + positions[i]] += grad[i];
                }
            }
        }
    }
    return OPFORGE_OK;
}

static int32_t NAME(find_boxes)(regions* r) {
    int64_t each = bins_of(r) * r->depth, scratch = each * (int64_t)(sizeof(T) + sizeof(int32_t));
    int32_t status = r->lanes == NULL ? OPFORGE_OK : NAME(copy_lanes)(r, r->planes, r->lanes, 0);
    if (status) return status;
    return r->call->host->parallel(r->call, r->boxes, 1 + 2048 / each, scratch, NAME(largest_part), r);
}

static int32_t NAME(return_boxes)(regions* r) {
    int64_t units = r->images * ((r->channels + NAME(CHANNELS) - 1) / NAME(CHANNELS));
    return r->call->host->parallel(r->call, units, 1, 0, NAME(return_part), r);
}

/* The operators _contrib_ROIAlign and _contrib_RROIAlign. */
#include "attributes.h"
#include "operators.h"
#include "regions.h"

static void describe_aligned(const opforge_call* call, regions* r) {
    r->samples = whole_number(call, "sample_ratio");
    r->is_centered = whole_number(call, "aligned") != 0;
    if (!whole_number(call, "position_sensitive")) return;
    r->parts_y = r->bins_y;
    r->parts_x = r->bins_x;
}

static void describe_rotated(const opforge_call* call, regions* r) {
    r->samples = whole_number(call, "sampling_ratio");
}

static int32_t create_aligned(opforge_call* call) {
    static const region_kind kind = {ALIGNED, describe_aligned};
    call->state = (void*)&kind;
    return OPFORGE_OK;
}

static int32_t create_rotated(opforge_call* call) {
    static const region_kind kind = {ROTATED, describe_rotated};
    call->state = (void*)&kind;
    return OPFORGE_OK;
}

const opforge_operator detection_roi_align = REGIONS_OPERATOR("_contrib_ROIAlign", create_aligned);
const opforge_operator detection_rotated_roi_align = REGIONS_OPERATOR("_contrib_RROIAlign", create_rotated);

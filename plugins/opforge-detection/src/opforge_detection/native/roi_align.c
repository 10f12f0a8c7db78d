/* The operators _contrib_ROIAlign and _contrib_RROIAlign. */
#include "operators.h"
#include "regions.h"

static void describe_aligned(const opforge_call* call, regions* r) {
    r->samples = opforge_find(call, "sample_ratio")->integer;
    r->is_centered = opforge_find(call, "aligned")->integer != 0;
    if (!opforge_find(call, "position_sensitive")->integer) return;
    r->parts_y = r->bins_y;
    r->parts_x = r->bins_x;
}

static void describe_rotated(const opforge_call* call, regions* r) {
    r->samples = opforge_find(call, "sampling_ratio")->integer;
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

/* The operators _contrib_PSROIPooling and _contrib_DeformablePSROIPooling. */
#include "attributes.h"
#include "operators.h"
#include "regions.h"

/* Both have as many parts as bins where the number of parts is not given. */
static int64_t or_pooled_size(const opforge_call* call, const char* name) {
    int64_t given = whole_number(call, name);
    return given != 0 ? given : whole_number(call, "pooled_size");
}

static void describe_averaged(const opforge_call* call, regions* r) {
    r->parts_y = r->parts_x = or_pooled_size(call, "group_size");
}

static void describe_deformed(const opforge_call* call, regions* r) {
    r->parts_y = r->parts_x = whole_number(call, "group_size");
    r->samples = whole_number(call, "sample_per_part");
    if (whole_number(call, "no_trans")) return;
    r->moves = or_pooled_size(call, "part_size");
    r->move_scale = (float)real_number(call, "trans_std");
    r->trans = call->inputs[2].data;
    r->classes = call->inputs[2].shape[1] / 2;
}

static int32_t create_averaged(opforge_call* call) {
    static const region_kind kind = {AVERAGED, describe_averaged};
    call->state = (void*)&kind;
    return OPFORGE_OK;
}

static int32_t create_deformed(opforge_call* call) {
    static const region_kind kind = {DEFORMED, describe_deformed};
    call->state = (void*)&kind;
    return OPFORGE_OK;
}

const opforge_operator detection_part_pooling = REGIONS_OPERATOR("_contrib_PSROIPooling", create_averaged);
const opforge_operator detection_deformed_pooling =
    REGIONS_OPERATOR("_contrib_DeformablePSROIPooling", create_deformed);

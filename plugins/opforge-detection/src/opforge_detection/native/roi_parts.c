/* The operators _contrib_PSROIPooling and _contrib_DeformablePSROIPooling. */
#include "operators.h"
#include "regions.h"

/* The number of parts or offsets defaults to the number of bins. */
static int64_t or_pooled_size(const opforge_call* call, const char* name) {
    int64_t given = opforge_find(call, name)->integer;
    return given != 0 ? given : opforge_find(call, "pooled_size")->integer;
}

static void describe_averaged(const opforge_call* call, regions* r) {
    r->parts_y = r->parts_x = or_pooled_size(call, "group_size");
}

static void describe_deformed(const opforge_call* call, regions* r) {
    r->parts_y = r->parts_x = opforge_find(call, "group_size")->integer;
    r->samples = opforge_find(call, "sample_per_part")->integer;
    if (opforge_find(call, "no_trans")->integer) return;
    r->offsets = or_pooled_size(call, "part_size");
    r->offset_scale = (float)opforge_find(call, "trans_std")->number;
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

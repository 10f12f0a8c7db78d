#include "native/window.h"

int64_t number_for(const opforge_call* call, const char* name, int64_t at, int64_t other) {
    const opforge_attribute* found = opforge_find(call, name);
    return found != NULL && at < found->size ? found->integers[at] : other;
}

window read_window(const opforge_call* call) {
    const opforge_tensor *data = &call->inputs[0], *out = &call->outputs[0];
    const opforge_attribute* blocked = opforge_find(call, "blocked");
    int has_channels_last = blocked != NULL && blocked->integer;
    int missing = AXES - (data->ndim - 2 - has_channels_last);
    window w;
    for (int axis = 0; axis < AXES; axis++) {
        int at = axis - missing;
        w.in[axis] = at < 0 ? 1 : data->shape[at + 2];
        w.out[axis] = at < 0 ? 1 : out->shape[at + 2];
        w.kernel[axis] = at < 0 ? 1 : number_for(call, "kernel", at, 1);
        w.stride[axis] = at < 0 ? 1 : number_for(call, "stride", at, 1);
        w.dilate[axis] = at < 0 ? 1 : number_for(call, "dilate", at, 1);
        w.pad[axis] = at < 0 ? 0 : number_for(call, "pad", at, 0);
    }
    return w;
}

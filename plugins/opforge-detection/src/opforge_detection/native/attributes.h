/* Attributes as the operators here ask for them; the declarations say that they are there. */
#ifndef DETECTION_ATTRIBUTES_H
#define DETECTION_ATTRIBUTES_H

#include <opforge/abi.h>

OPFORGE_INLINE int64_t whole_number(const opforge_call* call, const char* name) {
    return opforge_find(call, name)->integer;
}

OPFORGE_INLINE double real_number(const opforge_call* call, const char* name) {
    return opforge_find(call, name)->number;
}

OPFORGE_INLINE int is_text(const opforge_call* call, const char* name, const char* value) {
    return strcmp(opforge_find(call, name)->text, value) == 0;
}

#endif

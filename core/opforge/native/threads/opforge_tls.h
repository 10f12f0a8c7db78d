// Thread-local variables that are allocated when their thread starts.
//
// In a dynamically loaded library they are otherwise allocated on a thread's first access, which aborts
// the process if memory has run out, and each access is a function call. glibc reserves static TLS space
// for small variables; other C libraries do not.
#ifndef OPFORGE_TLS_H
#define OPFORGE_TLS_H

#include <limits.h>

#if defined(__GLIBC__)
#define OPFORGE_FROM_START __attribute__((tls_model("initial-exec")))
#else
#define OPFORGE_FROM_START
#endif

#endif

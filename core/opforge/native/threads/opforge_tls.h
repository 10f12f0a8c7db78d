// Thread-local variables that are there from the start of each thread.
//
// In a library that is loaded at run time they are else allocated at a thread's first access, which
// ends the process where memory has run out, and found by a function call each time. glibc keeps some
// room for small ones; other C libraries do not.
#ifndef OPFORGE_TLS_H
#define OPFORGE_TLS_H

#include <limits.h>

#if defined(__GLIBC__)
#define OPFORGE_FROM_START __attribute__((tls_model("initial-exec")))
#else
#define OPFORGE_FROM_START
#endif

#endif

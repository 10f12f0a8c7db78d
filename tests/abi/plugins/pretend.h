/* The pretended device: memory of the CPU at addresses that the CPU cannot access. */
#ifndef PRETEND_H
#define PRETEND_H

#include <opforge/module.h>

enum { PRETEND = OPFORGE_EXT_DEV, PRETEND_DEVICES = 4 };

/* x86-64 and Arm reject addresses with this bit, and adding to them keeps it. */
#define PRETEND_BIT ((uintptr_t)1 << 62)

static inline void* pretend_address(const void* host) { return (void*)((uintptr_t)host + PRETEND_BIT); }
static inline void* host_address(const void* pretend) { return (void*)((uintptr_t)pretend - PRETEND_BIT); }

/* The stream of a device: any pointer that differs between devices. */
static inline void* pretend_stream(opforge_device device) { return (void*)(uintptr_t)(0x100 + device.id); }

#endif

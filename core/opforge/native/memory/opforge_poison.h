// Marks bytes of the pool as inaccessible for AddressSanitizer; does nothing in other builds.
#ifndef OPFORGE_POISON_H
#define OPFORGE_POISON_H

#include <stddef.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define OPFORGE_ADDRESS_SANITIZER 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define OPFORGE_ADDRESS_SANITIZER 1
#endif

#ifdef OPFORGE_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
static inline void opforge_poison(const void* start, size_t size) {
  __asan_poison_memory_region(start, size);
}
static inline void opforge_unpoison(const void* start, size_t size) {
  __asan_unpoison_memory_region(start, size);
}
#else
static inline void opforge_poison(const void* start, size_t size) { (void)start, (void)size; }
static inline void opforge_unpoison(const void* start, size_t size) { (void)start, (void)size; }
#endif

#endif

// Allocation with malloc, and checks for the memory that libraries allocate on a thread's first use.
//
// Exceptions cannot report that memory has run out: a thread's first exception allocates the thread's
// exception state, and glibc aborts the process if that fails. Even libstdc++'s `new (std::nothrow)`
// throws internally. Objects made at run time are therefore allocated here, with null on failure.
#ifndef OPFORGE_PLAIN_MEMORY_HPP
#define OPFORGE_PLAIN_MEMORY_HPP

#include <cxxabi.h>
#include <stdlib.h>

#include <cstddef>
#include <memory>
#include <new>

#include "opforge_tls.h"

#ifdef _LIBCPP_VERSION  // libc++ has the function but does not declare it
namespace __cxxabiv1 {
struct __cxa_eh_globals;
extern "C" __cxa_eh_globals* __cxa_get_globals() noexcept;
}  // namespace __cxxabiv1
#endif

namespace opforge {

// Base class: `new` of a derived class returns null if memory has run out.
struct FromMalloc {
  static void* operator new(std::size_t size) noexcept { return malloc(size); }
  static void* operator new(std::size_t size, std::align_val_t alignment) noexcept {
    void* memory = nullptr;
    return posix_memalign(&memory, static_cast<std::size_t>(alignment), size) == 0 ? memory : nullptr;
  }
  static void* operator new[](std::size_t size) noexcept { return malloc(size); }
  static void operator delete(void* object) noexcept { free(object); }
  static void operator delete(void* object, std::align_val_t) noexcept { free(object); }
  static void operator delete[](void* objects) noexcept { free(objects); }
};

struct Free {
  void operator()(void* memory) const noexcept { free(memory); }
};

// An array of plain values, not initialized.
template <class Item>
using PlainArray = std::unique_ptr<Item[], Free>;

template <class Item>
PlainArray<Item> make_array(std::size_t count) noexcept {
  return PlainArray<Item>(static_cast<Item*>(malloc(count * sizeof(Item))));
}

// Could malloc provide this many bytes for this thread now? The memory stays on its heap: after a mapped
// block has been freed once, malloc takes further blocks of that size from the heap.
inline bool thread_has_room(std::size_t nbytes) noexcept {
  for (std::size_t size : {2 * nbytes, nbytes}) {
    void* memory = malloc(size);
    asm volatile("" : : "r"(memory) : "memory");  // prevents the compiler from removing the pair
    if (memory == nullptr) return false;
    free(memory);
  }
  return true;
}

// Allocates this thread's exception state, so that it can throw. False if memory has run out.
inline bool prepare_to_throw() noexcept {
  constexpr std::size_t kState = 8 << 10;  // includes the table of libraries with thread-local data
  static thread_local bool can OPFORGE_FROM_START = false;
  if (can) return true;
  if (!thread_has_room(kState)) return false;
  const void* state = abi::__cxa_get_globals();
  asm volatile("" : : "r"(state));
  return can = true;
}

}  // namespace opforge

#endif

// Objects from malloc, and room for what a library allocates by itself at a thread's first need.
//
// Where memory has run out an exception is no way to say so: a thread's first one allocates the
// thread's state for exceptions, and glibc ends the process where that fails. libstdc++'s
// `new (std::nothrow)` throws inside, too. So what is made at run time is made here, and is null.
#ifndef OPFORGE_PLAIN_MEMORY_HPP
#define OPFORGE_PLAIN_MEMORY_HPP

#include <cxxabi.h>
#include <stdlib.h>

#include <cstddef>
#include <memory>
#include <new>

#include "opforge_tls.h"

#ifdef _LIBCPP_VERSION  // has the function, and declares it nowhere
namespace __cxxabiv1 {
struct __cxa_eh_globals;
extern "C" __cxa_eh_globals* __cxa_get_globals() noexcept;
}  // namespace __cxxabiv1
#endif

namespace opforge {

// A base of classes: `new` of one gives null where there is no memory.
struct FromMalloc {
  static void* operator new(std::size_t size) noexcept { return malloc(size); }
  static void* operator new(std::size_t size, std::align_val_t alignment) noexcept {
    void* room = nullptr;
    return posix_memalign(&room, static_cast<std::size_t>(alignment), size) == 0 ? room : nullptr;
  }
  static void* operator new[](std::size_t size) noexcept { return malloc(size); }
  static void operator delete(void* object) noexcept { free(object); }
  static void operator delete(void* object, std::align_val_t) noexcept { free(object); }
  static void operator delete[](void* objects) noexcept { free(objects); }
};

struct Free {
  void operator()(void* memory) const noexcept { free(memory); }
};

// An array of plain values, not initialised.
template <class Item>
using PlainArray = std::unique_ptr<Item[], Free>;

template <class Item>
PlainArray<Item> make_array(std::size_t count) noexcept {
  return PlainArray<Item>(static_cast<Item*>(malloc(count * sizeof(Item))));
}

// Would malloc find so many bytes for this thread now? They come from its heap and stay there: a block
// that malloc maps by itself is followed by another, which it takes from the heap once one was freed.
inline bool thread_has_room(std::size_t nbytes) noexcept {
  for (std::size_t size : {2 * nbytes, nbytes}) {
    void* room = malloc(size);
    asm volatile("" : : "r"(room) : "memory");  // else the pair is left out
    if (room == nullptr) return false;
    free(room);
  }
  return true;
}

// Lets this thread throw: its state for exceptions is there. False: there is no memory for that.
inline bool prepare_to_throw() noexcept {
  constexpr std::size_t kState = 8 << 10;  // and the table of the libraries that have such data
  static thread_local bool can OPFORGE_FROM_START = false;
  if (can) return true;
  if (!thread_has_room(kState)) return false;
  const void* state = abi::__cxa_get_globals();
  asm volatile("" : : "r"(state));
  return can = true;
}

}  // namespace opforge

#endif

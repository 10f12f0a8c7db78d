// Calls of OpenBLAS whose memory is reserved in advance.
//
// OpenBLAS aborts the process if an allocation fails. A call needs two kinds of memory, which are
// allocated at first use and kept: one of the library's buffers, the first that no other call uses, and
// the calling thread's copy of the library's thread-local data. Therefore no more calls run concurrently
// than buffers are known to exist, while others wait, and a thread's data is allocated before its first
// call as soon as memory is available: small products would not need it, but later it may have run out.
#ifndef OPFORGE_BLAS_HPP
#define OPFORGE_BLAS_HPP

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <cstddef>

#include "opforge_blas_reserve.hpp"
#include "opforge_tls.h"
#include "opforge_semaphore.hpp"

// glibc allocates a thread's copy of a library's thread-local data at first use.
#if defined(__GLIBC__) && (defined(__x86_64__) || defined(__aarch64__))
#define OPFORGE_ALLOCATES_THREAD_DATA
extern "C" void* __tls_get_addr(std::size_t* number_and_offset);
#endif

namespace opforge {

inline Semaphore& blas_slots() noexcept {
  static Semaphore* slots = new Semaphore;
  return *slots;
}

// Returns the TLS module ID of a library; 0 if it has no thread-local data or the C library cannot tell.
inline std::size_t tls_module_of(void* library) noexcept {
  std::size_t number = 0;
#if defined(OPFORGE_ALLOCATES_THREAD_DATA)
  if (dlinfo(library, RTLD_DI_TLS_MODID, &number) != 0) number = 0;
#endif
  return number;
}

// Allocates this thread's copy of the thread-local data of a TLS module, unless it exists.
inline void allocate_thread_data(std::size_t number) noexcept {
#if defined(OPFORGE_ALLOCATES_THREAD_DATA)
  std::size_t first_byte[] = {number, 0};
  if (number != 0) asm volatile("" : : "r"(__tls_get_addr(first_byte)));
#endif
}

// TLS module ID of OpenBLAS; set when the library is loaded.
inline std::atomic<std::size_t>& blas_tls_module() noexcept {
  static std::atomic<std::size_t> number{0};
  return number;
}

inline void register_blas_library(void* library) noexcept { blas_tls_module().store(tls_module_of(library)); }

// Returns whether this thread's copy of the data exists, after allocating it if memory is available.
inline bool thread_can_call_blas() noexcept {
  static thread_local bool can OPFORGE_FROM_START = false;
  if (can) return true;
  if (!thread_has_room(kBlasThreadData)) return false;
  allocate_thread_data(blas_tls_module().load());
  return can = true;
}

// Returns false if there is no memory for this thread's data; else leave_blas() must follow.
inline bool enter_blas() noexcept {
  if (!thread_can_call_blas()) return false;
  blas_slots().acquire();
  return true;
}

inline void leave_blas() noexcept { blas_slots().release(); }

// Allows up to `calls` concurrent calls, as far as memory suffices. Returns false if none is possible.
inline bool reserve_blas(Sgemm sgemm, int calls) noexcept {
  calls = calls < kBlasBuffers ? calls : kBlasBuffers;
  if (!thread_can_call_blas()) return false;
  blas_slots().grow(reserve_blas_buffers(sgemm, calls));
  return blas_slots().max() > 0;
}

// First calls made by all threads together, one each; the threads wait briefly for each other.
struct FirstCalls {
  using Clock = std::chrono::steady_clock;

  std::ptrdiff_t wanted;
  std::atomic<std::ptrdiff_t> made{0};
  Clock::time_point end = Clock::now() + std::chrono::milliseconds(50);
};

// Body of a loop over as many units as threads. Each thread allocates its data while memory is plentiful:
// later, another thread could use up the memory between the check and the allocation.
inline void make_first_call(void* arg, std::ptrdiff_t begin, std::ptrdiff_t end) noexcept {
  FirstCalls* calls = static_cast<FirstCalls*>(arg);
  if (enter_blas()) leave_blas();
  calls->made.fetch_add(end - begin);
  while (calls->made.load() < calls->wanted && FirstCalls::Clock::now() < calls->end) sched_yield();
}

inline int register_blas_fork() noexcept {
  return pthread_atfork([] { blas_slots().before_fork(); },
                        [] { blas_slots().after_fork_in_parent(); },
                        [] { blas_slots().after_fork_in_child(); });
}

}  // namespace opforge

#endif

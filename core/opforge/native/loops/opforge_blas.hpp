// Calls of OpenBLAS that find the memory they need, because it was reserved before.
//
// OpenBLAS ends the process where it gets no memory. A call needs two things that are allocated at
// their first use and kept: one of the library's buffers, the first that no other call uses, and the
// calling thread's copy of the library's thread-local data. So no more calls run at once than buffers
// are known to exist, others wait for a turn, and a thread's data is allocated before its first call, at
// once when there is room for it: small products do not need it, and later the room may be gone.
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
#include "opforge_turns.hpp"

// glibc allocates a thread's copy of a library's data at its first use.
#if defined(__GLIBC__) && (defined(__x86_64__) || defined(__aarch64__))
#define OPFORGE_ALLOCATES_THREAD_DATA
extern "C" void* __tls_get_addr(std::size_t* number_and_offset);
#endif

namespace opforge {

inline Turns& blas_turns() noexcept {
  static Turns* turns = new Turns;
  return *turns;
}

// The number of a library among those with thread-local data; 0: none, or the C library does not tell.
inline std::size_t thread_data_of(void* library) noexcept {
  std::size_t number = 0;
#if defined(OPFORGE_ALLOCATES_THREAD_DATA)
  if (dlinfo(library, RTLD_DI_TLS_MODID, &number) != 0) number = 0;
#endif
  return number;
}

// Allocates this thread's copy of that library's data, if it is not there.
inline void allocate_thread_data(std::size_t number) noexcept {
#if defined(OPFORGE_ALLOCATES_THREAD_DATA)
  std::size_t first_byte[] = {number, 0};
  if (number != 0) asm volatile("" : : "r"(__tls_get_addr(first_byte)));
#endif
}

// Of OpenBLAS; written when it is loaded.
inline std::atomic<std::size_t>& blas_thread_data() noexcept {
  static std::atomic<std::size_t> number{0};
  return number;
}

inline void note_blas(void* library) noexcept { blas_thread_data().store(thread_data_of(library)); }

// Is this thread's data there? If not, it is allocated now if there is room.
inline bool thread_can_call_blas() noexcept {
  static thread_local bool can OPFORGE_FROM_START = false;
  if (can) return true;
  if (!thread_has_room(kBlasThreadData)) return false;
  allocate_thread_data(blas_thread_data().load());
  return can = true;
}

// False: this thread has no room for the library's data. Else leave_blas() follows.
inline bool enter_blas() noexcept {
  if (!thread_can_call_blas()) return false;
  blas_turns().take();
  return true;
}

inline void leave_blas() noexcept { blas_turns().give(); }

// Lets up to `calls` run at once, as many as there is memory for. False: not even one.
inline bool reserve_blas(Sgemm sgemm, int calls) noexcept {
  calls = calls < kBlasBuffers ? calls : kBlasBuffers;
  if (!thread_can_call_blas()) return false;
  blas_turns().grow(reserve_blas_buffers(sgemm, calls));
  return blas_turns().all() > 0;
}

// Those who make their first call together, each thread one; they wait a moment for each other.
struct FirstCalls {
  using Clock = std::chrono::steady_clock;

  std::ptrdiff_t wanted;
  std::atomic<std::ptrdiff_t> made{0};
  Clock::time_point end = Clock::now() + std::chrono::milliseconds(50);
};

// A part of a loop over as many units as there are threads. Each allocates its data with memory to
// spare: later another thread may take the room between the look for it and the allocation.
inline void make_first_call(void* arg, std::ptrdiff_t begin, std::ptrdiff_t end) noexcept {
  FirstCalls* calls = static_cast<FirstCalls*>(arg);
  if (enter_blas()) leave_blas();
  calls->made.fetch_add(end - begin);
  while (calls->made.load() < calls->wanted && FirstCalls::Clock::now() < calls->end) sched_yield();
}

inline int register_blas_fork() noexcept {
  return pthread_atfork([] { blas_turns().before_fork(); },
                        [] { blas_turns().after_fork_in_parent(); },
                        [] { blas_turns().after_fork_in_child(); });
}

}  // namespace opforge

#endif

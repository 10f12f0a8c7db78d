// Calls of OpenBLAS that find the memory they need, because it was reserved before.
//
// OpenBLAS ends the process where it gets no memory. A call needs two things that are allocated at
// their first use and kept: one of the library's buffers, the first that no other call uses, and the
// calling thread's copy of the library's thread-local data. So no more calls run at once than buffers
// are known to exist, others wait for a turn, and a thread calls once there is room for its data.
#ifndef OPFORGE_BLAS_HPP
#define OPFORGE_BLAS_HPP

#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <chrono>

#include "opforge_blas_reserve.hpp"
#include "opforge_tls.h"
#include "opforge_turns.hpp"

namespace opforge {

inline Turns& blas_turns() noexcept {
  static Turns* turns = new Turns;
  return *turns;
}

// Is this thread's data there, or sure to find room?
inline bool thread_can_call_blas() noexcept {
  static thread_local bool can OPFORGE_FROM_START = false;
  return can || (can = thread_has_room(kBlasThreadData));
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

  Sgemm sgemm;
  std::ptrdiff_t wanted;
  std::atomic<std::ptrdiff_t> made{0};
  Clock::time_point end = Clock::now() + std::chrono::milliseconds(50);
};

// A part of a loop over as many units as there are threads. The library allocates a thread's data, and
// with memory to spare: later another thread may take the room between the look for it and the call.
inline void make_first_call(void* arg, std::ptrdiff_t begin, std::ptrdiff_t end) noexcept {
  constexpr int kSide = 128;  // smaller ones go to kernels that need no data
  static const float zeros[kSide * kSide] = {};
  float out[kSide * kSide];
  FirstCalls* calls = static_cast<FirstCalls*>(arg);
  if (enter_blas()) {
    calls->sgemm(101, 111, 111, kSide, kSide, kSide, 1.0f, zeros, kSide, zeros, kSide, 0.0f, out,
                 kSide);
    leave_blas();
  }
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

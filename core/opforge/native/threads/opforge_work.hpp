// Registry of threads that are inside a call on arrays, possibly without the GIL.
//
// Code that records that an array has not been written (`seal` in array.pxd) must know of writes that
// began earlier. A call belongs to the epoch in which it began, and an epoch ends when no call of the
// previous epoch is left. Calls that began in epoch e are therefore over in epoch e + 2, however busy
// the threads are. The GIL guards this state.
#ifndef OPFORGE_WORK_HPP
#define OPFORGE_WORK_HPP

#include <cstdint>

#include "opforge_stop.hpp"

namespace opforge {

struct Work {
  std::uint64_t epoch = 0;
  int threads[2] = {0, 0};  // active since an even epoch, since an odd epoch
};

inline Work& work() noexcept {
  static Work state;
  return state;
}

inline void enter_work() noexcept {
  ThreadState& own = thread_state();
  if (own.calls++ != 0) return;
  own.epoch = work().epoch & 1;
  ++work().threads[own.epoch];
}

inline void leave_work() noexcept {
  ThreadState& own = thread_state();
  if (--own.calls == 0) --work().threads[own.epoch];
}

inline bool others_work() noexcept {
  return work().threads[0] + work().threads[1] != (thread_state().calls != 0);
}

// Returns the current epoch, after ending the previous one if possible.
inline std::uint64_t work_epoch() noexcept {
  Work& all = work();
  if (all.threads[(all.epoch + 1) & 1] == 0) ++all.epoch;
  return all.epoch;
}

// In a forked child, calls of other threads never end.
inline void forget_others_work() noexcept {
  const ThreadState& own = thread_state();
  work().threads[0] = work().threads[1] = 0;
  if (own.calls != 0) work().threads[own.epoch] = 1;
}

}  // namespace opforge

#endif

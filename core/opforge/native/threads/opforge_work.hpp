// Which threads are in the middle of a call that works on arrays, perhaps without the GIL.
//
// Who notes that an array was not written since (`seal` in array.pxd) has to know of writes that had
// begun before. A call belongs to the epoch in which it began; an epoch ends when no call of the one
// before it is left. So what had begun in epoch e is over in epoch e + 2, however busy threads are.
// The GIL guards all of this.
#ifndef OPFORGE_WORK_HPP
#define OPFORGE_WORK_HPP

#include <cstdint>

#include "opforge_stop.hpp"

namespace opforge {

struct Work {
  std::uint64_t epoch = 0;
  int threads[2] = {0, 0};  // at work since an even epoch, since an odd one
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

// The present epoch, after the last one has ended if it could.
inline std::uint64_t work_epoch() noexcept {
  Work& all = work();
  if (all.threads[(all.epoch + 1) & 1] == 0) ++all.epoch;
  return all.epoch;
}

// In the child of a fork, calls of other threads never end.
inline void forget_others_work() noexcept {
  const ThreadState& own = thread_state();
  work().threads[0] = work().threads[1] = 0;
  if (own.calls != 0) work().threads[own.epoch] = 1;
}

}  // namespace opforge

#endif

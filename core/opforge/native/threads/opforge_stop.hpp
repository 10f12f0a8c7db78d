// How a loop that runs for long hears of Ctrl-C.
//
// Python notes a signal and handles it when its main thread comes back, which inside a loop of many
// seconds is too late. So a thread that is ready for it (`stoppable`) asks a hook between parts; the
// hook takes the GIL, runs the handlers, and says whether one of them raised. Then the rest of the
// loop is skipped, and so are further loops, until the caller has raised the exception.
#ifndef OPFORGE_STOP_HPP
#define OPFORGE_STOP_HPP

#include <atomic>
#include <chrono>

#include "opforge_tls.h"

#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace opforge {

// What the pool knows of the thread that calls it.
struct ThreadState {
  bool inside = false;     // in a part of a loop: loops of its own run inline
  bool stoppable = false;  // its caller looks at `stopped` before it uses the result
  bool stopped = false;
  int calls = 0;       // that work on arrays now, one inside the other
  int epoch = 0;  // parity of that in which the outermost of them began
};

inline ThreadState& thread_state() noexcept {
  static thread_local ThreadState state OPFORGE_FROM_START;
  return state;
}

using StopHook = int (*)();

inline std::atomic<StopHook>& stop_hook() noexcept {
  static std::atomic<StopHook> hook{nullptr};
  return hook;
}

inline void set_stop_hook(StopHook hook) noexcept { stop_hook().store(hook); }

// Python's handlers run on the process's first thread alone.
inline bool hears_signals() noexcept {
#if defined(__linux__)
  return syscall(SYS_gettid) == getpid();
#else
  return true;
#endif
}

// Asks the hook at most ten times a second.
class StopPoll {
 public:
  explicit StopPoll(bool wanted) noexcept
      : wanted_(wanted && thread_state().stoppable && hears_signals()) {
    if (wanted_) next_ = Clock::now() + kPeriod;
  }

  bool wanted() const noexcept { return wanted_; }

  // Is the loop to end here?
  bool operator()() noexcept {
    if (!wanted_) return false;
    ThreadState& own = thread_state();
    if (own.stopped) return true;  // a loop inside the part that has just ended was the one to ask
    if (Clock::now() < next_) return false;
    next_ = Clock::now() + kPeriod;
    const StopHook hook = stop_hook().load(std::memory_order_relaxed);
    own.stopped = hook != nullptr && hook() != 0;
    return own.stopped;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kPeriod{100};
  bool wanted_;
  Clock::time_point next_{};
};

}  // namespace opforge

#endif

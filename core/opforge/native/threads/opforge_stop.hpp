// Interruption of long loops by Ctrl-C.
//
// Python handles a signal when its main thread returns to the interpreter, which during a loop of many
// seconds is too late. A `stoppable` thread therefore calls a hook between parts. The hook takes the
// GIL, runs the signal handlers and returns whether one raised. If so, the rest of the loop and all
// further loops are skipped until the caller has raised the exception.
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

// The pool's state of the calling thread.
struct ThreadState {
  bool inside = false;     // in a part of a loop: nested loops run inline
  bool stoppable = false;  // the caller checks `stopped` before using results
  bool stopped = false;
  int predictions = 0;  // nested predictions by compiled graphs
  int calls = 0;       // nested calls that currently work on arrays
  int epoch = 0;  // parity of the epoch in which the outermost call began
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

// Python runs signal handlers on the process's main thread only.
inline bool hears_signals() noexcept {
#if defined(__linux__)
  return syscall(SYS_gettid) == getpid();
#else
  return true;
#endif
}

// Calls the hook at most ten times per second.
class StopPoll {
 public:
  explicit StopPoll(bool wanted) noexcept
      : wanted_(wanted && thread_state().stoppable && hears_signals()) {
    if (wanted_) next_ = Clock::now() + kPeriod;
  }

  bool wanted() const noexcept { return wanted_; }

  // Returns whether the loop must stop here.
  bool operator()() noexcept {
    if (!wanted_) return false;
    ThreadState& own = thread_state();
    if (own.stopped) return true;  // a nested loop of the part just finished has called the hook
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

// A thread pool whose threads share the parts of one loop.
//
// Each thread owns a contiguous run of parts, so that successive loops over the same arrays find them
// in the same caches, and steals from other runs when its own is finished. No thread waits for a
// helper that has not joined; a helper that wakes up late finds the loop closed and goes back to sleep.
// Helpers spin for a bounded time before they park. Waking a parked helper costs the caller time, so
// short loops do it only if they follow each other closely (figures: docs/explanation/engine.md).
//
// Invariant: the job's fields are written only while no helper is inside and the job is closed.
#ifndef OPFORGE_PARALLEL_HPP
#define OPFORGE_PARALLEL_HPP

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "opforge_stop.hpp"
#include "opforge_threads.hpp"
#include "opforge_work.hpp"

namespace opforge {

using RangeFn = void (*)(void* arg, std::ptrdiff_t begin, std::ptrdiff_t end);

constexpr int kMaxThreads = 1024;

// One loop: `fn` over [0, n) in `parts` parts. A grain is about 5 us of one thread's work.
struct Job {
  RangeFn fn = nullptr;
  void* arg = nullptr;
  std::ptrdiff_t n = 0, parts = 1;
  double grains = 0;
  bool at_least = false;  // `grains` is a lower bound

  static constexpr double kLongPart = 8192;  // grains: about 40 ms

  // How long the owner spins for the helpers' last parts: twice the duration of a part, about what a
  // wake-up costs. Compared with parts of a millisecond, a wake-up is cheap, so the CPU is yielded instead.
  long wait_us() const noexcept {
    return static_cast<long>(std::min(grains / static_cast<double>(parts) * 10.0, 1000.0));
  }

  bool is_long() const noexcept { return at_least || grains > kLongPart / 4; }

  void run(std::ptrdiff_t i) const noexcept {
    const std::ptrdiff_t size = n / parts, rest = n % parts;
    const std::ptrdiff_t begin = i * size + (i < rest ? i : rest);
    fn(arg, begin, begin + size + (i < rest ? 1 : 0));
  }

  // Keeps the division into parts, because some results depend, bit for bit, on where the cuts fall.
  void run_alone() const noexcept {
    StopPoll stop(is_long());
    for (std::ptrdiff_t i = 0; i < parts && !stop(); ++i) run(i);
  }

  void run_in_one() const noexcept {
    if (is_long()) return run_alone();
    fn(arg, 0, n);
  }
};

// One pool; lives until the process ends, since detached helpers may access it at any time.
class Pool : public FromMalloc {
 public:
  // Runs `job` on this thread and up to `threads - 1` helpers; false if another thread owns the pool.
  bool run(const Job& job, int threads, long spin_us) noexcept {
    if (!owner_.try_lock()) return false;
    spin_us_.store(spin_us, std::memory_order_relaxed);
    const int helpers = static_cast<int>(job.parts < threads ? job.parts : threads) - 1;
    const bool wake = wake_pays(job, threads - 1);
    if (wake) start_helpers(threads - 1);
    if (!wake && awake() <= 0) {
      const auto begin = Clock::now();
      job.run_alone();
      note_loss(begin, Clock::now(), spin_us);
      owner_.unlock();
      return true;
    }
    job_ = job;
    share_out(helpers + 1);
    open(wake ? helpers : 0);
    StopPoll stop(job.is_long());
    work(0, &stop);
    const bool finished = close(std::max(spin_us, job.wait_us()));
    if (finished) owner_.unlock();
    return true;
  }

  // Ends helpers beyond `count` once they are idle.
  void retire(int count) noexcept {
    std::lock_guard<std::mutex> guard(mutex_);
    wanted_ = count;
    retiring_.store(true);
    wake_.notify_all();
  }

 private:
  using Clock = std::chrono::steady_clock;
  // state_: bit 63 open, bit 62 owner asleep, bits 32..61 job number, bits 0..31 helpers inside.
  static constexpr std::uint64_t kOpen = 1ull << 63, kOwnerSleeps = 1ull << 62, kJob = 1ull << 32;
  static constexpr std::uint64_t kInside = kJob - 1, kJobMask = kOwnerSleeps - kJob;
  // A wake-up costs the owner about 20 us, and the helper arrives 20 to 40 us later. A loop of fewer
  // than kWakeWorth grains gains nothing from one; a series of shorter loops does from kWakeLoss on.
  static constexpr double kWakeWorth = 16;
  static constexpr std::chrono::microseconds kWakeLoss{50};

  // One thread's run of parts.
  struct alignas(64) Slot {
    std::atomic<std::ptrdiff_t> next{0};
    std::ptrdiff_t end = 0;
  };

  int awake() const noexcept { return alive_.load() - parked_.load(); }

  // Short loops run on the owner alone until a close series of them has lost as much time as a
  // wake-up costs; from then on the helpers stay awake for the series.
  bool wake_pays(const Job& job, int helpers) noexcept {
    const int awake_now = awake();
    if (awake_now >= helpers) return false;
    if (job.at_least || job.grains >= kWakeWorth) return true;
    if (awake_now > 0 || lost_ < kWakeLoss) return false;
    lost_ = {};
    return true;
  }

  // Records how much longer the loop from `begin` to `end` took than it would have with helpers.
  void note_loss(Clock::time_point begin, Clock::time_point end, long spin_us) noexcept {
    if (begin - last_alone_ > std::chrono::microseconds(spin_us)) lost_ = {};
    lost_ += (end - begin) / 2;
    last_alone_ = end;
  }

  void start_helpers(int count) noexcept {
    if (count == started_ && !retiring_.load(std::memory_order_relaxed)) return;
    std::lock_guard<std::mutex> guard(mutex_);
    wanted_ = count;
    retiring_.store(false);
    started_ = count;
    for (int i = 0; i < count; ++i) {
      if (running_[i]) continue;
      running_[i] = start_detached([this, i] { help(i); });
      if (running_[i]) alive_.fetch_add(1);
    }
  }

  void share_out(int slots) noexcept {
    slots_ = slots;
    for (int s = 0; s < slots; ++s) {
      slot_[s].next.store(job_.parts * s / slots, std::memory_order_relaxed);
      slot_[s].end = job_.parts * (s + 1) / slots;
    }
  }

  void open(int wakes) noexcept {
    const std::uint64_t job = (state_.load(std::memory_order_relaxed) + kJob) & kJobMask;
    state_.store(kOpen | job);
    // A helper registers in parked_ before its last check of state_, so either it sees this job or
    // it is seen here.
    if (wakes == 0 || parked_.load() == 0) return;
    { std::lock_guard<std::mutex> guard(mutex_); }
    for (int i = 0; i < wakes; ++i) wake_.notify_one();
  }

  // Waits until no helper is inside. Returns false in the child of a fork made by a signal handler
  // between two parts: there the helpers' parts are lost.
  bool close(long spin_us) noexcept;

  // Processes parts, beginning with those of slot `own`.
  void work(int own, StopPoll* stop) noexcept {
    for (int k = 0; k < slots_; ++k) {
      Slot& slot = slot_[(own + k) % slots_];
      while (slot.next.load(std::memory_order_relaxed) < slot.end) {
        const std::ptrdiff_t i = slot.next.fetch_add(1, std::memory_order_relaxed);
        if (i >= slot.end) break;
        job_.run(i);
        if (stop != nullptr && (*stop)()) return drain();
      }
    }
  }

  void drain() noexcept {
    for (int s = 0; s < slots_; ++s) slot_[s].next.store(slot_[s].end, std::memory_order_relaxed);
  }

  bool has_job(std::uint64_t seen) const noexcept {
    const std::uint64_t state = state_.load(std::memory_order_acquire);
    return (state & kOpen) != 0 && (state & kJobMask) != seen;
  }

  // Waits for a job other than `seen`; false if this helper is to end.
  bool await(int index, std::uint64_t seen) noexcept {
    const auto ready = [&] { return has_job(seen) || retiring_.load(std::memory_order_relaxed); };
    if (spin_until(ready, spin_us_.load(std::memory_order_relaxed)) && has_job(seen)) return true;
    std::unique_lock<std::mutex> lock(mutex_);
    parked_.fetch_add(1);
    while (!has_job(seen) && index < wanted_) wake_.wait(lock);
    parked_.fetch_sub(1);
    if (index < wanted_) return true;
    running_[index] = false;
    alive_.fetch_sub(1);
    return false;
  }

  void help(int index) noexcept {
    thread_state().inside = true;
    std::uint64_t seen = ~0ull;
    while (await(index, seen)) {
      std::uint64_t state = state_.load(std::memory_order_acquire);
      while ((state & kOpen) != 0 && (state & kJobMask) != seen) {
        if (!state_.compare_exchange_weak(state, state + 1)) continue;
        seen = state & kJobMask;
        work((index + 1) % slots_, nullptr);
        state = state_.fetch_sub(1) - 1;
        if ((state & kInside) == 0 && (state & kOwnerSleeps) != 0) {
          std::lock_guard<std::mutex> guard(mutex_);
          left_.notify_one();
        }
        break;
      }
    }
  }

  std::mutex owner_;  // held by the thread whose loop is running; only ever tried, never waited for
  alignas(64) std::atomic<std::uint64_t> state_{0};
  alignas(64) Job job_;
  int slots_ = 1;
  Slot slot_[kMaxThreads];
  // Used by the owner only.
  int started_ = 0;
  Clock::duration lost_{};  // by short loops since the last wake-up
  Clock::time_point last_alone_{};
  std::atomic<long> spin_us_{0};
  std::mutex mutex_;  // guards running_ and wanted_, and both condition variables
  std::condition_variable wake_, left_;
  bool running_[kMaxThreads] = {};
  int wanted_ = 0;
  std::atomic<int> alive_{0}, parked_{0};
  std::atomic<bool> retiring_{false};
};

// Process-wide state; all of it is valid in a forked child.
struct Parallel {
  std::atomic<Pool*> pool{nullptr};
  std::atomic<int> threads{1};
  std::atomic<long> spin_us{50};
  std::atomic<int> predicting{0};  // threads inside a prediction
};

inline Parallel& parallel() noexcept {
  static Parallel state;
  return state;
}

inline bool Pool::close(long spin_us) noexcept {
  if (parallel().pool.load(std::memory_order_relaxed) != this) {
    thread_state().stopped = true;
    return false;
  }
  state_.fetch_and(~kOpen);
  const auto empty = [this] { return (state_.load(std::memory_order_acquire) & kInside) == 0; };
  if (spin_until(empty, spin_us)) return true;
  std::unique_lock<std::mutex> lock(mutex_);
  state_.fetch_or(kOwnerSleeps);
  while (!empty()) left_.wait(lock);
  state_.fetch_and(~kOwnerSleeps);
  return true;
}

inline Pool* pool() noexcept {
  Parallel& all = parallel();
  Pool* found = all.pool.load(std::memory_order_acquire);
  if (found != nullptr) return found;
  Pool* fresh = new Pool;
  if (fresh == nullptr) return nullptr;
  if (all.pool.compare_exchange_strong(found, fresh)) return fresh;
  delete fresh;  // another thread was faster, and no helper uses this one yet
  return found;
}

// With more parts than threads, punctual threads take over the share of one that wakes up late. Longer
// loops are cut into more parts (of eight grains or more), because finished threads wait for the last.
inline double parts_of(double grains, int threads) noexcept {
  double parts = grains < 4.0 * threads ? grains : 4.0 * threads;
  if (grains > 32.0 * threads) parts = grains < 128.0 * threads ? grains / 8.0 : 16.0 * threads;
  const double short_enough = grains / Job::kLongPart;
  return short_enough > parts ? short_enough : parts;
}

inline void enter_prediction() noexcept {
  if (thread_state().predictions++ == 0) parallel().predicting.fetch_add(1);
}

inline void leave_prediction() noexcept {
  if (--thread_state().predictions == 0) parallel().predicting.fetch_sub(1);
}

inline int n_predicting() noexcept {
  return parallel().predicting.load(std::memory_order_relaxed);
}

// With a client for every thread, each request is computed by its own thread: helpers would only take
// CPUs from other requests, and their owner would wait until they get one.
inline bool every_thread_predicts(const ThreadState& own, int threads) noexcept {
  return own.predictions != 0 && n_predicting() >= threads;
}

// Runs `fn` over [0, n), a loop of `grains` grains of work; with `at_least`, that is a lower bound.
inline void run_loop(std::ptrdiff_t n, double grains, bool at_least, RangeFn fn,
                     void* arg) noexcept {
  if (n <= 0) return;
  ThreadState& own = thread_state();
  if (own.stopped) return;
  const int threads = parallel().threads.load(std::memory_order_relaxed);
  const double parts = parts_of(grains, threads);
  Job job;
  job.fn = fn;
  job.arg = arg;
  job.n = n;
  job.parts = parts < static_cast<double>(n) ? static_cast<std::ptrdiff_t>(parts) : n;
  job.grains = grains;
  job.at_least = at_least;
  if (job.parts <= 1) return fn(arg, 0, n);
  if (own.inside || threads <= 1) return job.run_in_one();
  if (every_thread_predicts(own, threads)) return job.run_alone();
  Pool* shared = pool();
  own.inside = true;
  const long spin_us = parallel().spin_us.load(std::memory_order_relaxed);
  if (shared == nullptr || !shared->run(job, threads, spin_us)) job.run_alone();
  own.inside = false;
}

// `grain` units make one grain; a single unit may be many grains.
inline void parallel_for(std::ptrdiff_t n, std::ptrdiff_t grain, RangeFn fn, void* arg) noexcept {
  if (grain < 1) grain = 1;
  run_loop(n, static_cast<double>(n / grain), grain == 1, fn, arg);
}

inline void parallel_for_worth(std::ptrdiff_t n, double grains, RangeFn fn, void* arg) noexcept {
  run_loop(n, grains, false, fn, arg);
}

inline void set_threads(int count) noexcept {
  parallel().threads.store(count);
  Pool* shared = parallel().pool.load();
  if (shared != nullptr) shared->retire(count - 1);
}

inline int get_threads() noexcept { return parallel().threads.load(std::memory_order_relaxed); }

inline void set_spin(long microseconds) noexcept { parallel().spin_us.store(microseconds); }

// A forked child has no helpers, and threads that no longer exist may hold the old pool's locks, so the
// old pool is abandoned; the first loop creates a new one.
inline void forget_pool_after_fork() noexcept {
  parallel().pool.store(nullptr);
  thread_state().inside = false;
  parallel().predicting.store(thread_state().predictions != 0);
  forget_others_work();
}

inline int register_pool_fork() noexcept {
  return pthread_atfork(nullptr, nullptr, forget_pool_after_fork);
}

}  // namespace opforge

#endif

// Shared by the loop pool and the engine: bounded spinning, and threads with signals blocked.
#ifndef OPFORGE_THREADS_HPP
#define OPFORGE_THREADS_HPP

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <chrono>
#include <utility>

#include "opforge_plain_memory.hpp"

namespace opforge {

inline void cpu_relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield" ::: "memory");
#endif
}

// Spins until `done()` holds or `microseconds` have passed; returns whether it held. Yields the CPU, and
// ends early if another thread took it, since there are then more threads than CPUs.
template <class Done>
bool spin_until(Done done, long microseconds) noexcept {
  using Clock = std::chrono::steady_clock;
  constexpr auto kPreempted = std::chrono::microseconds(30);
  if (done()) return true;
  if (microseconds <= 0) return false;
  auto now = Clock::now();
  const auto end = now + std::chrono::microseconds(microseconds);
  do {
    for (int round = 0; round < 4; ++round) {
      for (int i = 0; i < 32; ++i) {
        if (done()) return true;
        cpu_relax();
      }
    }
    const auto last = now;
    now = Clock::now();
    if (now - last > kPreempted) return done();
  } while (now < end);
  return done();
}

// The function and argument of a thread.
template <class Body>
struct Start : FromMalloc {
  Body body;

  explicit Start(Body given) : body(std::move(given)) {}

  static void* run(void* start) {
    std::unique_ptr<Start>(static_cast<Start*>(start))->body();
    return nullptr;
  }
};

// Starts a thread with all signals blocked, because Python's main thread handles them. False if threads
// or memory have run out: the caller then does the work alone.
template <class Body>
bool start_thread(Body body, pthread_t* thread) noexcept {
  using Own = Start<Body>;
  std::unique_ptr<Own> start(new Own(std::move(body)));
  if (start == nullptr) return false;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const bool started = pthread_create(thread, nullptr, Own::run, start.get()) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (started) start.release();
  return started;
}

template <class Body>
bool start_detached(Body body) noexcept {
  pthread_t thread;
  if (!start_thread(std::move(body), &thread)) return false;
  pthread_detach(thread);
  return true;
}

}  // namespace opforge

#endif

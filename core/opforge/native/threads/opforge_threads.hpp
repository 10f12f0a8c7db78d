// What the loop pool and the engine share: bounded spinning, and threads that hear no signals.
#ifndef OPFORGE_THREADS_HPP
#define OPFORGE_THREADS_HPP

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <chrono>
#include <new>
#include <system_error>
#include <thread>

namespace opforge {

inline void cpu_relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield" ::: "memory");
#endif
}

// Spins until `done()` holds or `microseconds` have passed; returns whether it held. Gives the CPU to
// whoever waits for it, and ends early where somebody had it: then there are more threads than CPUs.
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

// Starts a thread that receives no signals (they belong to Python's main thread).
template <class Body>
bool start_thread(Body body, std::thread* thread) noexcept {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool started = true;
  try {
    *thread = std::thread(body);
  } catch (const std::system_error&) {
    started = false;  // out of threads: the caller does the work alone
  } catch (const std::bad_alloc&) {
    started = false;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started;
}

template <class Body>
bool start_detached(Body body) noexcept {
  std::thread thread;
  if (!start_thread(body, &thread)) return false;
  thread.detach();
  return true;
}

}  // namespace opforge

#endif

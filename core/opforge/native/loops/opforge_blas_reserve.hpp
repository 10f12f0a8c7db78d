// Makes OpenBLAS allocate buffers for a number of concurrent calls.
//
// The library has no function for this. Threads compute products until all products have been observed to
// run at the same moment, which proves that as many buffers exist, however the threads are scheduled.
#ifndef OPFORGE_BLAS_RESERVE_HPP
#define OPFORGE_BLAS_RESERVE_HPP

#include <sched.h>
#include <sys/mman.h>

#include <atomic>
#include <chrono>

#include "opforge_threads.hpp"

namespace opforge {

using Sgemm = void (*)(int, int, int, int, int, int, float, const float*, int, const float*, int,
                       float, float*, int);

constexpr int kBlasBuffers = 64;                     // of at most 128 in the library
constexpr std::size_t kBlasBuffer = 32u << 20;       // address space of one
constexpr std::size_t kBlasThreadData = 192u << 10;  // bytes per thread, with a margin

// Returns whether `nbytes` of address space can be mapped.
inline bool can_map(std::size_t nbytes) noexcept {
  void* block = mmap(nullptr, nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED) return false;
  munmap(block, nbytes);
  return true;
}

// Product of matrices of ones, repeated until stopped.
class EndlessProduct : public FromMalloc {
 public:
  static constexpr int kSide = 256;  // 0.4 ms

  void run(Sgemm sgemm, const float* ones, const std::atomic<bool>& done) noexcept {
    if (!thread_has_room(kBlasThreadData)) return;
    float nothing = 0;
    do {
      iteration_.fetch_add(1);  // odd: the result is being reset
      for (int corner : kCorners) __atomic_store(out_ + corner, &nothing, __ATOMIC_SEQ_CST);
      iteration_.fetch_add(1);
      sgemm(101, 111, 111, kSide, kSide, kSide, 1.0f, ones, kSide, ones, kSide, 1.0f, out_, kSide);
    } while (!done.load());
  }

  // Returns the iteration whose result is partly written, or -1.
  long started_iteration() const noexcept {
    const long iteration = iteration_.load();
    return iteration % 2 == 0 && any([](float x) { return x > 0; }) ? iteration : -1;
  }

  // Returns whether the result of that iteration is still incomplete.
  bool still_runs(long iteration) const noexcept {
    return iteration >= 0 && any([](float x) { return x < kSide; }) && iteration_.load() == iteration;
  }

 private:
  static constexpr int kCorners[] = {0, kSide - 1, kSide * (kSide - 1), kSide * kSide - 1};

  template <class Test>
  bool any(Test test) const noexcept {
    for (int corner : kCorners) {
      float x;
      __atomic_load(out_ + corner, &x, __ATOMIC_SEQ_CST);
      if (test(x)) return true;
    }
    return false;
  }

  std::atomic<long> iteration_{0};
  float out_[kSide * kSide] = {};
};

// Returns how many of the first `count` products run at the same moment.
inline int count_running(const EndlessProduct* products, int count) noexcept {
  long iterations[kBlasBuffers];
  int running = 0;
  for (int i = 0; i < count; ++i) iterations[i] = products[i].started_iteration();
  for (int i = 0; i < count; ++i) running += products[i].still_runs(iterations[i]);
  return running;
}

// Returns the number of concurrent calls for which buffers exist: `wanted`, or fewer if memory runs out.
inline int reserve_blas_buffers(Sgemm sgemm, int wanted) noexcept {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kPatience{200};
  constexpr std::size_t kMargin = 16u << 20;  // a thread's stack and allocations of other threads
  constexpr int kOnes = EndlessProduct::kSide * EndlessProduct::kSide;
  PlainArray<float> ones = make_array<float>(kOnes);
  std::unique_ptr<EndlessProduct[]> products(new EndlessProduct[wanted]);
  pthread_t threads[kBlasBuffers];
  std::atomic<bool> done{false};
  if (!ones || !products || !can_map(kBlasBuffer + kMargin)) return 0;
  for (int i = 0; i < kOnes; ++i) ones[i] = 1;
  done.store(true);
  products[0].run(sgemm, ones.get(), done);  // one product
  done.store(false);
  int started = 0, most = 1;
  for (; wanted > 1 && started < wanted; ++started) {
    if (!can_map((started + 1) * kBlasBuffer + kMargin)) break;
    const auto body = [&, product = &products[started]] { product->run(sgemm, ones.get(), done); };
    if (!start_thread(body, &threads[started])) break;
  }
  const auto end = Clock::now() + kPatience;
  while (most < started && Clock::now() < end) {
    const int running = count_running(products.get(), started);
    if (running > most) most = running;
    sched_yield();
  }
  done.store(true);
  for (int i = 0; i < started; ++i) pthread_join(threads[i], nullptr);
  return most;
}

}  // namespace opforge

#endif

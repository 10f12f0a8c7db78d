// Makes OpenBLAS allocate buffers for a number of calls at once.
//
// It has no function for that. Threads multiply side by side until all of their products were seen to
// run at one moment: then there are as many buffers. Having seen it is the proof; how the threads were
// scheduled does not matter.
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

constexpr int kBlasBuffers = 64;                     // of the 128 that the library has places for
constexpr std::size_t kBlasBuffer = 32u << 20;       // addresses of one
constexpr std::size_t kBlasThreadData = 192u << 10;  // bytes of one thread, some to spare

// Is there room for `nbytes` of addresses?
inline bool has_room(std::size_t nbytes) noexcept {
  void* room = mmap(nullptr, nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return false;
  munmap(room, nbytes);
  return true;
}

// A product of ones, over and over.
class EndlessProduct : public FromMalloc {
 public:
  static constexpr int kSide = 256;  // 0.4 ms

  void run(Sgemm sgemm, const float* ones, const std::atomic<bool>& done) noexcept {
    if (!thread_has_room(kBlasThreadData)) return;
    float nothing = 0;
    do {
      turn_.fetch_add(1);  // odd: nobody judges
      for (int place : kCorners) __atomic_store(out_ + place, &nothing, __ATOMIC_SEQ_CST);
      turn_.fetch_add(1);
      sgemm(101, 111, 111, kSide, kSide, kSide, 1.0f, ones, kSide, ones, kSide, 1.0f, out_, kSide);
    } while (!done.load());
  }

  // The turn in which something has been written, or -1.
  long begun() const noexcept {
    const long turn = turn_.load();
    return turn % 2 == 0 && any([](float x) { return x > 0; }) ? turn : -1;
  }

  // Is something not yet written to its end in that turn?
  bool still_runs(long turn) const noexcept {
    return turn >= 0 && any([](float x) { return x < kSide; }) && turn_.load() == turn;
  }

 private:
  static constexpr int kCorners[] = {0, kSide - 1, kSide * (kSide - 1), kSide * kSide - 1};

  template <class Test>
  bool any(Test test) const noexcept {
    for (int place : kCorners) {
      float x;
      __atomic_load(out_ + place, &x, __ATOMIC_SEQ_CST);
      if (test(x)) return true;
    }
    return false;
  }

  std::atomic<long> turn_{0};
  float out_[kSide * kSide] = {};
};

// How many of the first `count` products run at one moment.
inline int count_running(const EndlessProduct* products, int count) noexcept {
  long turns[kBlasBuffers];
  int running = 0;
  for (int i = 0; i < count; ++i) turns[i] = products[i].begun();
  for (int i = 0; i < count; ++i) running += products[i].still_runs(turns[i]);
  return running;
}

// Returns for how many calls at once there are buffers: up to `wanted`, and fewer where memory ends.
inline int reserve_blas_buffers(Sgemm sgemm, int wanted) noexcept {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kPatience{200};
  constexpr std::size_t kMargin = 16u << 20;  // a thread's stack, what other threads take meanwhile
  constexpr int kOnes = EndlessProduct::kSide * EndlessProduct::kSide;
  PlainArray<float> ones = make_array<float>(kOnes);
  std::unique_ptr<EndlessProduct[]> products(new EndlessProduct[wanted]);
  pthread_t threads[kBlasBuffers];
  std::atomic<bool> done{false};
  if (!ones || !products || !has_room(kBlasBuffer + kMargin)) return 0;
  for (int i = 0; i < kOnes; ++i) ones[i] = 1;
  done.store(true);
  products[0].run(sgemm, ones.get(), done);  // once
  done.store(false);
  int started = 0, most = 1;
  for (; wanted > 1 && started < wanted; ++started) {
    if (!has_room((started + 1) * kBlasBuffer + kMargin)) break;
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

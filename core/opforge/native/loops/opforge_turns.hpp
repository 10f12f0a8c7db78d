// A number of turns that threads take and give back; who finds none waits.
//
// Taking and giving are two atomic operations while there are enough; the lock is for those who wait.
#ifndef OPFORGE_TURNS_HPP
#define OPFORGE_TURNS_HPP

#include <atomic>
#include <condition_variable>
#include <mutex>

namespace opforge {

class Turns {
 public:
  // Raises their number to `count`.
  void grow(int count) noexcept {
    for (; all_ < count; ++all_) give();
  }

  int all() const noexcept { return all_; }

  void take() noexcept {
    if (try_take()) return;
    std::unique_lock<std::mutex> lock(*mutex_);
    waiting_.fetch_add(1);
    while (!try_take()) given_->wait(lock);
    waiting_.fetch_sub(1);
  }

  void give() noexcept {
    free_.fetch_add(1);
    // Who waits says so before it looks for the last time: either it sees this turn or we see it.
    if (waiting_.load() == 0) return;
    std::lock_guard<std::mutex> guard(*mutex_);
    given_->notify_one();
  }

  // Nobody has a turn while the process forks, so that what turns are for is whole in the child.
  void before_fork() noexcept {
    fork_->lock();
    for (int i = 0; i < all_; ++i) take();
  }
  void after_fork_in_parent() noexcept {
    for (int i = 0; i < all_; ++i) give();
    fork_->unlock();
  }
  void after_fork_in_child() noexcept {
    mutex_ = new std::mutex;
    given_ = new std::condition_variable;
    fork_ = new std::mutex;
    waiting_.store(0);
    free_.store(all_);
  }

 private:
  bool try_take() noexcept {
    int free = free_.load();
    while (free > 0)
      if (free_.compare_exchange_weak(free, free - 1)) return true;
    return false;
  }

  int all_ = 0;
  std::atomic<int> free_{0}, waiting_{0};
  // Pointers, so that the child of a fork can leave locks behind that other threads held.
  std::mutex* mutex_ = new std::mutex;
  std::condition_variable* given_ = new std::condition_variable;
  std::mutex* fork_ = new std::mutex;
};

}  // namespace opforge

#endif

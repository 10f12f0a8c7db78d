// Counting semaphore that survives a fork.
//
// Acquiring and releasing are atomic operations while the count is positive; the lock is only taken to
// wait, and to wake a waiting thread.
#ifndef OPFORGE_SEMAPHORE_HPP
#define OPFORGE_SEMAPHORE_HPP

#include <atomic>
#include <condition_variable>
#include <mutex>

namespace opforge {

class Semaphore {
 public:
  // Raises the maximum count to `count`.
  void grow(int count) noexcept {
    for (; max_ < count; ++max_) release();
  }

  int max() const noexcept { return max_; }

  void acquire() noexcept {
    if (try_acquire()) return;
    std::unique_lock<std::mutex> lock(*mutex_);
    waiting_.fetch_add(1);
    while (!try_acquire()) released_->wait(lock);
    waiting_.fetch_sub(1);
  }

  void release() noexcept {
    count_.fetch_add(1);
    // A waiting thread increments `waiting_` before its last attempt: either that attempt sees this
    // release, or this load sees the waiting thread.
    if (waiting_.load() == 0) return;
    std::lock_guard<std::mutex> guard(*mutex_);
    released_->notify_one();
  }

  // No thread holds the semaphore during a fork, so that the protected resource is consistent in the child.
  void before_fork() noexcept {
    fork_mutex_->lock();
    for (int i = 0; i < max_; ++i) acquire();
  }
  void after_fork_in_parent() noexcept {
    for (int i = 0; i < max_; ++i) release();
    fork_mutex_->unlock();
  }
  void after_fork_in_child() noexcept {
    mutex_ = new std::mutex;
    released_ = new std::condition_variable;
    fork_mutex_ = new std::mutex;
    waiting_.store(0);
    count_.store(max_);
  }

 private:
  bool try_acquire() noexcept {
    int count = count_.load();
    while (count > 0)
      if (count_.compare_exchange_weak(count, count - 1)) return true;
    return false;
  }

  int max_ = 0;
  std::atomic<int> count_{0}, waiting_{0};
  // Pointers, so that the child of a fork can abandon locks that other threads held.
  std::mutex* mutex_ = new std::mutex;
  std::condition_variable* released_ = new std::condition_variable;
  std::mutex* fork_mutex_ = new std::mutex;
};

}  // namespace opforge

#endif

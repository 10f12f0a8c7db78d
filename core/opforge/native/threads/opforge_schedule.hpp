// The schedule: queues of all variables, and the heap of ready tasks.
//
// Contains no locks or threads; the engine holds its lock around every call. Nothing here allocates
// after `reserve`, so every accepted task completes.
#ifndef OPFORGE_SCHEDULE_HPP
#define OPFORGE_SCHEDULE_HPP

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>

#include "opforge_task.hpp"

namespace opforge {

// Drops one reference to `var`; with the last one, the caller receives its error and drops it unlocked.
inline void drop(Variable* var, ErrorPtr& garbage) {
  if (--var->refs > 0) return;
  garbage.swap(var->error);
  delete var;
}

class Schedule {
 public:
  Task* first() const { return first_; }
  std::uint64_t last_seq() const { return last_seq_; }
  // May be called without the lock.
  int ready() const { return n_ready_.load(std::memory_order_relaxed); }

  // Reserves space for one more task; false if memory has run out.
  bool reserve() {
    if (capacity_ > incomplete_) return true;
    const std::size_t wanted = std::max<std::size_t>(64, 2 * incomplete_);
    PlainArray<Task*> larger = make_array<Task*>(wanted);
    if (larger == nullptr) return false;
    std::copy(ready_.get(), ready_.get() + n_ready_, larger.get());
    ready_ = std::move(larger);
    capacity_ = wanted;
    return true;
  }

  // Queues `task`. It becomes ready when its last access is granted; with `by_hand` it never does, and
  // the caller runs it once `missing` is 0.
  void add(Task* task, bool by_hand) {
    ++incomplete_;
    task->seq = ++last_seq_;
    task->by_hand = by_hand;
    task->prev = last_;
    (last_ != nullptr ? last_->next : first_) = task;
    last_ = task;
    task->missing = static_cast<int>(task->accesses.size());
    for (Access& access : task->accesses) {
      link(access);
      const Access* before = access.prev;
      if (before == nullptr || (!access.writes && before->granted && !before->writes)) {
        access.granted = true;
        --task->missing;
      }
    }
    if (task->missing == 0) make_ready(task);
  }

  Task* take() {
    std::pop_heap(ready_.get(), ready_.get() + n_ready_, RunsLater());
    return ready_[--n_ready_];
  }

  // Empties the heap of ready tasks; from now on no task becomes ready.
  void hold() {
    held_ = true;
    n_ready_ = 0;
  }

  void release() { held_ = false; }

  // Completes `task`: stores the outcome on its variables and grants the accesses behind it. Replaced
  // errors stay with the task, to be dropped without the lock. Returns whether a thread is waiting
  // for one of the variables.
  bool settle(Task* task, const ErrorPtr& error) {
    bool awaited = false;
    --incomplete_;
    for (Access& access : task->accesses) {
      Variable* var = access.var;
      unlink(access);
      if (access.writes) {
        task->garbage.add(var->error);
        var->error = error;
        var->failed.store(error != nullptr);
        var->version.fetch_add(1);
        var->pending_writes.fetch_sub(1);
      }
      grant(var);
      var->pending.fetch_sub(1);
      awaited = awaited || var->waiters > 0;
      task->garbage.add(nullptr);
      drop(var, task->garbage.back());
    }
    (task->prev != nullptr ? task->prev->next : first_) = task->next;
    (task->next != nullptr ? task->next->prev : last_) = task->prev;
    return awaited;
  }

 private:
  void grant(Variable* var) {
    for (Access* a = var->head; a != nullptr; a = a->next) {
      if (a->writes && a != var->head) return;
      if (!a->granted) {
        a->granted = true;
        if (--a->task->missing == 0) make_ready(a->task);
      }
      if (a->writes) return;
    }
  }

  void make_ready(Task* task) {
    if (held_ || task->by_hand) return;
    ready_[n_ready_++] = task;
    std::push_heap(ready_.get(), ready_.get() + n_ready_, RunsLater());
  }

  PlainArray<Task*> ready_;  // heap of n_ready_ tasks
  std::size_t capacity_ = 0;
  std::atomic<int> n_ready_{0};
  std::size_t incomplete_ = 0;
  Task* first_ = nullptr;
  Task* last_ = nullptr;
  std::uint64_t last_seq_ = 0;
  bool held_ = false;
};

}  // namespace opforge

#endif

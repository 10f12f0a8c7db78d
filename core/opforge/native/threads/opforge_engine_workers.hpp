// Execution of the engine's tasks, by worker threads or inline by the pushing thread.
#ifndef OPFORGE_ENGINE_WORKERS_HPP
#define OPFORGE_ENGINE_WORKERS_HPP

#include "opforge_engine_class.hpp"

namespace opforge {

inline int Engine::workers_to_wake() const {
  const int ready = schedule_.ready();
  return ready < idle_ ? ready : idle_;
}

inline void Engine::start_workers() {
  while (idle_ < schedule_.ready() && live_ - blocked_ < wanted_ &&
         live_ < wanted_ + kSpareWorkers) {
    if (!start_detached([this, generation = generation_] { work(generation); })) return;
    ++live_;
    ++idle_;
  }
}

inline void Engine::run(Lock& lock, Task* task, ErrorPtr* failure) {
  ErrorPtr error;
  for (const Access& access : task->accesses)
    if (access.reads && error == nullptr) error = access.var->error;
  task->running = true;
  task->outer = current_task();
  current_task() = task;
  lock.unlock();
  if (error != nullptr) {
    task->release(task->arg);
  } else {
    void* payload = nullptr;
    const int status = task->fn(task->arg, &payload);
    if (status != 0) error = error_from(status, payload);
  }
  current_task() = task->outer;
  lock = Lock(*mutex_);
  if (schedule_.settle(task, error) || all_waiters_ > 0) done_->notify_all();
  start_workers();
  if (error != nullptr && (first_error_ == nullptr || first_error_->reported.load())) {
    task->garbage.add(first_error_);
    first_error_ = error;
  }
  // A worker picks up the next task itself.
  const int wakes = workers_to_wake() - (is_worker() && blocked_ == 0 ? 1 : 0);
  lock.unlock();
  for (int i = 0; i < wakes; ++i) wake_->notify_one();
  delete task;
  if (failure != nullptr) *failure = std::move(error);
  error.reset();
  lock.lock();
}

inline ErrorPtr Engine::error_from(int status, void* payload) {
  if (Error* error = status == kNoMemory ? nullptr : new Error(status, payload))
    return ErrorPtr(error);
  drop_payload(payload);
  memory_error_->reported.store(false);
  return memory_error_;
}

inline int Engine::run_inline(Lock& lock, Task* task, ErrorPtr* failure) {
  if ((stopped_ || current_task() != nullptr) && must_wait(*task)) {
    lock.unlock();  // it would wait for a task that cannot complete before it
    task->release(task->arg);
    delete task;
    return kDeadlock;
  }
  schedule_.add(task, true);
  ++all_waiters_;
  while (task->missing > 0) done_->wait(lock);
  --all_waiters_;
  run(lock, task, failure);
  return *failure == nullptr ? kDone : (*failure)->status;
}

inline void Engine::work(std::uint64_t generation) {
  is_worker() = true;
  Lock lock(*mutex_);
  while (generation == generation_) {
    if (schedule_.ready() == 0 && !stopped_) {
      lock.unlock();
      spin_until([this] { return schedule_.ready() > 0; }, spin_us_);
      lock.lock();
      while (schedule_.ready() == 0 && !stopped_ && live_ - blocked_ <= wanted_) wake_->wait(lock);
    }
    if (schedule_.ready() == 0 || live_ - blocked_ > wanted_) {
      --idle_;
      --live_;
      if (schedule_.ready() > 0) wake_->notify_one();
      return;
    }
    --idle_;
    run(lock, schedule_.take());
    if (generation != generation_) return;  // the task forked, and this is the child
    ++idle_;
  }
}

}  // namespace opforge

#endif

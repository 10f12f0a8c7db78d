// Waits of threads for the tasks of one array or for all tasks, with deadlock detection.
#ifndef OPFORGE_ENGINE_WAITS_HPP
#define OPFORGE_ENGINE_WAITS_HPP

#include "opforge_engine_class.hpp"

namespace opforge {

inline bool Engine::finished(const Wait& wait) {
  if (!wait.write) return wait.var->version.load() >= wait.target;
  return wait.var->head == nullptr || wait.var->head->task->seq > wait.target;
}

inline void Engine::set_outer_waits(Variable* var, bool write) {
  for (Task* task = current_task()->outer; task != nullptr; task = task->outer) {
    task->waits_on = var;
    task->waits_write = write;
  }
}

template <class Done>
inline bool Engine::block(Lock& lock, int milliseconds, Done done) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  const bool worker = is_worker();
  if (worker) ++blocked_;
  start_workers();
  while (!done() && std::chrono::steady_clock::now() < end) {
    if (live_ - blocked_ <= 0 && schedule_.ready() > 0)
      run(lock, schedule_.take());
    else
      done_->wait_until(lock, end);
  }
  if (worker) --blocked_;
  return done();
}

inline int Engine::begin_wait(Wait* wait) {
  Lock lock(*mutex_);
  Variable* var = wait->var;
  wait->target = wait->write ? schedule_.last_seq() : var->pushed_writes;
  if (finished(*wait)) return kDone;
  Task* own = current_task();
  for (const Task* task = own; task != nullptr; task = task->outer)
    for (const Access& access : task->accesses)
      if (access.var == var && (access.writes || !wait->write)) return kDone;  // granted already
  if (own != nullptr) {
    if (!prepare_to_throw()) return kNoMemory;
    if (needs_current(var, wait->write)) return kDeadlock;
  }
  ++var->refs;
  if (own == nullptr) return kTimeout;
  own->waits_on = var;
  own->waits_write = wait->write;
  if (own->outer == nullptr) return kTimeout;
  wait->outer_on = own->outer->waits_on;
  wait->outer_write = own->outer->waits_write;
  set_outer_waits(var, wait->write);
  return kTimeout;
}

inline int Engine::wait_slice(const Wait* wait, int milliseconds) {
  const Variable* seen = wait->var;
  if (spin_until([&] { return (wait->write ? seen->pending : seen->pending_writes).load() == 0; },
                 spin_us_))
    return kDone;
  Lock lock(*mutex_);
  ++wait->var->waiters;
  const bool done = block(lock, milliseconds, [&] { return finished(*wait); });
  --wait->var->waiters;
  return done ? kDone : kTimeout;
}

inline void Engine::end_wait(const Wait* wait) {
  ErrorPtr garbage;
  Lock lock(*mutex_);
  if (Task* own = current_task()) {
    own->waits_on = nullptr;
    set_outer_waits(wait->outer_on, wait->outer_write);
  }
  drop(wait->var, garbage);
  lock.unlock();
}

inline int Engine::wait_all_slice(std::uint64_t target, int milliseconds) {
  Lock lock(*mutex_);
  if (current_task() != nullptr && !current_task()->inherited) return kDeadlock;
  ++all_waiters_;
  const bool done = block(lock, milliseconds, [&] {
    const Task* oldest = schedule_.first();
    while (oldest != nullptr && oldest->inherited) oldest = oldest->next;
    return oldest == nullptr || oldest->seq > target;
  });
  --all_waiters_;
  return done ? kDone : kTimeout;
}

inline bool Engine::others_done(std::uint64_t target) {
  Lock lock(*mutex_);
  for (const Task* task = schedule_.first(); task != nullptr; task = task->next)
    if (task->seq <= target && !in_chain(task)) return false;
  return true;
}

}  // namespace opforge

#endif

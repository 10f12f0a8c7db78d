// The dependency engine: runs pushed tasks on worker threads in an order that respects their variables.
//
// One lock guards everything. It is never held while a task runs, an error object is dropped or a
// Python lock is taken, so a thread that holds the GIL may wait for it. The engine is never
// destroyed: detached workers may access it until the process ends.
#ifndef OPFORGE_ENGINE_CLASS_HPP
#define OPFORGE_ENGINE_CLASS_HPP

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "opforge_schedule.hpp"
#include "opforge_threads.hpp"

namespace opforge {

// True on the engine's own threads.
inline bool& is_worker() {
  static thread_local bool worker OPFORGE_FROM_START = false;
  return worker;
}

// One wait of one thread, from begin_wait to end_wait.
struct Wait {
  Variable* var = nullptr;
  bool write = false;
  std::uint64_t target = 0;  // write: the number of a task; read: the number of a write to `var`
  Variable* outer_on = nullptr;  // the variable that the outer tasks were waiting for
  bool outer_write = false;
};

class Engine {
 public:
  static constexpr int kSpareWorkers = 256;  // replacements for workers whose task is waiting

  void configure(int workers, bool inline_only, long spin_us) {
    Lock lock(*mutex_);
    wanted_ = workers;
    inline_ = inline_only;
    spin_us_ = spin_us;
    wake_->notify_all();
  }

  Variable* new_var() { return new Variable; }

  void free_var(Variable* var) {
    ErrorPtr garbage;
    Lock lock(*mutex_);
    drop(var, garbage);
    lock.unlock();
  }

  // Takes ownership of `arg`. Returns kDone, or the status of a task that ran inline, with its error
  // in `*failure`. On kNoMemory, `arg` has been released and nothing else has changed.
  int push(TaskFn fn, void* arg, ReleaseFn release, Variable* const* read, int n_read,
           Variable* const* write, int n_write, int priority, ErrorPtr* failure) {
    Task* task = new Task;
    Lock lock(*mutex_, std::defer_lock);
    bool has_memory = task != nullptr && collect_accesses(*task, read, n_read, write, n_write);
    if (has_memory) {
      lock.lock();
      has_memory = schedule_.reserve();
      if (!has_memory) lock.unlock();
    }
    if (!has_memory) {
      release(arg);
      delete task;
      return kNoMemory;
    }
    task->fn = fn;
    task->arg = arg;
    task->release = release;
    task->priority = priority;
    if (inline_ || stopped_) return run_inline(lock, task, failure);
    schedule_.add(task, false);
    start_workers();
    const int wakes = workers_to_wake();
    lock.unlock();
    if (wakes > 0) wake_->notify_one();
    return kDone;
  }

  // Begins a wait on `var`. kDone: nothing to wait for; kDeadlock: the wait could never end;
  // kTimeout: call wait_slice until it is done, then end_wait in any case; kNoMemory: nothing has
  // begun. Cycle detection and registration of the wait are one atomic step, so that the last of
  // several tasks that form a cycle detects it.
  int begin_wait(Wait* wait);

  int wait_slice(const Wait* wait, int milliseconds);

  void end_wait(const Wait* wait);

  // Waits until the tasks pushed up to `target` are complete.
  int wait_all_slice(std::uint64_t target, int milliseconds);

  // For the fork handlers: are all tasks pushed up to `target` complete, except those of this thread?
  bool others_done(std::uint64_t target);

  std::uint64_t last_seq() {
    Lock lock(*mutex_);
    return schedule_.last_seq();
  }

  ErrorPtr error_of(Variable* var) {
    Lock lock(*mutex_);
    return var->error;
  }

  void forget_error(Variable* var) {
    ErrorPtr garbage;
    Lock lock(*mutex_);
    garbage.swap(var->error);
    var->failed.store(false);
    lock.unlock();
  }

  // Returns and clears the first error that no wait has raised yet.
  ErrorPtr take_first_error() {
    ErrorPtr found;
    Lock lock(*mutex_);
    found.swap(first_error_);
    lock.unlock();
    return found != nullptr && !found->reported.load() ? found : nullptr;
  }

  // Drops tasks that have not started and stops the workers; later pushes run inline. Returns the
  // number of tasks still running.
  int stop() {
    Task* dropped = nullptr;
    Lock lock(*mutex_);
    stopped_ = true;
    schedule_.hold();
    int running = 0;
    for (Task* task = schedule_.first(); task != nullptr;) {
      Task* next = task->next;
      if (task->running) {
        ++running;
      } else {
        schedule_.settle(task, dropped_error_);
        task->next = dropped;
        dropped = task;
      }
      task = next;
    }
    wake_->notify_all();
    done_->notify_all();
    lock.unlock();
    while (dropped != nullptr) {
      Task* task = dropped;
      dropped = task->next;
      task->release(task->arg);
      delete task;
    }
    return running;
  }

  int live() {
    Lock lock(*mutex_);
    return live_;
  }

  void before_fork() { mutex_->lock(); }
  void after_fork_in_parent() { mutex_->unlock(); }

  // Only this thread survives a fork. Tasks of the other threads are lost, and their variables are
  // marked failed. Locks and tasks that those threads may have been using are leaked, not freed.
  void after_fork_in_child() {
    mutex_ = new std::mutex;
    wake_ = new std::condition_variable;
    done_ = new std::condition_variable;
    ++generation_;
    live_ = idle_ = blocked_ = all_waiters_ = 0;
    first_error_.leak();  // without the GIL it cannot be dropped here, nor can the tasks' references
    schedule_.hold();
    for (Task* task = schedule_.first(); task != nullptr;) {
      Task* next = task->next;
      if (in_chain(task))
        task->inherited = true;
      else
        schedule_.settle(task, lost_error_);
      task = next;
    }
    schedule_.release();
  }

 private:
  using Lock = std::unique_lock<std::mutex>;

  static ErrorPtr made_at_start(Status status) {
    Error* error = new Error(status, nullptr);
    if (error == nullptr) throw std::bad_alloc();
    return ErrorPtr(error);
  }

  static bool finished(const Wait& wait);

  // A task that pushed inline is blocked by whatever its inner task waits for.
  static void set_outer_waits(Variable* var, bool write);

  int workers_to_wake() const;

  void start_workers();

  // Runs `task`, whose accesses have been granted; the lock is held before and after. Its error is stored
  // to `failure` or, if that is null, is dropped before the lock is taken again: the last reference
  // frees a Python object, which takes the GIL and may free a variable.
  void run(Lock& lock, Task* task, ErrorPtr* failure = nullptr);

  ErrorPtr error_from(int status, void* payload);

  int run_inline(Lock& lock, Task* task, ErrorPtr* failure);

  // Sleeps until `done()` holds or the time is up. A waiting worker is replaced meanwhile; if no
  // thread can be started, the waiting thread runs ready tasks itself.
  template <class Done>
  bool block(Lock& lock, int milliseconds, Done done);

  void work(std::uint64_t generation);

  // Pointers, so that a forked child can abandon locks that other threads held.
  std::mutex* mutex_ = new std::mutex;
  std::condition_variable* wake_ = new std::condition_variable;  // workers
  std::condition_variable* done_ = new std::condition_variable;  // threads that wait for tasks
  Schedule schedule_;
  std::uint64_t generation_ = 0;
  ErrorPtr first_error_;
  const ErrorPtr dropped_error_ = made_at_start(kDropped);
  const ErrorPtr lost_error_ = made_at_start(kLostInFork);
  const ErrorPtr memory_error_ = made_at_start(kNoMemory);
  std::atomic<long> spin_us_{50};
  int wanted_ = 1, live_ = 0, idle_ = 0, blocked_ = 0, all_waiters_ = 0;
  bool inline_ = false, stopped_ = false;
};

}  // namespace opforge

#endif

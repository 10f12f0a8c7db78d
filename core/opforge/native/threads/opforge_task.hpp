// Variables, tasks, and the accesses that order tasks on a variable.
//
// The engine's lock guards all fields; atomic ones may also be read without it.
#ifndef OPFORGE_TASK_HPP
#define OPFORGE_TASK_HPP

#include <atomic>
#include <cstdint>
#include <new>
#include <unordered_set>
#include <utility>
#include <vector>

#include "opforge_error.hpp"

namespace opforge {

// Runs a task and consumes `arg`; returns 0, or a status with an error object in `*payload` (or null).
using TaskFn = int (*)(void* arg, void** payload);

enum Status {
  kDone = 0,
  kFailed = 1,
  kTimeout = 2,
  kDeadlock = 3,
  kDropped = 4,
  kLostInFork = 5,
  kNoMemory = 6,
};

struct Task;
struct Variable;

// Entry of one task in one variable's queue; stays linked until the task is complete.
struct Access {
  Task* task = nullptr;
  Variable* var = nullptr;
  Access* prev = nullptr;
  Access* next = nullptr;
  bool writes = false;
  bool reads = false;  // may be combined with `writes`; a reader needs a valid value
  bool granted = false;
};

// Array with a fixed capacity.
template <class Item>
class FixedArray {
 public:
  ~FixedArray() {
    for (Item& item : *this) item.~Item();
  }

  bool reserve(int capacity) {
    items_ = make_array<Item>(capacity);
    return items_ != nullptr;
  }

  void add(Item item) { new (&items_[size_++]) Item(std::move(item)); }

  int size() const { return size_; }
  Item& back() { return items_[size_ - 1]; }
  Item* begin() { return items_.get(); }
  Item* end() { return items_.get() + size_; }
  const Item* begin() const { return items_.get(); }
  const Item* end() const { return items_.get() + size_; }

 private:
  PlainArray<Item> items_;
  int size_ = 0;
};

struct Variable : FromMalloc {
  Access* head = nullptr;  // oldest incomplete access
  Access* tail = nullptr;
  long refs = 1;  // one of the owner and one per access
  int waiters = 0;
  std::uint64_t pushed_writes = 0;
  ErrorPtr error;
  std::atomic<std::uint64_t> version{0};  // writes completed
  std::atomic<int> pending{0};            // incomplete accesses
  std::atomic<int> pending_writes{0};
  std::atomic<bool> failed{false};  // error != nullptr
};

struct Task : FromMalloc {
  TaskFn fn = nullptr;
  void* arg = nullptr;
  ReleaseFn release = nullptr;  // drops `arg` if fn never runs
  FixedArray<Access> accesses;
  FixedArray<ErrorPtr> garbage;  // errors replaced on completion; preallocated, so that completion cannot fail
  int priority = 0;
  int missing = 0;  // accesses not yet granted
  std::uint64_t seq = 0;
  bool running = false;
  bool by_hand = false;  // run by the pushing thread
  bool inherited = false;  // the task forked, and this process is the child, which does not wait for it
  Task* prev = nullptr;  // list of all incomplete tasks in push order
  Task* next = nullptr;
  Task* outer = nullptr;         // the task of this thread that pushed this one inline
  Variable* waits_on = nullptr;  // while it is running and waiting
  bool waits_write = false;
};

struct RunsLater {
  bool operator()(const Task* a, const Task* b) const {
    return a->priority != b->priority ? a->priority < b->priority : a->seq > b->seq;
  }
};

// Adds one access per distinct variable; reading and writing the same variable is one access that
// does both. False if memory has run out. Later operations on the task allocate nothing.
inline bool collect_accesses(Task& task, Variable* const* read, int n_read, Variable* const* write,
                             int n_write) {
  const int n_accesses = n_read + n_write;
  if (!task.accesses.reserve(n_accesses) || !task.garbage.reserve(2 * n_accesses + 1)) return false;
  const auto add = [&task](Variable* var, bool writes) {
    for (Access& known : task.accesses) {
      if (known.var != var) continue;
      (writes ? known.writes : known.reads) = true;
      return;
    }
    Access fresh;
    fresh.task = &task;
    fresh.var = var;
    (writes ? fresh.writes : fresh.reads) = true;
    task.accesses.add(fresh);
  };
  for (int i = 0; i < n_write; ++i) add(write[i], true);
  for (int i = 0; i < n_read; ++i) add(read[i], false);
  return true;
}

inline void link(Access& access) {
  Variable& var = *access.var;
  access.prev = var.tail;
  (var.tail != nullptr ? var.tail->next : var.head) = &access;
  var.tail = &access;
  ++var.refs;
  var.pending.fetch_add(1);
  if (access.writes) {
    ++var.pushed_writes;
    var.pending_writes.fetch_add(1);
  }
}

inline void unlink(Access& access) {
  Variable& var = *access.var;
  (access.prev != nullptr ? access.prev->next : var.head) = access.next;
  (access.next != nullptr ? access.next->prev : var.tail) = access.prev;
}

// The task running on this thread, or null.
inline Task*& current_task() {
  static thread_local Task* task OPFORGE_FROM_START = nullptr;
  return task;
}

// Is `task` running on this thread, or did it push the running one inline?
inline bool in_chain(const Task* task) {
  for (const Task* own = current_task(); own != nullptr; own = own->outer)
    if (own == task) return true;
  return false;
}

// Must a task of this thread complete before a wait on `var` can end?
inline bool needs_current(const Variable* var, bool write) {
  struct Need {
    const Access* from;
    bool write;
  };
  std::vector<Need> open{{var->tail, write}};
  std::unordered_set<const Task*> seen;
  while (!open.empty()) {
    const Need need = open.back();
    open.pop_back();
    for (const Access* a = need.from; a != nullptr; a = a->prev) {
      if (!need.write && !a->writes) continue;
      if (in_chain(a->task)) return true;
      if (!seen.insert(a->task).second) continue;
      if (!a->task->running) {
        for (const Access& b : a->task->accesses) open.push_back({b.prev, b.writes});
      } else if (a->task->waits_on != nullptr) {
        open.push_back({a->task->waits_on->tail, a->task->waits_write});
      }
    }
  }
  return false;
}

// Would `task` have to wait if it were queued now?
inline bool must_wait(const Task& task) {
  for (const Access& own : task.accesses)
    for (const Access* a = own.var->head; a != nullptr; a = a->next)
      if (own.writes || a->writes) return true;
  return false;
}

}  // namespace opforge

#endif

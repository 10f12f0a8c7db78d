// Entry of worker threads into Python, synchronized with forks.
//
// A thread that is new to Python creates its thread state while it holds a lock of the interpreter
// but not yet the GIL. In a forked child, CPython 3.11 waits for that lock before it reinitialises it,
// so a fork at that moment would leave the child waiting for a thread that does not exist. Therefore
// workers enter one at a time, and a fork waits until none is entering.
#ifndef OPFORGE_ENTRY_HPP
#define OPFORGE_ENTRY_HPP

#include <Python.h>

#include <mutex>

namespace opforge {

inline std::mutex& entry() noexcept {
  static std::mutex mutex;
  return mutex;
}

// Is there memory for a new Python thread state? CPython aborts the process if there is not.
inline bool python_has_memory() {
  void* memory = PyMem_RawMalloc(2 * sizeof(PyThreadState));  // newer versions allocate more along with it
  PyMem_RawFree(memory);
  return memory != nullptr;
}

// Takes the GIL; leave_python releases it. Returns false if memory has run out. A thread that already
// has a state may hold the GIL, so it must not wait here for a thread that waits for the GIL.
inline bool enter_python(int* state) {
  const bool is_known = PyGILState_GetThisThreadState() != nullptr;
  std::unique_lock<std::mutex> guard(entry(), std::defer_lock);
  if (!is_known) guard.lock();
  if (!is_known && !python_has_memory()) return false;
  *state = PyGILState_Ensure();
  return true;
}

inline void leave_python(int state) { PyGILState_Release(static_cast<PyGILState_STATE>(state)); }

inline bool& entry_closed() noexcept {  // guarded by the mutex
  static bool closed = false;
  return closed;
}

// Called around a fork; the first without the GIL, which an entering worker needs.
inline void close_entry() {
  entry().lock();
  entry_closed() = true;
}

inline void open_entry() {
  if (!entry_closed()) return;  // an exception prevented the call before the fork
  entry_closed() = false;
  entry().unlock();
}

}  // namespace opforge

#endif

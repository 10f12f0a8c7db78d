// How a worker's thread enters Python, so that a fork cannot fall into it.
//
// A thread that Python has not seen gets its state while it does not hold the GIL yet but a lock of
// the interpreter. CPython 3.11 waits for that lock in the child of a fork before it makes it anew: a
// fork in this moment would leave the child waiting for a thread that it does not have. So workers
// enter one by one, and a fork waits until none is on its way.
#ifndef OPFORGE_ENTRY_HPP
#define OPFORGE_ENTRY_HPP

#include <Python.h>

#include <mutex>

namespace opforge {

inline std::mutex& entry() noexcept {
  static std::mutex mutex;
  return mutex;
}

// Is there memory for the state of a thread that Python has not seen? Without, it ends the process.
inline bool python_has_room() {
  void* room = PyMem_RawMalloc(2 * sizeof(PyThreadState));  // newer versions put more beside it
  PyMem_RawFree(room);
  return room != nullptr;
}

// Takes the GIL; leave_python gives it back. False: there is no memory for that. A thread with a state,
// which may hold the GIL, must not wait here for one that waits for the GIL.
inline bool enter_python(int* state) {
  const bool is_known = PyGILState_GetThisThreadState() != nullptr;
  std::unique_lock<std::mutex> guard(entry(), std::defer_lock);
  if (!is_known) guard.lock();
  if (!is_known && !python_has_room()) return false;
  *state = PyGILState_Ensure();
  return true;
}

inline void leave_python(int state) { PyGILState_Release(static_cast<PyGILState_STATE>(state)); }

inline bool& entry_closed() noexcept {  // guarded by the mutex
  static bool closed = false;
  return closed;
}

// Around a fork; the first without the GIL, which a worker on its way needs.
inline void close_entry() {
  entry().lock();
  entry_closed() = true;
}

inline void open_entry() {
  if (!entry_closed()) return;  // an exception kept the first from being called
  entry_closed() = false;
  entry().unlock();
}

}  // namespace opforge

#endif
